import { stringify } from 'yaml'

/**
 * Returns the document of a new service: one kind of record, which clients list, add, show, replace and remove.
 * @param title of the service
 */
export const newDocument = (title: string): string => `openapi: 3.0.3
info:
  title: ${stringify(title, { lineWidth: 0 }).trimEnd()}
  version: 0.1.0
  description: It keeps items. Write your own kind of record in their place.
servers:
  - url: http://localhost:3000
tags:
  - name: Items
    description: The items of the service.
paths:
  /items:
    get:
      operationId: listItems
      tags: [Items]
      summary: List items
      responses:
        '200':
          description: All items, by identifier.
          content:
            application/json:
              schema:
                type: array
                items: { $ref: '#/components/schemas/Item' }
              example: [{ id: 1, name: First }]
    post:
      operationId: createItem
      tags: [Items]
      summary: Add an item
      requestBody: { $ref: '#/components/requestBodies/NewItem' }
      responses:
        '201': { $ref: '#/components/responses/Item' }
        '400': { $ref: '#/components/responses/Invalid' }
  /items/{itemId}:
    parameters:
      - name: itemId
        in: path
        required: true
        description: Identifier of the item.
        schema: { $ref: '#/components/schemas/Id' }
        example: 1
    get:
      operationId: getItem
      tags: [Items]
      summary: Show an item
      responses:
        '200': { $ref: '#/components/responses/Item' }
        '400': { $ref: '#/components/responses/Invalid' }
        '404': { $ref: '#/components/responses/NotFound' }
    put:
      operationId: replaceItem
      tags: [Items]
      summary: Replace an item
      requestBody: { $ref: '#/components/requestBodies/NewItem' }
      responses:
        '200': { $ref: '#/components/responses/Item' }
        '400': { $ref: '#/components/responses/Invalid' }
        '404': { $ref: '#/components/responses/NotFound' }
    delete:
      operationId: deleteItem
      tags: [Items]
      summary: Remove an item
      responses:
        '204': { description: The item is removed. }
        '400': { $ref: '#/components/responses/Invalid' }
        '404': { $ref: '#/components/responses/NotFound' }
components:
  requestBodies:
    NewItem:
      required: true
      content:
        application/json:
          schema: { $ref: '#/components/schemas/NewItem' }
          example: { name: First }
  responses:
    Item:
      description: The item as it is stored.
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Item' }
          example: { id: 1, name: First }
    Invalid:
      description: The request does not fit this document.
      x-codes: [invalid_request]
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Error' }
          example: { code: invalid_request, message: name is missing., status: 400 }
    NotFound:
      description: There is no item with this identifier.
      x-codes: [not_found]
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Error' }
          example: { code: not_found, message: There is no item 1., status: 404 }
  schemas:
    Id: { type: integer, format: int64, minimum: 1, maximum: 9007199254740991 }
    NewItem:
      description: An item as clients send it.
      type: object
      required: [name]
      additionalProperties: false
      properties:
        name: { type: string, minLength: 1, maxLength: 200 }
    Item:
      description: An item as it is stored.
      type: object
      required: [id, name]
      additionalProperties: false
      properties:
        id: { $ref: '#/components/schemas/Id' }
        name: { type: string, minLength: 1, maxLength: 200 }
    Error:
      description: The reason of a refusal.
      type: object
      required: [code, message, status]
      properties:
        code: { type: string }
        message: { type: string }
        status: { type: integer }
`
