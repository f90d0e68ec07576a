// Generated from spec/openapi.yaml (SHA-256 f587ff2fb8bffd46abb8dec0af38c571cbc80d1cea3c28bf18f469b770a6e2f5) by spec-served 1.0.0.
// Do not edit: change the document and run `npm run generate`.

export interface paths {
    "/books": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a book */
        post: operations["addBook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/books/{book}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a book */
        get: operations["getBook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/books/{book}/cover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the cover of a book, or a range of its bytes */
        get: operations["getCover"];
        /** Store the cover of a book */
        put: operations["putCover"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/loans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lend a book */
        post: operations["lendBook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search titles, and get each book as it is found */
        post: operations["searchBooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    bookReturned: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sent to partner libraries when a book is back */
        post: operations["bookReturned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Number: Number;
        Book: Book;
        Form: Form;
        Print: Print;
        Audio: Audio;
        Loan: Loan;
        Problem: Problem;
        BookSent: BookSent;
        LoanSent: LoanSent;
    };
    responses: {
        /** @description Refused */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": Problem;
            };
        };
    };
    parameters: {
        book: Number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    addBook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": BookSent;
            };
        };
        responses: {
            /** @description The book, with its number */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Book;
                };
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    getBook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                book: components["parameters"]["book"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Book;
                };
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    getCover: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One range of bytes (RFC 9110, section 14.2)
                 * @example bytes=0-1023
                 */
                Range?: string;
            };
            path: {
                book: components["parameters"]["book"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole cover */
            200: {
                headers: {
                    "Accept-Ranges": "bytes";
                    [name: string]: unknown;
                };
                content: {
                    "image/*": Uint8Array | import("node:stream").Readable;
                };
            };
            /** @description The range */
            206: {
                headers: {
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content: {
                    "image/*": Uint8Array | import("node:stream").Readable;
                };
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    putCover: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                book: components["parameters"]["book"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    image: {
                        data: Buffer;
                        filename: string | undefined;
                        type: string;
                    };
                    artist?: string;
                };
            };
        };
        responses: {
            /** @description The cover is stored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    lendBook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": LoanSent;
            };
        };
        responses: {
            /** @description The loan */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Loan;
                };
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    searchBooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    words: string[];
                };
            };
        };
        responses: {
            /** @description An event for each book */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": Book[];
                };
            };
            "4XX": components["responses"]["Problem"];
        };
    };
    bookReturned: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Loan;
            };
        };
        responses: {
            /** @description Noted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/** Format: int64 */
export type Number = number;
export type Book = {
    readonly id: Number;
    title: string;
    /** Format: date */
    published?: string;
    form: Form;
    /** @description The shelf, and the position on it */
    place?: [
        string,
        number
    ];
    /** @description The title by language */
    names?: {
        [key: string]: string;
    };
    /** @description Anything else */
    details?: Record<string, unknown>;
    /** Format: date-time */
    readonly added: string;
};
export type Form = Print | Audio;
export type Print = {
    /** @constant */
    kind: "print";
    /** Format: int32 */
    pages: number;
};
export type Audio = {
    /** @constant */
    kind: "audio";
    /** Format: int32 */
    minutes: number;
    reader?: string | null;
};
export type Loan = {
    readonly id: Number;
    book: Number;
    readonly reader: string;
    /** Format: date */
    due: string;
};
export type Problem = {
    title: string;
    status: number;
    detail?: string;
};
export type BookSent = {
    title: string;
    /** Format: date */
    published?: string;
    form: Form;
    /** @description The shelf, and the position on it */
    place?: [
        string,
        number
    ];
    /** @description The title by language */
    names?: {
        [key: string]: string;
    };
    /** @description Anything else */
    details?: Record<string, unknown>;
    donor?: string;
};
export type LoanSent = {
    book: Number;
    /** Format: date */
    due: string;
};
