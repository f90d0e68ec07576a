import type { OperationModel } from '../model.ts'
import type { Schemas } from './schemas.ts'
import { parseWritten, stringifyExactly } from './whole-numbers.ts'

/** Writes and reads values as JSON. */
export interface Json {
  /** @throws RangeError for a bigint of more than 64 bits */
  stringify(value: unknown): string
  parse(text: string): unknown
  /** whether bigints are numbers in it */
  isExact: boolean
}

const plain: Json = {
  stringify: value => JSON.stringify(value),
  parse: text => JSON.parse(text),
  isExact: false,
}
/** The same with whole numbers of 64 bits. */
export const exact: Json = { stringify: stringifyExactly, parse: parseWritten, isExact: true }

/** Returns how the replies of an operation are written. Bigints cost time only where a reply may have some. */
export function jsonOf(schemas: Schemas, { responses }: OperationModel): Json {
  const media = [...responses.values()].flatMap(({ content = {} }) => Object.values(content))
  return media.some(({ schema }) => schema && schemas.hasBigints(schema)) ? exact : plain
}
