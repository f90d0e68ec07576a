import type { components } from './generated/schema.ts'

/** The texts of a schema, where the document has it as an enumeration. */
type TextsOf<Name extends string> = components extends { schemas: Record<Name, infer Texts extends string> }
  ? Texts
  : string

/** A plan of the document, where it has the schema `Plan`; any text else. */
export type Plan = TextsOf<'Plan'>

/** A scope of the document, where it has the schema `Scope`. */
export type Scope = TextsOf<'Scope'>

/** A window of limits of the document, where it has the schema `Window` with a `name`. */
export type WindowName = components extends { schemas: { Window: { name: infer Texts extends string } } }
  ? Texts
  : string
