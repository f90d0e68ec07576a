/** The texts of a schema, where the document has it as an enumeration; any text else. */
type TextsOf<Components, Name extends string> = Components extends {
  schemas: Record<Name, infer Texts extends string>
}
  ? Texts
  : string

/** A plan of a document, where it has the schema `Plan`. */
export type PlanOf<Components> = TextsOf<Components, 'Plan'>

/** A scope of a document, where it has the schema `Scope`. */
export type ScopeOf<Components> = TextsOf<Components, 'Scope'>

/** A window of limits of a document, where it has the schema `Window` with a `name`. */
export type WindowNameOf<Components> = Components extends {
  schemas: { Window: { name: infer Texts extends string } }
}
  ? Texts
  : string
