import { packageName } from 'spec-served/internal/command/project'
import { codesOf, type Model, type OperationModel } from 'spec-served-document/model'
import { commentText, reservedWords, stringLiteral } from 'spec-served-document/reading/literals'
import type { FoundHandler } from './found.ts'

/** Files of `src/handlers` that hold no handlers. */
const taken = new Set(['handler', 'not-written', 'dates', 'refusals', 'replacement'])

/** Whether no constant may be called by a name here. */
const isTaken = (name: string) => reservedWords.has(name) || name === 'Handler' || name === 'stub'

/** A handler that is still to be written, and where. */
export interface Stub {
  operation: OperationModel
  /** within `src/handlers` */
  file: string
  name: string
}

/** A stub for each operation that has no handler, beside those of its tag. */
export function stubsFor(model: Model, found: readonly FoundHandler[]): Stub[] {
  const names = new Set(found.map(({ file, name }) => `${file} ${name}`))
  const homes = homesOf(model, found)
  const written = new Set(found.map(({ operation }) => operation))
  return model.operations
    .filter(({ id }) => !written.has(id))
    .map(operation => {
      const [tag] = operation.operation.tags
      const file = homes.get(tag ?? '') ?? fileFor(tag)
      let name = nameFor(operation.id)
      while (names.has(`${file} ${name}`)) name += '_'
      names.add(`${file} ${name}`)
      return { operation, file, name }
    })
}

/** Returns the file with the first handler of each tag. */
function homesOf(model: Model, found: readonly FoundHandler[]): Map<string, string> {
  const homes = new Map<string, string>()
  for (const { operation, file } of found) {
    const [tag] = model.operation(operation)?.operation.tags ?? []
    if (tag !== undefined && !homes.has(tag)) homes.set(tag, file)
  }
  return homes
}

function fileFor(tag: string | undefined): string {
  const words = (tag ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const name = words.join('-').slice(0, 60)
  if (name === '') return 'untagged.ts'
  return `${name}${taken.has(name) ? '-operations' : ''}.ts`
}

function nameFor(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_$]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')
  if (name === '') return 'operation'
  return /^\d/.test(name) || isTaken(name) ? `${/^\d/.test(name) ? '_' : ''}${name}_` : name
}

/** A file with stubs behind its own text. */
export function withStubs(text: string, stubs: readonly Stub[]): string {
  const imports = [
    ...(/import .*\bstub\b/.test(text) ? [] : [`import { stub } from '${packageName}'\n`]),
    ...(/import .*\bHandler\b/.test(text) ? [] : [`import type { Handler } from './handler.ts'\n`]),
  ]
  const end = [...text.matchAll(/^(import .*|\} from .*)\n/gm)].at(-1)
  const offset = end ? end.index + end[0].length : 0
  return `${text.slice(0, offset)}${imports.join('')}${text.slice(offset)}${stubs.map(textOf).join('')}`
}

const textOf = ({ operation, name }: Pick<Stub, 'operation' | 'name'>) =>
  `\n${commentOn(operation)}${declared(name, stringLiteral(operation.id))}\n`

/** Whether a file has a stub just as it was written. */
export const hasStub = (text: string, stub: Pick<Stub, 'operation' | 'name'>): boolean =>
  text.includes(textOf(stub))

/** A file without stubs that it has, and without the imports that only they needed; '' if nothing else is left. */
export function withoutStubs(text: string, stubs: readonly Pick<Stub, 'operation' | 'name'>[]): string {
  const left = stubs.reduce((rest, stub) => rest.replace(textOf(stub), () => ''), text)
  const imports = [`import { stub } from '${packageName}'\n`, `import type { Handler } from './handler.ts'\n`]
  const neededImports = imports.filter(line => {
    const [name = ''] = /\b(stub|Handler)\b/.exec(line) ?? []
    return !new RegExp(`\\b${name}\\b`).test(left.replace(line, ''))
  })
  const bare = neededImports.reduce((rest, line) => rest.replace(line, ''), left)
  return bare.trim() === '' ? '' : bare
}

/** The longest line that the formatter leaves as it is. */
const longest = 110

/** A stub as the formatter has it. */
function declared(name: string, id: string): string {
  const head = `export const ${name}: Handler<${id}> =`
  if (`${head} stub(${id})`.length <= longest) return `${head} stub(${id})`
  return `${head} stub(`.length <= longest ? `${head} stub(\n  ${id},\n)` : `${head}\n  stub(${id})`
}

/** The statuses by which handlers refuse, and the service itself does not. */
const refusing = new Set(['402', '404', '409', '412', '418', '422', '423', '424', '451'])

/** Says what the operation does, and what its handler refuses with where the document names no codes. */
function commentOn({ operation, method, path, responses }: OperationModel): string {
  const text = commentText(operation.summary ?? `${method} ${path}`)
  const isCoded = [...responses.values()].some(response => codesOf(response).length > 0)
  const refusalResponse = isCoded ? undefined : [...responses].find(([status]) => refusing.has(status))
  const refusal =
    refusalResponse && `{ status: ${refusalResponse[0]}${refusalResponse[1].content ? ', body: { … }' : ''} }`
  return `/** ${text}${/[.!?…]$/.test(text) ? '' : '.'}${refusal ? ` It refuses by \`${refusal}\`.` : ''} */\n`
}
