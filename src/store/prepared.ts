import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/tables.ts'

/** Stands in a compiled statement for a value that is known when the statement runs. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The properties on which the text of a statement may depend, each with every value that it can have. */
type Choices = Readonly<Record<string, readonly (string | number | boolean)[]>>
type Variant<Of extends Choices> = { readonly [Name in keyof Of]: Of[Name][number] }

/** A parameter of a statement, by its name. */
export type Parameter<Values> = <Name extends keyof Values & string>(
  name: Name,
) => RawBuilder<Exclude<Values[Name], undefined>>

export interface Prepared<Values, Of extends Choices, Row> {
  /**
   * Runs the statement.
   * @throws Error when a value of the variant is none of the choices, or the text has a parameter whose value is undefined
   */
  rows(db: Db, variant: Variant<Of>, values: Values): Promise<Row[]>
}

/**
 * Prepares a statement that is built and compiled once for each variant: `prepared<{ id: number }>()(choices, build)`.
 * No value can become part of the text: `build` is handed placeholders, and of the variant only what `choices` lists.
 */
export function prepared<Values extends object>() {
  return function prepare<const Of extends Choices, Row>(
    choices: Of,
    build: (db: Db, parameter: Parameter<Values>, variant: Variant<Of>) => Compilable<Row>,
  ): Prepared<Values, Of, Row> {
    const compiled = new Map<string, CompiledQuery<Row>>()
    const parameter: Parameter<Values> = name => sql`${new Placeholder(name)}`

    function textFor(db: Db, variant: Variant<Of>): CompiledQuery<Row> {
      // Built from the choices themselves, so that nothing else gets in.
      const entries = Object.entries(choices).map(([name, list]) => {
        const choice = list.find(each => each === variant[name])
        if (choice === undefined) throw new Error(`${variant[name]} is no choice for ${name}: ${list}`)
        return [name, choice] as const
      })
      const key = entries.join()
      const known = compiled.get(key)
      if (known) return known
      const chosen = Object.fromEntries(entries) as Variant<Of> // each name of the choices, with one of its values
      const query = build(db, parameter, chosen).compile()
      compiled.set(key, query)
      return query
    }

    return {
      async rows(db, variant, values) {
        const query = textFor(db, variant)
        const parameters = query.parameters.map(each => bound(each, values))
        const statement: CompiledQuery<Row> = { ...query, parameters }
        return (await db.executeQuery(statement)).rows
      },
    }
  }
}

function bound(parameter: unknown, values: object): unknown {
  if (!(parameter instanceof Placeholder)) return parameter
  const value: unknown = Reflect.get(values, parameter.name)
  if (value === undefined) throw new Error(`The statement has no value for its parameter ${parameter.name}`)
  return value
}
