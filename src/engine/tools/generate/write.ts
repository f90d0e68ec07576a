import { readFile } from 'node:fs/promises'
import type { Model } from '../../document/model.ts'
import { directory, type FoundHandler, findHandlers } from './found.ts'
import { type Stub, stubsFor, withStubs } from './stubs.ts'
import { tableFile, tableOf } from './table.ts'

/** The former name of each operation, with its method and path. */
export type Routes = ReadonlyMap<string, string>

/** The parts of `src` that follow from the document, besides the generated files. */
export interface Wiring {
  /** texts by file */
  files: ReadonlyMap<string, string>
  stubs: readonly Stub[]
  /** handlers of operations that the document has not */
  gone: readonly FoundHandler[]
}

/** A stub for each operation without a handler, and the table of handlers. Writes nothing. */
export async function wiringOf(model: Model): Promise<Wiring> {
  const found = await findHandlers()
  const stubs = stubsFor(model, found)
  const files = new Map<string, string>()
  for (const [file, own] of Map.groupBy(stubs, stub => stub.file)) {
    const path = `${directory}/${file}`
    files.set(path, withStubs(await readFile(path, 'utf8').catch(() => ''), own))
  }
  const all = [
    ...found,
    ...stubs.map(({ operation, ...stub }) => ({
      ...stub,
      operation: operation.id,
      line: 0,
    })),
  ]
  const ids = model.operations.map(({ id }) => id)
  files.set(tableFile, tableOf(ids, all))
  return { files, stubs, gone: found.filter(({ operation }) => !model.operation(operation)) }
}

/** Tells of stubs that were written, and of handlers whose operation is gone or has another name. */
export function tellOf({ stubs, gone }: Wiring, model: Model, before: Routes): string[] {
  const now = new Map(model.operations.map(({ id, method, path }) => [routeOf(method, path), id]))
  const newName = ({ operation }: FoundHandler) => now.get(before.get(operation) ?? '')
  const removed = gone.filter(one => newName(one) === undefined)
  return [
    ...grouped(stubs, ({ operation }) => operation.id).map(text => `${text}: to be written`),
    ...gone.flatMap(one => {
      const name = newName(one)
      if (name === undefined) return []
      return `${directory}/${one.file}:${one.line} ${one.operation} is called ${name} now: move its code to that handler`
    }),
    ...grouped(removed, ({ operation, line }) => `${operation} (line ${line})`).map(
      text => `${text}: no operations of the document any more, so nothing calls these handlers`,
    ),
  ]
}

/** A line for each file, with what it has. */
const grouped = <One extends { file: string }>(all: readonly One[], nameOf: (one: One) => string) =>
  [...Map.groupBy(all, ({ file }) => file)].map(
    ([file, own]) => `${directory}/${file} ${own.map(nameOf).join(', ')}`,
  )

/** The method and the path, whatever the names of its parameters. */
export const routeOf = (method: string, path: string) => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
