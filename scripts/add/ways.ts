import { type NewOperation, parametersOf, successOf } from './operation.ts'

/** The file with the tests of every status. Not every project has it. */
export const ways = 'test/operations/every-status.test.ts'

/** Statuses that the tests reach in the same way for every operation. */
const common = new Set(['400', '401', '403', '412', '413', '414', '415', '422', '429', '500', '503'])

/** Returns the tests with a way to each status of the operation's own. Requests are the document's examples. */
export function withWays(text: string, operation: NewOperation): string {
  const { id, method, path, refusals } = operation
  const own = [`    ${successOf(operation)}: call => typical(call, '${id}'),`]
  const last = parametersOf(path).at(-1)
  if (last !== undefined) own.push(`    404: call => typical(call, '${id}', { ${last}: none }),`)
  if (method === 'POST' && !refusals.has('409')) own.push(`    409: inFlight('${id}'),`)
  for (const [status, name] of refusals)
    if (!common.has(status) && status !== '404')
      own.push(`    ${status}: async () => notWritten('${id}'), // ${name}`)
  const entry = `  ${id}: {\n${own.join('\n')}\n  },\n`
  const begin = text.indexOf('const ways: Ways = {')
  const end = text.indexOf('\n}\n', begin)
  if (begin < 0 || end < 0) throw new Error(`${ways} has no table of ways`)
  const isImported = !entry.includes('notWritten') || /import .*\bnotWritten\b/.test(text)
  const imports = isImported ? '' : `import { notWritten } from '../../src/engine/index.ts'\n`
  return `${imports}${text.slice(0, end + 1)}${entry}${text.slice(end + 1)}`
}
