import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownDirectory } from 'spec-served/internal/command/project'
import { type Model, modelOf } from 'spec-served-document/model'
import type { OpenApi } from 'spec-served-document/types'
import { directory, type FoundHandler, findHandlers } from './found.ts'
import { hasStub, type Stub, stubsFor, withoutStubs, withStubs } from './stubs.ts'
import { tableFile, tableOf } from './table.ts'

/** The parts of `src` that follow from the document, besides the generated files. */
export interface Wiring {
  /** texts by file; '' for a file that is to be removed */
  files: ReadonlyMap<string, string>
  stubs: readonly Stub[]
  /** handlers of operations that the document has not */
  gone: readonly FoundHandler[]
  /** the stubs of such operations, which are removed: they are as they were written */
  removed: readonly FoundHandler[]
  /** the document by which the files were made last */
  before: Model | undefined
}

/**
 * A stub for each operation without a handler, and the table of handlers. Stubs whose operation is gone go, if nobody has
 * changed them. Writes nothing.
 */
export async function wiringOf(model: Model): Promise<Wiring> {
  const [found, before] = await Promise.all([findHandlers(), modelBefore()])
  const stubs = stubsFor(model, found)
  const gone = found.filter(({ operation }) => !model.operation(operation))
  const removed: FoundHandler[] = []
  const files = new Map<string, string>()
  const names = new Set([...stubs, ...gone].map(({ file }) => file))
  for (const file of names) {
    const path = `${directory}/${file}`
    const text = await readFile(path, 'utf8').catch(() => '')
    const untouched = gone.flatMap(handler => {
      const operation = handler.file === file ? before?.operation(handler.operation) : undefined
      const stub = operation && { operation, name: handler.name }
      return stub && hasStub(text, stub) ? [{ handler, stub }] : []
    })
    removed.push(...untouched.map(({ handler }) => handler))
    const left = withoutStubs(
      text,
      untouched.map(({ stub }) => stub),
    )
    const stubsOfFile = stubs.filter(stub => stub.file === file)
    const written = stubsOfFile.length > 0 ? withStubs(left, stubsOfFile) : left
    if (untouched.length > 0 || stubsOfFile.length > 0) files.set(path, written)
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
  return { files, stubs, gone: gone.filter(candidate => !removed.includes(candidate)), removed, before }
}

/** The document by which the generated files were made last; undefined before the first time. */
async function modelBefore(): Promise<Model | undefined> {
  try {
    const document: OpenApi = JSON.parse(await readFile(join(ownDirectory, 'document.json'), 'utf8'))
    return modelOf(document)
  } catch {
    return undefined
  }
}

/** The operations without a handler, a text for each file that is to have them. */
export const unwrittenIn = ({ stubs }: Wiring): string[] => grouped(stubs, ({ operation }) => operation.id)

/** Names the stubs that were written or removed, and handlers whose operation is gone or has another name. */
export function wiringNotes(wiring: Wiring, model: Model): string[] {
  const { gone, removed: dropped, before } = wiring
  const now = new Map(model.operations.map(({ id, method, path }) => [routeOf(method, path), id]))
  const newName = ({ operation }: FoundHandler) => {
    const former = before?.operation(operation)
    return former && now.get(routeOf(former.method, former.path))
  }
  const removed = gone.filter(candidate => newName(candidate) === undefined)
  return [
    ...unwrittenIn(wiring).map(text => `${text}: to be written`),
    ...gone.flatMap(item => {
      const name = newName(item)
      if (name === undefined) return []
      return `${directory}/${item.file}:${item.line} ${item.operation} is called ${name} now: move its code to that handler`
    }),
    ...grouped(dropped, ({ operation }) => operation).map(
      text =>
        `${text}: removed, as the document has no such operation any more and nobody had changed the stub`,
    ),
    ...grouped(removed, ({ operation, line }) => `${operation} (line ${line})`).map(
      text => `${text}: no operations of the document any more, so nothing calls these handlers`,
    ),
  ]
}

/** A line for each file, with what it has. */
const grouped = <One extends { file: string }>(all: readonly One[], nameOf: (item: One) => string) =>
  [...Map.groupBy(all, ({ file }) => file)].map(
    ([file, handlers]) => `${directory}/${file} ${handlers.map(nameOf).join(', ')}`,
  )

/** The method and the path, whatever the names of its parameters. */
const routeOf = (method: string, path: string) => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
