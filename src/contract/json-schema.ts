export { createAjv, isDateTime, type Schema, toJsonSchema } from '../engine/json-schema.ts'
