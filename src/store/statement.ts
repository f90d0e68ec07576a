import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { GatheredQuery } from '../database/sharing-dialect.ts'
import type { Db } from '../database/tables.ts'

/** Stands in a statement for a value that is known when it runs. */
class Slot<Args> {
  readonly read: (args: Args) => unknown

  constructor(read: (args: Args) => unknown) {
    this.read = read
  }
}

/** A parameter of a statement, by how it follows from the arguments. */
export type Value<Args> = (read: (args: Args) => unknown) => RawBuilder<unknown>

export interface Statement<Args, Row> {
  /** Runs it. */
  rows(db: Db, args: Args): Promise<Row[]>
  /** The statement as it runs. */
  compile(db: Db, args: Args): CompiledQuery<Row>
}

/** The part of the arguments that the text of a statement depends on. */
export type Shape = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * Prepares a statement that has one text for each shape of its arguments, such as which filters are given: it is built
 * and compiled when its shape is first asked for, and then run with values.
 * @param shapeOf all of the arguments that the text depends on; there must be few
 * @param build is handed the shape alone, as its text serves all arguments of that shape; the arguments go in by `value`
 * @param isGathered whether it is for all callers that there were: it does not wait for others
 */
export function statement<Args, Row, const Form extends Shape = Shape>(
  shapeOf: (args: Args) => Form,
  build: (shape: Form, value: Value<Args>) => RawBuilder<Row>,
  isGathered = false,
): Statement<Args, Row> {
  const compiled = new Map<string, CompiledQuery<Row>>()
  const value: Value<Args> = read => sql`${new Slot(read)}`

  function compile(db: Db, args: Args): CompiledQuery<Row> {
    const shape = shapeOf(args)
    const name = JSON.stringify(shape)
    let known = compiled.get(name)
    if (!known) {
      known = build(shape, value).compile(db)
      compiled.set(name, known)
    }
    const parameters = known.parameters.map(one => (one instanceof Slot ? one.read(args) : one))
    const query: GatheredQuery<Row> = { ...known, parameters, isGathered }
    return query
  }

  return {
    compile,
    rows: async (db, args) => (await db.executeQuery(compile(db, args))).rows,
  }
}
