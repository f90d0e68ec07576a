import { type PGlite, parse, protocol, type Results } from '@electric-sql/pglite'
import { isRefusedByName } from './failures.ts'
import { mostNames } from './statements.ts'

const { serialize } = protocol
const { parseDescribeStatementResults, parseResults } = parse

/** A statement that PostgreSQL has read, under a name of its own or, once too many have one, under none. */
interface Prepared {
  name: string
  /** object identifiers of its parameters' types */
  types: readonly number[]
}

/** Runs statements on PGlite. */
export type RunStatement = <Row>(text: string, values: readonly unknown[]) => Promise<Results<Row>>

/**
 * Returns a function that runs a statement by PostgreSQL's extended query protocol. PGlite's own `query` reads and plans it each
 * time, in six messages. Here one with parameters is read and planned once, and each run is a message.
 * Source: PostgreSQL, Frontend/Backend Protocol, Extended Query; PGlite, `execProtocolStream`.
 */
export function createStatements(pglite: PGlite): RunStatement {
  const prepared = new Map<string, Prepared>()
  let count = 0

  /** Sends messages together. After a failure PostgreSQL goes on behind `sync`. */
  function send(...parts: Uint8Array[]) {
    const message = Buffer.concat([...parts, serialize.sync()])
    return pglite.execProtocolStream(message, { syncToFs: false })
  }

  async function prepare(text: string): Promise<Prepared> {
    const known = prepared.get(text)
    if (known) return known
    const name = prepared.size < mostNames ? `service_${count++}` : ''
    const messages = await send(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    const statement = { name, types: parseDescribeStatementResults(messages) }
    if (name !== '') prepared.set(text, statement)
    return statement
  }

  function serialized(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null
    return pglite.serializers[type]?.(value) ?? String(value)
  }

  async function runOnce<Row>(text: string, values: readonly unknown[]): Promise<Results<Row>> {
    const { name, types } = values.length > 0 ? await prepare(text) : { name: '', types: [] }
    const messages = await send(
      ...(values.length > 0 ? [] : [serialize.parse({ text })]),
      serialize.bind({
        statement: name,
        values: values.map((value, index) => serialized(value, types[index])),
      }),
      serialize.describe({ type: 'P' }),
      serialize.execute(),
    )
    const [result = { rows: [], fields: [] }] = parseResults(messages, pglite.parsers)
    return result as Results<Row> // Kysely knows the types of the columns
  }

  /** Prepares a statement again whose table has changed. A transaction can't go on after the refusal. */
  async function run<Row>(text: string, values: readonly unknown[]): Promise<Results<Row>> {
    try {
      return await runOnce<Row>(text, values)
    } catch (error) {
      const { name = '' } = prepared.get(text) ?? {}
      if (!isRefusedByName(error) || !prepared.delete(text)) throw error
      await send(serialize.close({ type: 'S', name }))
      if (pglite.isInTransaction()) throw error
      return runOnce<Row>(text, values)
    }
  }

  // A transaction's work may send several at once.
  return <Row>(text: string, values: readonly unknown[]) =>
    pglite.runExclusive(() =>
      run<Row>(text, values).catch((error: Error) => {
        throw Object.assign(error, { query: text })
      }),
    )
}
