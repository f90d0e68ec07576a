import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type NewOperation, parametersOf } from './operation.ts'

/** Text by file. */
export type Edits = Map<string, string>

const handlers = 'src/handlers'
const ways = 'test/operations/every-status.test.ts'

/**
 * The handler of a new operation, still to be written, beside those of its tag, and the place of its tests.
 * @param siblings the operationIds of its tag
 */
export async function codeFor(operation: NewOperation, siblings: readonly string[]): Promise<Edits> {
  const file = (await fileOf(siblings)) ?? `${handlers}/${kebab(operation.tag)}.ts`
  const current = await readFile(file, 'utf8').catch(() => '')
  return new Map([[file, withStub(current, operation)], ...(await waysTo(operation))])
}

/** Where tests of every status are kept: not in each project. */
async function waysTo(operation: NewOperation): Promise<[string, string][]> {
  const text = await readFile(ways, 'utf8').catch(() => undefined)
  return text === undefined ? [] : [[ways, withWays(text, operation)]]
}

const kebab = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** The file that has a handler of one of some operations. */
async function fileOf(ids: readonly string[]): Promise<string | undefined> {
  for (const name of (await readdir(handlers)).sort()) {
    const text = await readFile(join(handlers, name), 'utf8')
    if (ids.some(id => text.includes(`export const ${id}:`))) return `${handlers}/${name}`
  }
  return undefined
}

function withStub(text: string, { id, isList }: NewOperation): string {
  const uses = isList ? `'${id}', 'page'` : `'${id}'`
  const written = `\nexport const ${id}: Handler<${uses}> = stub('${id}')\n`
  const imports = [
    ...(/import .*\bHandler\b/.test(text) ? [] : [`import type { Handler } from './handler.ts'\n`]),
    ...(text.includes("'./not-written.ts'") ? [] : [`import { stub } from './not-written.ts'\n`]),
  ]
  // Behind the last import, where the formatter puts it in order.
  const end = [...text.matchAll(/^(import .*|\} from .*)\n/gm)].at(-1)
  const offset = end ? end.index + end[0].length : 0
  return `${text.slice(0, offset)}${imports.join('')}${text.slice(offset)}${written}`
}

/** A way to each status that is an operation's own; requests are those that the document has as examples. */
function withWays(text: string, { id, method, path, reply, refusals }: NewOperation): string {
  const success = reply === undefined ? 204 : method === 'POST' ? 201 : 200
  const own = [`    ${success}: call => typical(call, '${id}'),`]
  const last = parametersOf(path).at(-1)
  if (last !== undefined) own.push(`    404: call => typical(call, '${id}', { ${last}: none }),`)
  const conflict = [...refusals].find(([status]) => status === '409')
  if (method === 'POST' && !conflict) own.push(`    409: inFlight('${id}'),`)
  const common = new Set(['400', '401', '403', '412', '413', '414', '415', '422', '429', '500', '503'])
  for (const [status, name] of refusals)
    if (!common.has(status) && status !== '404')
      own.push(`    ${status}: async () => notWritten('${id}'), // ${name}`)
  const entry = `  ${id}: {\n${own.join('\n')}\n  },\n`
  const begin = text.indexOf('const ways: Ways = {')
  const end = text.indexOf('\n}\n', begin)
  if (begin < 0 || end < 0) throw new Error(`${ways} has no table of ways`)
  const imports =
    entry.includes('notWritten') && !text.includes('/not-written.ts')
      ? `import { notWritten } from '../../src/handlers/not-written.ts'\n`
      : ''
  return `${imports}${text.slice(0, end + 1)}${entry}${text.slice(end + 1)}`
}
