import type { Path } from '../pointer.ts'
import type { OpenApi, Operation, Parameter, PathItem, Reference } from '../types.ts'

export type Parameters = (Parameter | Reference)[]

/** An operation, and the path that has it. */
export interface Routed {
  path: string
  item: PathItem & { parameters?: Parameters }
  /** as it is sent */
  method: string
  /** in the path item */
  place: Path
  operation: Operation
}

/** The document that is normalised, and to whom what is wrong with it is told. Places begin at a node of it. */
export interface Draft {
  document: OpenApi
  /** parameters that stand for the whole of a query (`in: querystring`) */
  wholeQueries: Set<Parameter>
  fault(node: object, path: Path, rule: string, message: string): void
  note(node: object, path: Path, message: string, rule?: string): void
  /** Whether something is wrong at a place, or below it. */
  hasFault(node: object, path: Path): boolean
}

export const isFrom32 = ({ openapi }: OpenApi): boolean => !/^3\.[01]\./.test(openapi)
