import type { Path } from '../../../src/document/pointer.ts'
import type {
  Method,
  OpenApi,
  Operation,
  Parameter,
  PathItem,
  Reference,
} from '../../../src/document/types.ts'

export type Parameters = (Parameter | Reference)[]

/** An operation, and the path that has it. */
export interface Routed {
  path: string
  item: PathItem & { parameters?: Parameters }
  method: Method
  operation: Operation
}

/** The document that is normalised, and to whom what is wrong with it is told. Places begin at a node of it. */
export interface Draft {
  document: OpenApi
  fault(node: object, path: Path, rule: string, message: string): void
  note(node: object, path: Path, message: string): void
  /** Whether something is wrong at a place, or below it. */
  hasFault(node: object, path: Path): boolean
}
