import { stringLiteral } from 'spec-served-document/reading/literals'
import type { FoundHandler } from './found.ts'

const header = '// Generated from src/handlers by `npm run generate`: a handler for each operation.'

/** The file of the table of handlers. */
export const tableFile = 'src/generated/handlers.ts'

/**
 * The table of all handlers.
 * @param ids the operations, in the order of the document
 */
export function tableOf(ids: readonly string[], found: readonly FoundHandler[]): string {
  const handlers = new Map(found.toReversed().map(handler => [handler.operation, handler]))
  const used = ids.flatMap(id => handlers.get(id) ?? [])
  const files = [...new Set(used.map(({ file }) => file))].sort()
  const modules = new Map(files.map((file, index) => [file, moduleName(file, index)]))
  const lines = used.map(({ operation, name, file }) => {
    const key = operation === '__proto__' ? `['__proto__']` : stringLiteral(operation)
    return `  ${key}: ${modules.get(file)}.${name},`
  })
  return [
    header,
    ...files.map(file => `import * as ${modules.get(file)} from '../handlers/${file}'`),
    `import type { Handlers } from '../handlers/handler.ts'`,
    '',
    '/** The handler of each operation. A missing one, a surplus one or one of a wrong type does not compile. */',
    'export const handlers = {',
    ...lines,
    '} satisfies Handlers',
    '',
  ].join('\n')
}

/** `api-keys.ts` as `apiKeys`; a file whose name says nothing to a program has a number. */
function moduleName(file: string, index: number): string {
  const words = file.replace(/\.ts$/, '').split('-')
  const name = words
    .map((word, position) => (position === 0 ? word : word.replace(/^./, c => c.toUpperCase())))
    .join('')
  return /^[A-Za-z]\w*$/.test(name) ? `${name}Handlers` : `handlers${index}`
}
