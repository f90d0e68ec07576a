// Generated from spec/openapi.yaml (SHA-256 67e48d6da75f2a1d79809275e9d47f10529b5fa82a94a787f0792afb6caa2613) by spec-served 1.0.0.
// Do not edit: change the document and run `npm run generate`.

export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description Lists animals in pages. Filters combine with AND. For the next page follow `Link: rel="next"`, or send `X-Next-Cursor` back as `cursor`. The last page has neither.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal and its inventory entry with quantity 1. Without `status` the animal is `available`.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add up to 100 animals at once
         * @description The server adds all of them or none.
         */
        post: operations["createPets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one animal
         * @deprecated
         * @description Use `listPets` with `ids` instead. With `limit=100` it reads up to 100 animals in one request.
         */
        get: operations["getPet"];
        /**
         * Replace an animal
         * @description Replaces name and category. Without `status` the status stays as it is, because it follows the stock.
         */
        put: operations["replacePet"];
        post?: never;
        /**
         * Remove an animal
         * @description Removes the animal and its inventory entry. The server refuses this while an open order holds the animal. Fulfilled orders stay, without their `petId`.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change parts of an animal
         * @description Takes a JSON merge patch (RFC 7396). Fields that you leave out stay as they are.
         */
        patch: operations["updatePet"];
        trace?: never;
    };
    "/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description Lists categories in pages, ordered by identifier.
         */
        get: operations["listCategories"];
        put?: never;
        /**
         * Add a category
         * @description Adds a category with a unique name. The comparison of names ignores case and the composition of characters, in any script (Unicode’s canonical caseless matching): `Straße` and `STRASSE` are the same.
         */
        post: operations["createCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/categories/{categoryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one category
         * @description Reads one category by its identifier.
         */
        get: operations["getCategory"];
        /**
         * Replace a category
         * @description Replaces the whole category. If you leave out `description`, the server removes it.
         */
        put: operations["replaceCategory"];
        post?: never;
        /**
         * Remove a category
         * @description Removes the category. The server refuses this while an animal belongs to the category.
         */
        delete: operations["deleteCategory"];
        options?: never;
        head?: never;
        /**
         * Change parts of a category
         * @description Takes a JSON merge patch (RFC 7396). Fields that you leave out stay as they are. `"description": null` removes the description.
         */
        patch: operations["updateCategory"];
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Lists orders in pages, ordered by identifier. Filters combine with AND.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal
         * @description Places an order and takes its quantity out of stock at once. The animal must be `available` and have enough stock. When its stock reaches 0, the animal becomes `pending`.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one order
         * @description Reads one order by its identifier.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        /**
         * Cancel an open order
         * @description Removes the order and puts its quantity back into stock. The animal becomes `available`. You can’t cancel a fulfilled order.
         */
        delete: operations["cancelOrder"];
        options?: never;
        head?: never;
        /**
         * Reschedule or fulfil an order
         * @description Takes a JSON merge patch (RFC 7396). `"shipDate": null` removes the date. `"complete": true` fulfils the order. If the animal then has no stock and no open order, it becomes `sold`. You can’t reopen a fulfilled order.
         */
        patch: operations["updateOrder"];
        trace?: never;
    };
    "/store/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory entries
         * @description Lists one entry per animal in pages, ordered by the animal’s identifier. Filters combine with AND.
         */
        get: operations["listInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/inventory/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the inventory entry of an animal
         * @description Reads the stock count and the status of one animal.
         */
        get: operations["getInventoryItem"];
        /**
         * Set the stock of an animal
         * @description Sets the quantity in stock. Above 0, a `pending` or `sold` animal becomes `available`. At 0, the animal becomes `pending` while it has an open order, otherwise `sold`.
         */
        put: operations["updateInventory"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show your own limits
         * @description Shows plan, scopes, both windows, ban and calls to deprecated operations of your key. It costs no quota. It also answers while the key is banned or over its limit.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Lists keys in pages, ordered by identifier. It never shows a secret.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates a key. Store the secret: only this reply shows it.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one API key
         * @description Reads one key by its identifier, without its secret.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Revokes the key for ever: from now on the server refuses it. The server does not revoke the last key that can administer keys (see `updateApiKey`).
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change an API key
         * @description Takes a JSON merge patch (RFC 7396). `"expiresAt": null` removes the expiry and `"bannedUntil": null` lifts a ban. `quotas` replaces all of them. With `"disabled": true` the server refuses the key until you enable it again. Some key can always administer keys, so the server refuses some changes with 409 `last_admin_key`. The last enabled `admin` key without an expiry can’t be disabled, lose that scope or get an expiry. If all enabled `admin` keys expire, the latest of their expiries can’t move to an earlier time. A ban does not count, because it ends by itself.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of an API key
         * @description Makes a new secret and shows it only in this reply. The old secret stays valid for the overlap that you choose. A replacement ends the overlap before it. Send an `Idempotency-Key`. If the reply gets lost, the same request within the overlap then shows the secret again.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service works
         * @description Shows the state of the service. It needs no key and costs no quota. With `degraded` the service still answers every request, with 503 it does not.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Id: Id;
        PetStatus: PetStatus;
        NewPet: NewPet;
        PetPatch: PetPatch;
        Pet: Pet;
        NewPets: NewPets;
        Pets: Pets;
        NewCategory: NewCategory;
        CategoryPatch: CategoryPatch;
        Category: Category;
        Categories: Categories;
        NewOrder: NewOrder;
        OrderPatch: OrderPatch;
        Order: Order;
        Orders: Orders;
        InventoryItem: InventoryItem;
        InventoryItems: InventoryItems;
        InventoryUpdate: InventoryUpdate;
        Plan: Plan;
        Scope: Scope;
        Quotas: Quotas;
        NewApiKey: NewApiKey;
        ApiKeyPatch: ApiKeyPatch;
        ApiKeyRotation: ApiKeyRotation;
        ApiKey: ApiKey;
        IssuedApiKey: IssuedApiKey;
        ApiKeys: ApiKeys;
        Window: Window;
        Usage: Usage;
        DeprecatedUse: DeprecatedUse;
        Health: Health;
        HealthStatus: HealthStatus;
        Dependency: Dependency;
        ErrorCode: ErrorCode;
        Error: Error;
        ErrorDetail: ErrorDetail;
    };
    responses: {
        /** @description The request can’t be read or does not fit this document. */
        InvalidRequest: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "invalid_request",
                 *       "message": "The body is not valid: /name must have at least 1 character.",
                 *       "status": 400,
                 *       "details": [
                 *         {
                 *           "path": "/name",
                 *           "message": "must have at least 1 character"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The request has no valid API key. */
        Unauthenticated: {
            headers: {
                /**
                 * @description The authentication scheme that the server expects.
                 * @example ApiKey realm="petstore"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unauthenticated",
                 *       "message": "Send a valid API key as X-API-Key.",
                 *       "status": 401
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The key lacks the scope, or it is banned for a while. A ban comes with `Retry-After`. */
        Forbidden: {
            headers: {
                /**
                 * @description Seconds until the ban ends. Only `api_key_banned` and `address_banned` have it.
                 * @example 840
                 */
                "Retry-After"?: number;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description The key lacks the scope, or calls without a valid key are banned for a while. A ban comes with `Retry-After`. */
        UsageForbidden: {
            headers: {
                /**
                 * @description Seconds until the ban ends. Only `address_banned` has it.
                 * @example 840
                 */
                "Retry-After"?: number;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description There is no such record. */
        NotFound: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "not_found",
                 *       "message": "There is no animal 42.",
                 *       "status": 404
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The category does not exist. */
        CategoryMissing: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description The category does not exist. */
        OtherCategoryMissing: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "category_not_found",
                 *       "message": "There is no category 42.",
                 *       "status": 409,
                 *       "details": [
                 *         {
                 *           "path": "/categoryId",
                 *           "message": "names no category"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description A category does not exist. The server added nothing. */
        BatchRefused: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description Another category has this name. */
        CategoryNameTaken: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description Another category has this name. */
        OtherNameTaken: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "category_name_taken",
                 *       "message": "There is a category named Dogs already.",
                 *       "status": 409,
                 *       "details": [
                 *         {
                 *           "path": "/name",
                 *           "message": "is taken"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description Animals belong to the category. */
        CategoryInUse: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "category_in_use",
                 *       "message": "Animals belong to category 1.",
                 *       "status": 409
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description An open order holds the animal. */
        PetInUse: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "pet_in_use",
                 *       "message": "An open order holds animal 1.",
                 *       "status": 409
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The animal can’t be ordered. */
        OrderRefused: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description The order is fulfilled. */
        OrderComplete: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "order_complete",
                 *       "message": "Order 1 is fulfilled and stays so.",
                 *       "status": 409
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description No other key could administer keys for as long. */
        LastAdminKey: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "last_admin_key",
                 *       "message": "Key 1 is the last one that can administer keys for so long: make another with the scope admin first.",
                 *       "status": 409
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The operation has reached its sunset date. */
        Gone: {
            headers: {
                /**
                 * @description The time since which the operation is deprecated (RFC 9745).
                 * @example @1780617600
                 */
                Deprecation: string;
                /**
                 * @description The time at which the operation ends (RFC 8594).
                 * @example Thu, 05 Dec 2030 00:00:00 GMT
                 */
                Sunset: string;
                /**
                 * @description Links to the replacement of the operation (`successor-version`) and to the description of its deprecation (`deprecation`).
                 * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
                 */
                Link?: string;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "operation_sunset",
                 *       "message": "getPet ended on 2030-12-05; use listPets (/pets?ids={petId}).",
                 *       "status": 410
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The body is larger than `bodyBytes` in `x-request-bounds` bytes. */
        PayloadTooLarge: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "payload_too_large",
                 *       "message": "The body is larger than 1048576 bytes.",
                 *       "status": 413
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The URL is longer than `urlCharacters` in `x-request-bounds` characters. */
        UriTooLong: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "uri_too_long",
                 *       "message": "The URL is longer than 8000 characters.",
                 *       "status": 414
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The operation does not take the media type of the body. */
        UnsupportedMediaType: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                /**
                 * @description Media types that PATCH takes at this path (RFC 5789).
                 * @example application/merge-patch+json, application/json
                 */
                "Accept-Patch"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unsupported_media_type",
                 *       "message": "Send the body as application/json.",
                 *       "status": 415
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The rate limit is exceeded. Wait for the time given by `Retry-After`, then retry. Use exponential backoff. */
        RateLimited: {
            headers: {
                /**
                 * @description Seconds to wait before the next try.
                 * @example 17
                 */
                "Retry-After": number;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "rate_limited",
                 *       "message": "60 requests a minute are used up: retry in 17 seconds.",
                 *       "status": 429
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The service has a fault. The request may have been carried out. */
        InternalError: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "internal_error",
                 *       "message": "Something went wrong on our side; tell us the X-Request-Id.",
                 *       "status": 500
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The service can’t answer now. The request was not carried out. */
        Unavailable: {
            headers: {
                /**
                 * @description Seconds to wait before the next try.
                 * @example 17
                 */
                "Retry-After": number;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unavailable",
                 *       "message": "The database does not answer; retry soon.",
                 *       "status": 503
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The record has changed since you read it. */
        PreconditionFailed: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "precondition_failed",
                 *       "message": "The record has changed: its ETag is not in If-Match any more.",
                 *       "status": 412
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The `Idempotency-Key` was used with another payload. */
        IdempotencyKeyReused: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "idempotency_key_reused",
                 *       "message": "This Idempotency-Key was used with another payload.",
                 *       "status": 422
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The `Idempotency-Key` was used before. With `idempotency_key_reused` the payload was different. With `idempotent_reply_sealed` another secret of your key sent the first request, and only that secret can open the stored reply. In both cases the server does nothing now. In the second case it carried out the first request. */
        SecretNotRepeated: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description A request with the same `Idempotency-Key` is still under way. */
        InFlight: {
            headers: {
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description No cache may store the reply (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "idempotency_key_in_use",
                 *       "message": "A request with this Idempotency-Key is still running; retry soon.",
                 *       "status": 409
                 *     }
                 */
                "application/json": Error;
            };
        };
        /** @description The content has not changed. */
        NotModified: {
            headers: {
                /**
                 * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                 * @example "3-c41d5f0c1a9e"
                 */
                ETag: string;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The content has not changed. */
        WeakNotModified: {
            headers: {
                /**
                 * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                 * @example W/"Fz2kYv1q"
                 */
                ETag?: string;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The content has not changed. */
        ListNotModified: {
            headers: {
                /**
                 * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                 * @example W/"Fz2kYv1q"
                 */
                ETag?: string;
                /**
                 * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                 * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                 */
                Link: string;
                /**
                 * @description Cursor of the next page. The last page has none.
                 * @example WzIwXQ
                 */
                "X-Next-Cursor"?: string;
                /**
                 * @description The request limit in force, for the window that will stop you first.
                 * @example 60
                 */
                "X-RateLimit-Limit": number;
                /**
                 * @description Requests remaining in that window.
                 * @example 42
                 */
                "X-RateLimit-Remaining": number;
                /**
                 * @description Unix timestamp, in seconds, at which that window resets.
                 * @example 1795248060
                 */
                "X-RateLimit-Reset": number;
                /**
                 * @description Quota and length of each window (IETF RateLimit fields).
                 * @example "minute";q=60;w=60,"day";q=1000;w=86400
                 */
                "RateLimit-Policy": string;
                /**
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /**
         * @description Identifier of the animal.
         * @example 1
         */
        petId: Id;
        /**
         * @description Identifier of the category.
         * @example 1
         */
        categoryId: Id;
        /**
         * @description Identifier of the order.
         * @example 1
         */
        orderId: Id;
        /**
         * @description Identifier of the API key.
         * @example 1
         */
        keyId: Id;
        /** @description Most items on a page. */
        limit: number;
        /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
        cursor: string;
        /**
         * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
         * @example "3-c41d5f0c1a9e"
         */
        ifMatch: string;
        /**
         * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
         * @example "3-c41d5f0c1a9e"
         */
        ifNoneMatch: string;
        /**
         * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        idempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The request limit in force, for the window that will stop you first.
         * @example 60
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Requests remaining in that window.
         * @example 42
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description Unix timestamp, in seconds, at which that window resets.
         * @example 1795248060
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Quota and length of each window (IETF RateLimit fields).
         * @example "minute";q=60;w=60,"day";q=1000;w=86400
         */
        "RateLimit-Policy": string;
        /**
         * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
         * @example "minute";r=42;t=17,"day";r=812;t=40211
         */
        RateLimit: string;
        /**
         * @description Identifier of this request in the logs of the service.
         * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
         */
        "X-Request-Id": string;
        /**
         * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
         * @example private, no-cache
         */
        CacheControl: "private, no-cache";
        /**
         * @description No cache may store the reply (RFC 9111).
         * @example no-store
         */
        NoStore: "no-store";
        /**
         * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
         * @example nosniff
         */
        "X-Content-Type-Options": "nosniff";
        /**
         * @description Seconds to wait before the next try.
         * @example 17
         */
        "Retry-After": number;
        /**
         * @description The authentication scheme that the server expects.
         * @example ApiKey realm="petstore"
         */
        "WWW-Authenticate": string;
        /**
         * @description Path of the new record.
         * @example /pets/1
         */
        Location: string;
        /**
         * @description Links to the first page and, if there is one, to the next page (RFC 8288).
         * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
         */
        Link: string;
        /**
         * @description Cursor of the next page. The last page has none.
         * @example WzIwXQ
         */
        "X-Next-Cursor": string;
        /**
         * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
         * @example "3-c41d5f0c1a9e"
         */
        ETag: string;
        /**
         * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
         * @example W/"Fz2kYv1q"
         */
        WeakETag: string;
        /**
         * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Media types that PATCH takes at this path (RFC 5789).
         * @example application/merge-patch+json, application/json
         */
        "Accept-Patch": string;
        /**
         * @description The time since which the operation is deprecated (RFC 9745).
         * @example @1780617600
         */
        Deprecation: string;
        /**
         * @description The time at which the operation ends (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description Links to the replacement of the operation (`successor-version`) and to the description of its deprecation (`deprecation`).
         * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
         */
        LifecycleLink: string;
        /**
         * @description The operation may still change: `beta` with notice, `experimental` at any time.
         * @example beta
         */
        "X-Stability": "experimental" | "beta";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Only animals with this status. */
                status?: PetStatus;
                /** @description Only animals of this category. */
                categoryId?: Id;
                /**
                 * @description Only animals whose name begins with this text. The comparison ignores case and the composition of characters, in any script (Unicode’s canonical caseless matching): `STRASSE` finds `Straße`. A letter without marks finds the same letter with marks: `e` finds `Éclair`, but `é` does not find `Eclair`.
                 * @example re
                 */
                name?: string;
                /**
                 * @description Only these animals. Give up to 100 identifiers, separated by commas or as repeated parameters. The server ignores unknown identifiers.
                 * @example [
                 *       1,
                 *       2
                 *     ]
                 */
                ids?: Id[];
                /** @description Order of the list: by identifier (`id`) or by name (`name`). A leading `-` means descending. The order of names ignores case and follows the code points of the decomposed text. Animals with equal names follow their identifiers in the same direction. */
                sort?: "id" | "-id" | "name" | "-name";
                /** @description Most items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page. The last page has none.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Rex",
                     *         "categoryId": 1,
                     *         "status": "available"
                     *       },
                     *       {
                     *         "id": 2,
                     *         "name": "Mia",
                     *         "categoryId": 2,
                     *         "status": "pending"
                     *       }
                     *     ]
                     */
                    "application/json": Pets;
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 1
                 *     }
                 */
                "application/json": NewPet;
            };
        };
        responses: {
            /** @description The stored animal. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": Pet;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["CategoryMissing"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPets: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "name": "Rex",
                 *         "categoryId": 1
                 *       },
                 *       {
                 *         "name": "Mia",
                 *         "categoryId": 2,
                 *         "status": "pending"
                 *       }
                 *     ]
                 */
                "application/json": NewPets;
            };
        };
        responses: {
            /** @description The stored animals, in the order of the request. */
            201: {
                headers: {
                    /**
                     * @description The operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Rex",
                     *         "categoryId": 1,
                     *         "status": "available"
                     *       },
                     *       {
                     *         "id": 2,
                     *         "name": "Mia",
                     *         "categoryId": 2,
                     *         "status": "pending"
                     *       }
                     *     ]
                     */
                    "application/json": Pets;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["BatchRefused"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    /**
                     * @description The time since which the operation is deprecated (RFC 9745).
                     * @example @1780617600
                     */
                    Deprecation: string;
                    /**
                     * @description The time at which the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset: string;
                    /**
                     * @description Links to the replacement of the operation (`successor-version`) and to the description of its deprecation (`deprecation`).
                     * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
                     */
                    Link?: string;
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": Pet;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replacePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 1,
                 *       "status": "available"
                 *     }
                 */
                "application/json": NewPet;
            };
        };
        responses: {
            /** @description The stored animal. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": Pet;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OtherCategoryMissing"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record is removed. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["PetInUse"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "pending"
                 *     }
                 */
                "application/merge-patch+json": PetPatch;
                /**
                 * @example {
                 *       "status": "pending"
                 *     }
                 */
                "application/json": PetPatch;
            };
        };
        responses: {
            /** @description The stored animal. */
            200: {
                headers: {
                    /**
                     * @description The operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": Pet;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OtherCategoryMissing"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCategories: {
        parameters: {
            query?: {
                /** @description Most items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of categories. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page. The last page has none.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Dogs",
                     *         "description": "Loyal, loud and always hungry"
                     *       }
                     *     ]
                     */
                    "application/json": Categories;
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dogs",
                 *       "description": "Loyal, loud and always hungry"
                 *     }
                 */
                "application/json": NewCategory;
            };
        };
        responses: {
            /** @description The stored category. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Dogs",
                     *       "description": "Loyal, loud and always hungry"
                     *     }
                     */
                    "application/json": Category;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["CategoryNameTaken"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Identifier of the category.
                 * @example 1
                 */
                categoryId: components["parameters"]["categoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Dogs",
                     *       "description": "Loyal, loud and always hungry"
                     *     }
                     */
                    "application/json": Category;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the category.
                 * @example 1
                 */
                categoryId: components["parameters"]["categoryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dogs",
                 *       "description": "Loyal, loud and always hungry"
                 *     }
                 */
                "application/json": NewCategory;
            };
        };
        responses: {
            /** @description The stored category. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Dogs",
                     *       "description": "Loyal, loud and always hungry"
                     *     }
                     */
                    "application/json": Category;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OtherNameTaken"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the category.
                 * @example 1
                 */
                categoryId: components["parameters"]["categoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record is removed. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CategoryInUse"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the category.
                 * @example 1
                 */
                categoryId: components["parameters"]["categoryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": null
                 *     }
                 */
                "application/merge-patch+json": CategoryPatch;
                /**
                 * @example {
                 *       "description": null
                 *     }
                 */
                "application/json": CategoryPatch;
            };
        };
        responses: {
            /** @description The stored category. */
            200: {
                headers: {
                    /**
                     * @description The operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Dogs"
                     *     }
                     */
                    "application/json": Category;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OtherNameTaken"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description Only orders for this animal. */
                petId?: Id;
                /** @description Only fulfilled (`true`) or only open (`false`) orders. */
                complete?: boolean;
                /** @description Most items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page. The last page has none.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "petId": 1,
                     *         "quantity": 1,
                     *         "shipDate": "2026-12-01T09:00:00.000Z",
                     *         "complete": false
                     *       }
                     *     ]
                     */
                    "application/json": Orders;
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "petId": 1,
                 *       "quantity": 1,
                 *       "shipDate": "2026-12-01T09:00:00.000Z"
                 *     }
                 */
                "application/json": NewOrder;
            };
        };
        responses: {
            /** @description The stored order. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "petId": 1,
                     *       "quantity": 1,
                     *       "shipDate": "2026-12-01T09:00:00.000Z",
                     *       "complete": false
                     *     }
                     */
                    "application/json": Order;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["OrderRefused"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Identifier of the order.
                 * @example 1
                 */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "petId": 1,
                     *       "quantity": 1,
                     *       "shipDate": "2026-12-01T09:00:00.000Z",
                     *       "complete": false
                     *     }
                     */
                    "application/json": Order;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the order.
                 * @example 1
                 */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order is cancelled. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OrderComplete"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the order.
                 * @example 1
                 */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "complete": true
                 *     }
                 */
                "application/merge-patch+json": OrderPatch;
                /**
                 * @example {
                 *       "complete": true
                 *     }
                 */
                "application/json": OrderPatch;
            };
        };
        responses: {
            /** @description The stored order. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "petId": 1,
                     *       "quantity": 1,
                     *       "shipDate": "2026-12-01T09:00:00.000Z",
                     *       "complete": true
                     *     }
                     */
                    "application/json": Order;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OrderComplete"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInventory: {
        parameters: {
            query?: {
                /** @description Only entries with this status. */
                status?: PetStatus;
                /**
                 * @description Only entries whose quantity is at most this.
                 * @example 5
                 */
                maxQuantity?: number;
                /** @description Most items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of inventory entries. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page. The last page has none.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "petId": 1,
                     *         "quantity": 1,
                     *         "status": "available"
                     *       }
                     *     ]
                     */
                    "application/json": InventoryItems;
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInventoryItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The inventory entry. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "petId": 1,
                     *       "quantity": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": InventoryItem;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateInventory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server makes the change only if the record has one of these ETags (`*`: any). Otherwise it answers 412. It compares and writes in one step.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-Match"?: components["parameters"]["ifMatch"];
            };
            path: {
                /**
                 * @description Identifier of the animal.
                 * @example 1
                 */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": 12
                 *     }
                 */
                "application/json": InventoryUpdate;
            };
        };
        responses: {
            /** @description The stored inventory entry. */
            200: {
                headers: {
                    /**
                     * @description Version of the record, and of its form in this document (RFC 9110). Send it as `If-Match` to change only this version. Send it as `If-None-Match` to read only a newer one.
                     * @example "3-c41d5f0c1a9e"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "petId": 1,
                     *       "quantity": 12,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": InventoryItem;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits of the key that you sent. */
            200: {
                headers: {
                    /**
                     * @description The operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan": "Free",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "windows": [
                     *         {
                     *           "name": "minute",
                     *           "limit": 60,
                     *           "remaining": 42,
                     *           "reset": 1795248060
                     *         },
                     *         {
                     *           "name": "day",
                     *           "limit": 1000,
                     *           "remaining": 812,
                     *           "reset": 1795300000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": Usage;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["UsageForbidden"];
            414: components["responses"]["UriTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Most items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description Start of the page. Send `X-Next-Cursor` of the previous page. List, filters and order must be the same. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description Links to the first page and, if there is one, to the next page (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page. The last page has none.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Shop window",
                     *         "preview": "pet_live_3kTq…",
                     *         "plan": "Free",
                     *         "scopes": [
                     *           "read",
                     *           "write"
                     *         ],
                     *         "disabled": false,
                     *         "createdAt": "2026-11-21T08:00:00.000Z",
                     *         "lastUsedAt": "2026-11-21T08:15:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": ApiKeys;
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop window",
                 *       "plan": "Free",
                 *       "scopes": [
                 *         "read",
                 *         "write"
                 *       ]
                 *     }
                 */
                "application/json": NewApiKey;
            };
        };
        responses: {
            /** @description The key with its secret. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description No cache may store the reply (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Shop window",
                     *       "preview": "pet_live_3kTq…",
                     *       "plan": "Free",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "disabled": false,
                     *       "createdAt": "2026-11-21T08:00:00.000Z",
                     *       "secret": "pet_live_3kTqW9bXcV7mNz2LpRs8YdHf4GjAeQ0vZx1q"
                     *     }
                     */
                    "application/json": IssuedApiKey;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["InFlight"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["SecretNotRepeated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The server sends the content only if it has none of these ETags. Otherwise it answers 304 without a body.
                 * @example "3-c41d5f0c1a9e"
                 */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Identifier of the API key.
                 * @example 1
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    /**
                     * @description Weak version of the content (RFC 9110). Send it as `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Shop window",
                     *       "preview": "pet_live_3kTq…",
                     *       "plan": "Free",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "disabled": false,
                     *       "createdAt": "2026-11-21T08:00:00.000Z",
                     *       "lastUsedAt": "2026-11-21T08:15:00.000Z"
                     *     }
                     */
                    "application/json": ApiKey;
                };
            };
            304: components["responses"]["WeakNotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the API key.
                 * @example 1
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["LastAdminKey"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the API key.
                 * @example 1
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "Pro"
                 *     }
                 */
                "application/merge-patch+json": ApiKeyPatch;
                /**
                 * @example {
                 *       "plan": "Pro"
                 *     }
                 */
                "application/json": ApiKeyPatch;
            };
        };
        responses: {
            /** @description The stored key. */
            200: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Only the cache of this client may store the reply, and it must revalidate it each time with `If-None-Match` (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Shop window",
                     *       "preview": "pet_live_3kTq…",
                     *       "plan": "Pro",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "disabled": false,
                     *       "createdAt": "2026-11-21T08:00:00.000Z",
                     *       "lastUsedAt": "2026-11-21T08:15:00.000Z"
                     *     }
                     */
                    "application/json": ApiKey;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["LastAdminKey"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. If you repeat a request with the same `Idempotency-Key` and payload within some time (`idempotentReplies` in `x-lifetimes`), the server replays the first reply and changes nothing again. The server replays a reply that holds a secret only to the API key secret that sent the first request. Choose a new random value for each new request.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /**
                 * @description Identifier of the API key.
                 * @example 1
                 */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlapHours": 24
                 *     }
                 */
                "application/json": ApiKeyRotation;
            };
        };
        responses: {
            /** @description The key with its new secret. */
            200: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description No cache may store the reply (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Shop window",
                     *       "preview": "pet_live_3kTq…",
                     *       "plan": "Free",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "disabled": false,
                     *       "createdAt": "2026-11-21T08:00:00.000Z",
                     *       "lastUsedAt": "2026-11-21T08:15:00.000Z",
                     *       "previousSecretExpiresAt": "2026-11-22T08:00:00.000Z",
                     *       "secret": "pet_live_3kTqW9bXcV7mNz2LpRs8YdHf4GjAeQ0vZx1q"
                     *     }
                     */
                    "application/json": IssuedApiKey;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InFlight"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["SecretNotRepeated"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service works. */
            200: {
                headers: {
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description No cache may store the reply (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "1.0.0",
                     *       "dependencies": [
                     *         {
                     *           "name": "database",
                     *           "status": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": Health;
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            500: components["responses"]["InternalError"];
            /** @description The service does not work. */
            503: {
                headers: {
                    /**
                     * @description Seconds to wait before the next try.
                     * @example 17
                     */
                    "Retry-After": number;
                    /**
                     * @description The request limit in force, for the window that will stop you first.
                     * @example 60
                     */
                    "X-RateLimit-Limit": number;
                    /**
                     * @description Requests remaining in that window.
                     * @example 42
                     */
                    "X-RateLimit-Remaining": number;
                    /**
                     * @description Unix timestamp, in seconds, at which that window resets.
                     * @example 1795248060
                     */
                    "X-RateLimit-Reset": number;
                    /**
                     * @description Quota and length of each window (IETF RateLimit fields).
                     * @example "minute";q=60;w=60,"day";q=1000;w=86400
                     */
                    "RateLimit-Policy": string;
                    /**
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields). The refusal of a banned caller tells the end of the ban.
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description No cache may store the reply (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description Browsers must not guess another type than `Content-Type` (Fetch standard).
                     * @example nosniff
                     */
                    "X-Content-Type-Options": "nosniff";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unavailable",
                     *       "version": "1.0.0",
                     *       "dependencies": [
                     *         {
                     *           "name": "database",
                     *           "status": "unavailable",
                     *           "message": "The database does not answer."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": Health;
                };
            };
        };
    };
}
/**
 * Format: int64
 * @description An identifier, assigned by the service.
 * @example 1
 */
export type Id = number;
/**
 * @description Status of an animal and of its inventory entry.
 * @example available
 * @enum {string}
 */
export type PetStatus = "available" | "pending" | "sold";
/** @description An animal to be added. */
export type NewPet = {
    /**
     * @description The animal’s name.
     * @example Rex
     */
    name: string;
    /** @description Identifier of the category the animal belongs to. */
    categoryId: Id;
    status?: PetStatus;
};
/** @description The changes of an animal. */
export type PetPatch = {
    /**
     * @description The animal’s name.
     * @example Rex
     */
    name?: string;
    /** @description Identifier of the category the animal belongs to. */
    categoryId?: Id;
    status?: PetStatus;
};
/** @description An animal. */
export type Pet = {
    /** @description Unique identifier assigned on creation. */
    id: Id;
    /**
     * @description The animal’s name.
     * @example Rex
     */
    name: string;
    /** @description Identifier of the category the animal belongs to. */
    categoryId: Id;
    status?: PetStatus;
};
/** @description Animals to be added in one request. */
export type NewPets = NewPet[];
/** @description Animals. */
export type Pets = Pet[];
/** @description A category to be added. */
export type NewCategory = {
    /**
     * @description Category name, for example a kind of animal. It is unique, and the comparison ignores case in any script.
     * @example Dogs
     */
    name: string;
    /**
     * @description Short description of the category.
     * @example Loyal, loud and always hungry
     */
    description?: string;
};
/** @description The changes of a category. */
export type CategoryPatch = {
    /**
     * @description Category name, for example a kind of animal. It is unique, and the comparison ignores case in any script.
     * @example Dogs
     */
    name?: string;
    /**
     * @description Short description of the category.
     * @example Loyal, loud and always hungry
     */
    description?: string | null;
};
/** @description A kind of animal. */
export type Category = {
    /** @description Unique identifier assigned on creation. */
    id: Id;
    /**
     * @description Category name, for example a kind of animal. It is unique, and the comparison ignores case in any script.
     * @example Dogs
     */
    name: string;
    /**
     * @description Short description of the category.
     * @example Loyal, loud and always hungry
     */
    description?: string;
};
/** @description Categories. */
export type Categories = Category[];
/** @description An order to be placed. */
export type NewOrder = {
    /** @description Identifier of the animal to order. */
    petId: Id;
    /**
     * @description Number of units ordered.
     * @example 1
     */
    quantity: number;
    /**
     * Format: date-time
     * @description Expected or actual ship date (ISO 8601 with an offset). The server returns it in UTC, to the millisecond.
     * @example 2026-12-01T09:00:00.000Z
     */
    shipDate?: string;
};
/** @description The changes of an order. */
export type OrderPatch = {
    /**
     * Format: date-time
     * @description Expected or actual ship date (ISO 8601 with an offset). The server returns it in UTC, to the millisecond.
     * @example 2026-12-01T09:00:00.000Z
     */
    shipDate?: string | null;
    /**
     * @description Whether the order has been fulfilled.
     * @example false
     */
    complete?: boolean;
};
/** @description An order for an animal. */
export type Order = {
    /** @description Unique order identifier. */
    id?: Id;
    /** @description Identifier of the animal in the order. It is absent once the animal is removed. */
    petId?: Id;
    /**
     * @description Number of units ordered.
     * @example 1
     */
    quantity?: number;
    /**
     * Format: date-time
     * @description Expected or actual ship date (ISO 8601 with an offset). The server returns it in UTC, to the millisecond.
     * @example 2026-12-01T09:00:00.000Z
     */
    shipDate?: string;
    /**
     * @description Whether the order has been fulfilled.
     * @example false
     */
    complete?: boolean;
};
/** @description Orders. */
export type Orders = Order[];
/** @description The stock of one animal. */
export type InventoryItem = {
    /** @description Identifier of the animal the entry tracks. */
    petId: Id;
    /**
     * Format: int64
     * @description Current stock count.
     * @example 1
     */
    quantity: number;
    status: PetStatus;
};
/** @description Inventory entries. */
export type InventoryItems = InventoryItem[];
/** @description The new stock of an animal. */
export type InventoryUpdate = {
    /**
     * @description The new stock count.
     * @example 12
     */
    quantity: number;
};
/**
 * @description Plan of a key. `x-rate-limits` has the numbers. Plans may be added. Accept a plan that you don’t know.
 * @example Free
 * @enum {string}
 */
export type Plan = "Free" | "Pro" | "Business" | "Enterprise";
/**
 * @description A permission of a key.
 * @example read
 * @enum {string}
 */
export type Scope = "read" | "write" | "admin";
/** @description Quotas of an Enterprise key. */
export type Quotas = {
    /**
     * @description Requests per minute. At most the requests per day.
     * @example 5000
     */
    minute: number;
    /**
     * @description Requests per day.
     * @example 2000000
     */
    day: number;
};
/** @description A key to be created. The plan Enterprise needs `quotas`, the other plans refuse them. */
export type NewApiKey = {
    /**
     * @description A name that shows the purpose of the key.
     * @example Shop window
     */
    name: string;
    plan: Plan;
    /** @description Requests allowed. The plan Enterprise needs them, the other plans refuse them. */
    quotas?: Quotas;
    /** @description The scopes of the key. No scope includes another. */
    scopes: Scope[];
    /**
     * Format: date-time
     * @description The time at which the key expires. It must be in the future. If it is absent, the key never expires.
     */
    expiresAt?: string;
};
/** @description The changes of a key. */
export type ApiKeyPatch = {
    /**
     * @description A name that shows the purpose of the key.
     * @example Shop window
     */
    name?: string;
    plan?: Plan;
    /** @description Requests allowed. The plan Enterprise needs them, the other plans refuse them. */
    quotas?: Quotas;
    /** @description The scopes of the key. No scope includes another. */
    scopes?: Scope[];
    /** @description True while the key is disabled. The server refuses it until it is enabled again. */
    disabled?: boolean;
    /**
     * Format: date-time
     * @description The time at which the key expires. It must be in the future. With `null` the key never expires.
     */
    expiresAt?: string | null;
    /**
     * Format: date-time
     * @description `null` lifts the ban.
     * @enum {string|null}
     */
    bannedUntil?: null;
};
/** @description The terms on which a secret is replaced. */
export type ApiKeyRotation = {
    /**
     * @description Hours for which the old secret stays valid.
     * @example 24
     * @enum {integer}
     */
    overlapHours: 0 | 1 | 24 | 168;
};
/** @description A key without its secret. */
export type ApiKey = {
    /** @description Unique identifier assigned on creation. */
    id: Id;
    /**
     * @description A name that shows the purpose of the key.
     * @example Shop window
     */
    name: string;
    /**
     * @description The first characters of the secret, so that you can recognise it.
     * @example pet_live_3kTq…
     */
    preview: string;
    plan: Plan;
    quotas?: Quotas;
    /** @description The scopes of the key. No scope includes another. */
    scopes: Scope[];
    /** @description True while the key is disabled. The server refuses it until it is enabled again. */
    disabled: boolean;
    /**
     * Format: date-time
     * @description The time at which the key was created.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time at which the key expires. If it is absent, the key never expires.
     */
    expiresAt?: string;
    /**
     * Format: date-time
     * @description The time at which the key was last used, to the minute. A use shows within seconds. If it is absent, the key was never used.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     * @description The time at which the ban of the key ends. If it is absent, the key is not banned.
     */
    bannedUntil?: string;
    /**
     * Format: date-time
     * @description The time until which the previous secret stays valid. If it is absent, only the current secret is valid.
     */
    previousSecretExpiresAt?: string;
};
/** @description A key with its secret, shown only once. */
export type IssuedApiKey = {
    /** @description Unique identifier assigned on creation. */
    id: Id;
    /**
     * @description A name that shows the purpose of the key.
     * @example Shop window
     */
    name: string;
    /**
     * @description The first characters of the secret, so that you can recognise it.
     * @example pet_live_3kTq…
     */
    preview: string;
    plan: Plan;
    quotas?: Quotas;
    /** @description The scopes of the key. No scope includes another. */
    scopes: Scope[];
    /** @description True while the key is disabled. The server refuses it until it is enabled again. */
    disabled: boolean;
    /**
     * Format: date-time
     * @description The time at which the key was created.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description The time at which the key expires. If it is absent, the key never expires.
     */
    expiresAt?: string;
    /**
     * Format: date-time
     * @description The time at which the key was last used, to the minute. A use shows within seconds. If it is absent, the key was never used.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     * @description The time at which the ban of the key ends. If it is absent, the key is not banned.
     */
    bannedUntil?: string;
    /**
     * Format: date-time
     * @description The time until which the previous secret stays valid. If it is absent, only the current secret is valid.
     */
    previousSecretExpiresAt?: string;
    /**
     * Format: password
     * @description The value for `X-API-Key`.
     */
    secret: string;
};
/** @description API keys. */
export type ApiKeys = ApiKey[];
/** @description The state of one window. */
export type Window = {
    /**
     * @description Name of the window.
     * @enum {string}
     */
    name: "minute" | "day";
    /** @description Requests allowed in the window. */
    limit: number;
    /** @description Requests remaining in the window. */
    remaining: number;
    /**
     * Format: int64
     * @description Unix timestamp, in seconds, at which the window resets.
     */
    reset: number;
};
/** @description The scopes of a key, and its use of its limits. */
export type Usage = {
    plan: Plan;
    /** @description The scopes of the key. No scope includes another. */
    scopes: Scope[];
    /** @description The state of both windows. */
    windows: Window[];
    /**
     * Format: date-time
     * @description The time at which the ban of the key ends. If it is absent, the key is not banned.
     */
    bannedUntil?: string;
    /** @description The deprecated operations that the key has called lately (`deprecatedCalls` in `x-lifetimes`). If it is absent, the server can’t read them now. */
    deprecated?: DeprecatedUse[];
};
/** @description The calls of a key to one deprecated operation. */
export type DeprecatedUse = {
    /**
     * @description The deprecated operation.
     * @example getPet
     */
    operationId: string;
    /**
     * @description The number of calls lately (`deprecatedCalls` in `x-lifetimes`).
     * @example 12
     */
    calls: number;
    /**
     * Format: date
     * @description The day on which the operation ends.
     * @example 2030-12-05
     */
    sunset: string;
};
/** @description The state of the service. */
export type Health = {
    status: HealthStatus;
    /**
     * @description Version of the interface.
     * @example 1.0.0
     */
    version: string;
    /** @description The state of each dependency. */
    dependencies: Dependency[];
    /** @description Warnings for the operator: operations that end soon (`sunsetWarnings` in `x-lifetimes`). */
    warnings?: string[];
};
/**
 * @description The state of the service or of a dependency.
 * @example ok
 * @enum {string}
 */
export type HealthStatus = "ok" | "degraded" | "unavailable";
/** @description The state of one dependency of the service. */
export type Dependency = {
    /**
     * @description Name of the dependency.
     * @example database
     */
    name: string;
    status: HealthStatus;
    /**
     * @description The fault of the dependency.
     * @example The database does not answer.
     */
    message?: string;
};
/**
 * @description The kind of the error, for programs.
 * @example not_found
 * @enum {string}
 */
export type ErrorCode = "invalid_request" | "unauthenticated" | "insufficient_scope" | "api_key_banned" | "address_banned" | "not_found" | "method_not_allowed" | "request_timeout" | "category_not_found" | "category_name_taken" | "category_in_use" | "pet_in_use" | "pet_not_available" | "insufficient_stock" | "order_complete" | "last_admin_key" | "idempotency_key_in_use" | "operation_sunset" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "idempotent_reply_sealed" | "rate_limited" | "header_fields_too_large" | "internal_error" | "unavailable";
/** @description An error. */
export type Error = {
    code: ErrorCode;
    /**
     * @description Human-readable description.
     * @example There is no animal 42.
     */
    message: string;
    /**
     * @description The HTTP status code.
     * @example 404
     */
    status: number;
    /** @description The first faults of the input, at most 100. */
    details?: ErrorDetail[];
};
/** @description One fault of the input. */
export type ErrorDetail = {
    /**
     * @description Place of the fault: a JSON Pointer (RFC 6901) into the body, or `/path/…`, `/query/…` or `/header/…` for a parameter.
     * @example /name
     */
    path: string;
    /**
     * @description The fault at that place.
     * @example must be string
     */
    message: string;
};
