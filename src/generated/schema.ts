// Generated from spec/openapi.yaml (SHA-256 566c2136759fbb23281a33f6d233c771aed49568b3beb042e64491f13ca5955a) by spec-served 1.0.0.
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
         * @description Animals in pages, filtered and sorted. Filters combine with AND. Follow `Link: rel="next"` (or send `X-Next-Cursor` back as `cursor`) until it is absent.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal with an inventory entry of its own, quantity 1. Without `status` it is `available`.
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
         * @description All are added or none.
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
         * @description Use `listPets` with `ids` instead: it reads up to 100 animals in one request.
         */
        get: operations["getPet"];
        /**
         * Replace an animal
         * @description Replaces name and category. `status` follows the stock, so it stays as it is when left out.
         */
        put: operations["replacePet"];
        post?: never;
        /**
         * Remove an animal
         * @description Removes the animal and its inventory entry. Refused while an open order holds it. Fulfilled orders stay, without their `petId`.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change parts of an animal
         * @description A JSON merge patch (RFC 7396): fields left out stay as they are.
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
         * @description Categories in pages, by identifier.
         */
        get: operations["listCategories"];
        put?: never;
        /**
         * Add a category
         * @description Names are unique without regard to case and to how characters are composed, in any script (Unicode’s canonical caseless matching): `Straße` and `STRASSE` are the same.
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
         * @description One category by its identifier.
         */
        get: operations["getCategory"];
        /**
         * Replace a category
         * @description Replaces the whole category: a `description` left out is removed.
         */
        put: operations["replaceCategory"];
        post?: never;
        /**
         * Remove a category
         * @description Refused while an animal belongs to it.
         */
        delete: operations["deleteCategory"];
        options?: never;
        head?: never;
        /**
         * Change parts of a category
         * @description A JSON merge patch (RFC 7396): fields left out stay as they are, `"description": null` removes the description.
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
         * @description Orders in pages, by identifier. Filters combine with AND.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal
         * @description Takes the quantity out of stock at once. Needs an `available` animal with enough stock. When the stock reaches 0 the animal becomes `pending`.
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
         * @description One order by its identifier.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        /**
         * Cancel an open order
         * @description Removes the order and puts its quantity back into stock; the animal becomes `available`. A fulfilled order is not cancelled.
         */
        delete: operations["cancelOrder"];
        options?: never;
        head?: never;
        /**
         * Reschedule or fulfil an order
         * @description A JSON merge patch (RFC 7396): `"shipDate": null` removes the date. `"complete": true` fulfils the order; when it was the last open one of an animal without stock, the animal becomes `sold`. A fulfilled order is never reopened.
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
         * @description One entry an animal, in pages, by the animal’s identifier. Filters combine with AND.
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
         * @description Stock count and status of one animal.
         */
        get: operations["getInventoryItem"];
        /**
         * Set the stock of an animal
         * @description Above 0 a `pending` or `sold` animal becomes `available`. At 0 it becomes `pending` while an order for it is open, else `sold`.
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
         * See your own limits
         * @description Plan, state of both windows, ban, and own calls to deprecated operations. Costs no quota and answers while the key is banned or over its limit.
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
         * @description Keys in pages, by identifier. Secrets are never shown again.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The reply is the only one that ever shows the secret.
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
         * @description One key by its identifier, without its secret.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key is refused from now on, for ever. The last key that can administer keys, as `updateApiKey` tells it, is not revoked.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change an API key
         * @description A JSON merge patch (RFC 7396). `"expiresAt": null` removes the expiry, `"bannedUntil": null` lifts a ban, `"disabled": true` refuses the key until it is enabled again. Some key can always administer keys: while one with the scope `admin` is enabled and never expires, the last such key is neither disabled nor robbed of the scope nor given an expiry; while all of them expire, the latest of their expiries becomes no earlier (409 `last_admin_key`). A ban does not count, as it ends by itself.
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
         * @description Makes a new secret, shown only in this reply. The old one stays valid for the chosen overlap, in which the request can be repeated should its reply get lost.
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
         * See whether the service works
         * @description Needs no key and costs no quota. `degraded` still answers every request; 503 does not.
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description No API key, or none that is valid. */
        Unauthenticated: {
            headers: {
                /**
                 * @description How to authenticate.
                 * @example ApiKey realm="petstore"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The key lacks the scope, or the caller is banned for a while (then with `Retry-After`). */
        Forbidden: {
            headers: {
                /**
                 * @description Seconds until the ban ends; only with `api_key_banned` and `address_banned`.
                 * @example 840
                 */
                "Retry-After"?: number;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description The key lacks the scope, or calls without a key are banned for a while (then with `Retry-After`). */
        UsageForbidden: {
            headers: {
                /**
                 * @description Seconds until the ban ends; only with `address_banned`.
                 * @example 840
                 */
                "Retry-After"?: number;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description A category does not exist; nothing was added. */
        BatchRefused: {
            headers: {
                /**
                 * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                 * @example true
                 */
                "Idempotent-Replayed"?: "true";
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description No other key could administer keys for so long. */
        LastAdminKey: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Since when the operation is deprecated (RFC 9745).
                 * @example @1780617600
                 */
                Deprecation: string;
                /**
                 * @description When the operation ends (RFC 8594).
                 * @example Thu, 05 Dec 2030 00:00:00 GMT
                 */
                Sunset: string;
                /**
                 * @description What replaces the operation (`successor-version`), and where its deprecation is described (`deprecation`).
                 * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
                 */
                Link?: string;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The body is larger than 1 MiB. */
        PayloadTooLarge: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The URL is longer than 8,000 characters. */
        UriTooLong: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The body’s media type is not one of the operation’s. */
        UnsupportedMediaType: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                /**
                 * @description Media types that PATCH takes here (RFC 5789).
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
        /** @description The rate limit is exceeded. Wait for the time given by `Retry-After`, then retry; use exponential backoff. */
        RateLimited: {
            headers: {
                /**
                 * @description Seconds to wait before the next try.
                 * @example 17
                 */
                "Retry-After": number;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description A fault of the service. */
        InternalError: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The service can’t answer now. */
        Unavailable: {
            headers: {
                /**
                 * @description Seconds to wait before the next try.
                 * @example 17
                 */
                "Retry-After": number;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The record has changed since. */
        PreconditionFailed: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description The `Idempotency-Key` was used with another payload (`idempotency_key_reused`); or it was used with another secret of your key, which alone can open the stored reply (`idempotent_reply_sealed`). In both cases nothing was done now; in the second the request was done then. */
        SecretNotRepeated: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
                 * @example nosniff
                 */
                "X-Content-Type-Options": "nosniff";
                [name: string]: unknown;
            };
            content: {
                "application/json": Error;
            };
        };
        /** @description A request with the same `Idempotency-Key` is still running. */
        InFlight: {
            headers: {
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description Is not to be kept (RFC 9111).
                 * @example no-store
                 */
                "Cache-Control": "no-store";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                 * @example "3"
                 */
                ETag: string;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                 * @example W/"Fz2kYv1q"
                 */
                ETag?: string;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                 * @example W/"Fz2kYv1q"
                 */
                ETag?: string;
                /**
                 * @description The first page and, while there is one, the next (RFC 8288).
                 * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                 */
                Link: string;
                /**
                 * @description Cursor of the next page, while there is one.
                 * @example WzIwXQ
                 */
                "X-Next-Cursor"?: string;
                /**
                 * @description The request limit in force, of the window that will stop you first.
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
                 * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                 * @example "minute";r=42;t=17,"day";r=812;t=40211
                 */
                RateLimit: string;
                /**
                 * @description Identifier of this request in the logs of the service.
                 * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                 */
                "X-Request-Id": string;
                /**
                 * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                 * @example private, no-cache
                 */
                "Cache-Control": "private, no-cache";
                /**
                 * @description That the Content-Type is to be taken at its word (Fetch standard).
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
        /** @description How many items a page holds at most. */
        limit: number;
        /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
        cursor: string;
        /**
         * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
         * @example "3"
         */
        ifMatch: string;
        /**
         * @description Only if the content has none of these ETags; else 304 without a body.
         * @example "3"
         */
        ifNoneMatch: string;
        /**
         * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        idempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The request limit in force, of the window that will stop you first.
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
         * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
         * @example "minute";r=42;t=17,"day";r=812;t=40211
         */
        RateLimit: string;
        /**
         * @description Identifier of this request in the logs of the service.
         * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
         */
        "X-Request-Id": string;
        /**
         * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
         * @example private, no-cache
         */
        CacheControl: "private, no-cache";
        /**
         * @description Is not to be kept (RFC 9111).
         * @example no-store
         */
        NoStore: "no-store";
        /**
         * @description That the Content-Type is to be taken at its word (Fetch standard).
         * @example nosniff
         */
        "X-Content-Type-Options": "nosniff";
        /**
         * @description Seconds to wait before the next try.
         * @example 17
         */
        "Retry-After": number;
        /**
         * @description How to authenticate.
         * @example ApiKey realm="petstore"
         */
        "WWW-Authenticate": string;
        /**
         * @description Path of the new record.
         * @example /pets/1
         */
        Location: string;
        /**
         * @description The first page and, while there is one, the next (RFC 8288).
         * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
         */
        Link: string;
        /**
         * @description Cursor of the next page, while there is one.
         * @example WzIwXQ
         */
        "X-Next-Cursor": string;
        /**
         * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
         * @example "3"
         */
        ETag: string;
        /**
         * @description Weak version of the content (RFC 9110), for `If-None-Match`.
         * @example W/"Fz2kYv1q"
         */
        WeakETag: string;
        /**
         * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Media types that PATCH takes here (RFC 5789).
         * @example application/merge-patch+json, application/json
         */
        "Accept-Patch": string;
        /**
         * @description Since when the operation is deprecated (RFC 9745).
         * @example @1780617600
         */
        Deprecation: string;
        /**
         * @description When the operation ends (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description What replaces the operation (`successor-version`), and where its deprecation is described (`deprecation`).
         * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
         */
        LifecycleLink: string;
        /**
         * @description That the operation may still change: `beta` with notice, `experimental` at any time.
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
                 * @description Only animals whose name begins with this text, without regard to case and to how characters are composed, in any script (Unicode’s canonical caseless matching): `STRASSE` finds `Straße`. A letter is the beginning of the same letter with marks: `e` finds `Éclair`, `é` does not find `Eclair`.
                 * @example re
                 */
                name?: string;
                /**
                 * @description Only these animals: up to 100 identifiers, separated by commas or given as repeated parameters. Unknown identifiers are left out.
                 * @example [
                 *       1,
                 *       2
                 *     ]
                 */
                ids?: Id[];
                /** @description Order of the result: by identifier or by name without regard to case (in the order of Unicode’s code points, decomposed), descending with a leading `-`. Equal names follow their identifiers. */
                sort?: "id" | "-id" | "name" | "-name";
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The first page and, while there is one, the next (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page, while there is one.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
            /** @description The animal as stored. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
            /** @description The animals as stored, in the order of the request. */
            201: {
                headers: {
                    /**
                     * @description That the operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Since when the operation is deprecated (RFC 9745).
                     * @example @1780617600
                     */
                    Deprecation: string;
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset: string;
                    /**
                     * @description What replaces the operation (`successor-version`), and where its deprecation is described (`deprecation`).
                     * @example </pets?ids=1>; rel="successor-version", </docs#/Animals/getPet>; rel="deprecation"
                     */
                    Link?: string;
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The animal as stored. */
            200: {
                headers: {
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description Removed. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The animal as stored. */
            200: {
                headers: {
                    /**
                     * @description That the operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The first page and, while there is one, the next (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page, while there is one.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
            /** @description The category as stored. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The category as stored. */
            200: {
                headers: {
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description Removed. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The category as stored. */
            200: {
                headers: {
                    /**
                     * @description That the operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The first page and, while there is one, the next (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page, while there is one.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
            /** @description The order as stored. */
            201: {
                headers: {
                    /**
                     * @description `true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.
                     * @example true
                     */
                    "Idempotent-Replayed"?: "true";
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description Path of the new record.
                     * @example /pets/1
                     */
                    Location: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description Cancelled. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The order as stored. */
            200: {
                headers: {
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only entries with at most this stock.
                 * @example 5
                 */
                maxQuantity?: number;
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The first page and, while there is one, the next (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page, while there is one.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the record still has one of these ETags (`*`: any); else 412. Checked in the same instant as the write.
                 * @example "3"
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
            /** @description The inventory entry as stored. */
            200: {
                headers: {
                    /**
                     * @description Version of the record (RFC 9110): send it as `If-Match` to change just this version, as `If-None-Match` to read only a newer one.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
            /** @description Limits of the calling key. */
            200: {
                headers: {
                    /**
                     * @description That the operation may still change: `beta` with notice, `experimental` at any time.
                     * @example beta
                     */
                    "X-Stability": "experimental" | "beta";
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `X-Next-Cursor` of the page before, of the same list with the same filters and order. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The first page and, while there is one, the next (RFC 8288).
                     * @example </pets?limit=20>; rel="first", </pets?limit=20&cursor=WzIwXQ>; rel="next"
                     */
                    Link: string;
                    /**
                     * @description Cursor of the next page, while there is one.
                     * @example WzIwXQ
                     */
                    "X-Next-Cursor"?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Is not to be kept (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Only if the content has none of these ETags; else 304 without a body.
                 * @example "3"
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
                     * @description Weak version of the content (RFC 9110), for `If-None-Match`.
                     * @example W/"Fz2kYv1q"
                     */
                    ETag?: string;
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
            /** @description Revoked. */
            204: {
                headers: {
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
            /** @description The key as stored. */
            200: {
                headers: {
                    /**
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description May be kept for this caller, and is asked for again (`If-None-Match`) each time (RFC 9111).
                     * @example private, no-cache
                     */
                    "Cache-Control": "private, no-cache";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                 * @description Makes retries safe: for a while (`idempotentReplies` in `x-lifetimes`) the same key with the same payload is answered with the first reply and nothing happens twice. A reply that holds a secret is repeated only to the secret of your key that it was first sent to. Choose a new random key for each new request.
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
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Is not to be kept (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Is not to be kept (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
                     * @description The request limit in force, of the window that will stop you first.
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
                     * @description Remaining requests and seconds to the reset of each window (IETF RateLimit fields).
                     * @example "minute";r=42;t=17,"day";r=812;t=40211
                     */
                    RateLimit: string;
                    /**
                     * @description Identifier of this request in the logs of the service.
                     * @example 0198c7a2-6f0e-7c3b-9d55-0a8b7c1d2e3f
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Is not to be kept (RFC 9111).
                     * @example no-store
                     */
                    "Cache-Control": "no-store";
                    /**
                     * @description That the Content-Type is to be taken at its word (Fetch standard).
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
/** @description What changes of an animal. */
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
/** @description Animals to be added together. */
export type NewPets = NewPet[];
/** @description Animals. */
export type Pets = Pet[];
/** @description A category to be added. */
export type NewCategory = {
    /**
     * @description Category name, for example a kind of animal. Unique without regard to case, in any script.
     * @example Dogs
     */
    name: string;
    /**
     * @description Short description of the category.
     * @example Loyal, loud and always hungry
     */
    description?: string;
};
/** @description What changes of a category. */
export type CategoryPatch = {
    /**
     * @description Category name, for example a kind of animal. Unique without regard to case, in any script.
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
     * @description Category name, for example a kind of animal. Unique without regard to case, in any script.
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
     * @description Expected or actual ship date (ISO 8601 with an offset), returned in UTC.
     * @example 2026-12-01T09:00:00.000Z
     */
    shipDate?: string;
};
/** @description What changes of an order. */
export type OrderPatch = {
    /**
     * Format: date-time
     * @description Expected or actual ship date (ISO 8601 with an offset), returned in UTC.
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
    /** @description Identifier of the animal in the order; absent once the animal is removed. */
    petId?: Id;
    /**
     * @description Number of units ordered.
     * @example 1
     */
    quantity?: number;
    /**
     * Format: date-time
     * @description Expected or actual ship date (ISO 8601 with an offset), returned in UTC.
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
 * @description Plan of a key; `x-rate-limits` has the numbers. Plans may be added. Accept a plan that you don’t know.
 * @example Free
 * @enum {string}
 */
export type Plan = "Free" | "Pro" | "Business" | "Enterprise";
/**
 * @description What a key may do.
 * @example read
 * @enum {string}
 */
export type Scope = "read" | "write" | "admin";
/** @description Quotas of an Enterprise key. */
export type Quotas = {
    /**
     * @description Requests a minute, at most those a day.
     * @example 5000
     */
    minute: number;
    /**
     * @description Requests a day.
     * @example 2000000
     */
    day: number;
};
/** @description A key to be created. `quotas` are for the plan Enterprise, which needs them. */
export type NewApiKey = {
    /**
     * @description What the key is for.
     * @example Shop window
     */
    name: string;
    plan: Plan;
    /** @description Requests allowed; needed with the plan Enterprise, refused with the others. */
    quotas?: Quotas;
    /** @description What the key may do. Scopes do not include one another. */
    scopes: Scope[];
    /**
     * Format: date-time
     * @description When the key ends to be valid, in the future; absent: never.
     */
    expiresAt?: string;
};
/** @description What changes of a key. */
export type ApiKeyPatch = {
    /**
     * @description What the key is for.
     * @example Shop window
     */
    name?: string;
    plan?: Plan;
    /** @description Requests allowed; needed with the plan Enterprise, refused with the others. */
    quotas?: Quotas;
    /** @description What the key may do. Scopes do not include one another. */
    scopes?: Scope[];
    /** @description Whether the key is refused until it is enabled again. */
    disabled?: boolean;
    /**
     * Format: date-time
     * @description When the key ends to be valid, in the future; `null`: never.
     */
    expiresAt?: string | null;
    /**
     * Format: date-time
     * @description `null` lifts the ban.
     * @enum {string|null}
     */
    bannedUntil?: null;
};
/** @description How a secret is replaced. */
export type ApiKeyRotation = {
    /**
     * @description For how many hours the old secret stays valid.
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
     * @description What the key is for.
     * @example Shop window
     */
    name: string;
    /**
     * @description The first characters of the secret, to recognise it by.
     * @example pet_live_3kTq…
     */
    preview: string;
    plan: Plan;
    quotas?: Quotas;
    /** @description What the key may do. Scopes do not include one another. */
    scopes: Scope[];
    /** @description Whether the key is refused until it is enabled again. */
    disabled: boolean;
    /**
     * Format: date-time
     * @description When the key was created.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the key ends to be valid; absent: never.
     */
    expiresAt?: string;
    /**
     * Format: date-time
     * @description When the key was last used, to the minute; absent: never.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     * @description When the ban of the key ends; absent: not banned.
     */
    bannedUntil?: string;
    /**
     * Format: date-time
     * @description Until when the secret before the last rotation stays valid; absent: it is not.
     */
    previousSecretExpiresAt?: string;
};
/** @description A key with its secret, shown only once. */
export type IssuedApiKey = {
    /** @description Unique identifier assigned on creation. */
    id: Id;
    /**
     * @description What the key is for.
     * @example Shop window
     */
    name: string;
    /**
     * @description The first characters of the secret, to recognise it by.
     * @example pet_live_3kTq…
     */
    preview: string;
    plan: Plan;
    quotas?: Quotas;
    /** @description What the key may do. Scopes do not include one another. */
    scopes: Scope[];
    /** @description Whether the key is refused until it is enabled again. */
    disabled: boolean;
    /**
     * Format: date-time
     * @description When the key was created.
     */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the key ends to be valid; absent: never.
     */
    expiresAt?: string;
    /**
     * Format: date-time
     * @description When the key was last used, to the minute; absent: never.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     * @description When the ban of the key ends; absent: not banned.
     */
    bannedUntil?: string;
    /**
     * Format: date-time
     * @description Until when the secret before the last rotation stays valid; absent: it is not.
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
     * @description Which window.
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
/** @description What a key may do, and what it has used of its limits. */
export type Usage = {
    plan: Plan;
    /** @description What the key may do. Scopes do not include one another. */
    scopes: Scope[];
    /** @description Both windows. */
    windows: Window[];
    /**
     * Format: date-time
     * @description When the ban of the key ends; absent: not banned.
     */
    bannedUntil?: string;
    /** @description The deprecated operations that the key has called lately (`deprecatedCalls` in `x-lifetimes`); absent: they can’t be told now. */
    deprecated?: DeprecatedUse[];
};
/** @description How often a key has called a deprecated operation. */
export type DeprecatedUse = {
    /**
     * @description Which operation.
     * @example getPet
     */
    operationId: string;
    /**
     * @description How often lately (`deprecatedCalls` in `x-lifetimes`).
     * @example 12
     */
    calls: number;
    /**
     * Format: date
     * @description The day on which it ends.
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
    /** @description What the service depends on. */
    dependencies: Dependency[];
    /** @description What will need attention: operations that end soon (`sunsetWarnings` in `x-lifetimes`). */
    warnings?: string[];
};
/**
 * @description Whether something works.
 * @example ok
 * @enum {string}
 */
export type HealthStatus = "ok" | "degraded" | "unavailable";
/** @description The state of something the service depends on. */
export type Dependency = {
    /**
     * @description What it is.
     * @example database
     */
    name: string;
    status: HealthStatus;
    /**
     * @description What is wrong.
     * @example The database does not answer.
     */
    message?: string;
};
/**
 * @description What went wrong, for programs.
 * @example not_found
 * @enum {string}
 */
export type ErrorCode = "invalid_request" | "unauthenticated" | "insufficient_scope" | "api_key_banned" | "address_banned" | "not_found" | "method_not_allowed" | "request_timeout" | "category_not_found" | "category_name_taken" | "category_in_use" | "pet_in_use" | "pet_not_available" | "insufficient_stock" | "order_complete" | "last_admin_key" | "idempotency_key_in_use" | "operation_sunset" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "idempotent_reply_sealed" | "rate_limited" | "header_fields_too_large" | "internal_error" | "unavailable";
/** @description What went wrong. */
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
    /** @description The faults of the input: up to 100, of a large body the first. */
    details?: ErrorDetail[];
};
/** @description One fault of the input. */
export type ErrorDetail = {
    /**
     * @description JSON Pointer (RFC 6901) into the body; `/path/…`, `/query/…` and `/header/…` for parameters.
     * @example /name
     */
    path: string;
    /**
     * @description What is wrong there.
     * @example must be string
     */
    message: string;
};
