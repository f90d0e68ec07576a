import type { OpenApi } from 'spec-served-document/types'
import { parse } from 'yaml'

const written = parse(`
openapi: 3.0.3
info: { title: Library, version: 1.0.0 }
security: [{ Card: [] }]
tags:
  - { name: Reading }
  - { name: Books, x-parent: Reading }
  - { name: Films, x-parent: Watching }
  - { name: Watching }
  - { name: Opening hours }
x-rate-limits:
  windows: [{ name: hour, seconds: 3600 }, { name: week, seconds: 604800 }]
  plans: { Child: { hour: 5, week: 50 }, Adult: { custom: true } }
  anonymous: Child
  ban: { refusals: 3, window: hour, seconds: 60 }
paths:
  /books:
    get:
      operationId: findBooks
      tags: [Books]
      x-required-scope: borrow
      parameters:
        - { name: isbn, in: query, explode: false, schema: { type: array, items: { $ref: "#/components/schemas/Isbn" } } }
        - { $ref: "#/components/parameters/Language" }
      responses:
        "200":
          description: found
          headers: { X-Shelf: { $ref: "#/components/headers/Shelf" } }
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } }
        "404": { $ref: "#/components/responses/Missing" }
    post:
      operationId: addBook
      tags: [Books]
      x-stability: beta
      x-required-scope: buy
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: "#/components/schemas/Book" } }
          text/csv: { schema: { type: string } }
      responses: { "201": { description: added } }
  /books/{book}:
    get:
      operationId: getBook
      tags: [Books]
      deprecated: true
      x-deprecated-at: 2026-01-01
      x-deprecated-sunset: 2026-12-31
      x-successor: findBooks
      x-successor-url: /books?isbn={book}
      x-required-scope: borrow
      parameters: [{ $ref: "#/components/parameters/Book" }]
      responses: { "200": { description: found }, "410": { description: gone } }
  /books/{book}/pages:
    get:
      operationId: getPages
      tags: [Books]
      security: []
      parameters: [{ name: book, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: found } }
    delete:
      operationId: burnPages
      tags: [Books]
      x-required-scope: buy
      parameters: [{ $ref: "#/components/parameters/Book" }]
      responses: { "204": { description: burnt } }
components:
  securitySchemes: { Card: { type: apiKey, in: header, name: X-Card } }
  parameters:
    Book: { name: book, in: path, required: true, schema: { $ref: "#/components/schemas/Isbn" } }
    Language: { name: language, in: query, schema: { type: string, enum: [en, fr], default: en } }
    Forgotten: { name: forgotten, in: query, schema: { type: string } }
  headers:
    Shelf: { schema: { type: integer, minimum: 0, exclusiveMinimum: true } }
  responses:
    Missing: { description: missing, content: { application/json: { schema: { type: object, properties: { why: { type: string } } } } } }
  schemas:
    Isbn: { type: string, pattern: "^97", minLength: 1, maxLength: 13 }
    Book:
      type: object
      required: [title]
      additionalProperties: false
      properties:
        title: { type: string, minLength: 1, maxLength: 1 }
        pages: { type: integer, minimum: 0, maximum: 9007199254740991, default: 5 }
        size: { type: integer, enum: [1, 2, 4], maximum: 4 }
        lent: { type: string, format: date, nullable: true }
        like: { oneOf: [{ $ref: "#/components/schemas/Isbn" }, { $ref: "#/components/schemas/Book" }] }
        from: { anyOf: [{ type: string }, { type: integer }] }
        both: { allOf: [{ type: string, minLength: 1 }, { type: string, maxLength: 9 }] }
    Unused: { type: string, maxLength: 3 }
`)

/** A document that has room for every kind of change. */
export const library = (): OpenApi => structuredClone(written)
