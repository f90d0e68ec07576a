import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failureText } from 'spec-served-document/visible-text'

/**
 * Loads a project's code.
 * @throws Error with the file of the project, and what to do there
 */
export async function loading<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw missingFile(error) ?? faultyFile(error) ?? error
  }
}

/** A file of the project that another one imports and nobody finds. A missing package has a message of its own. */
function missingFile(error: unknown): Error | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error)
  if (code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const [, file, importer] = /^Cannot find module '(.+)' imported from (.+)$/.exec(String(message)) ?? []
  if (file === undefined || importer === undefined) return undefined
  const [missing, from] = [file, importer].map(path => relative('.', path))
  const text = `${missing} is missing, which ${from} imports: restore it, or correct the import. \`npx spec-served generate\` writes stubs for missing handlers.`
  return new Error(text, { cause: error })
}

function faultyFile(error: unknown): Error | undefined {
  const place = placeOf(error)
  if (place === undefined || Object(error).code === 'ERR_MODULE_NOT_FOUND') return undefined
  return new Error(`${place} ${failureText(error)}: correct it there.`, { cause: error })
}

/** Returns the file of the project and the line where an error came about, by its stack. */
function placeOf(error: unknown): string | undefined {
  const { stack = '' }: { stack?: string } = Object(error)
  const places = [...stack.matchAll(/file:\/\/[^\s()]+?:\d+/g)].flatMap(([place]) => {
    const end = place.lastIndexOf(':')
    const file = relative('.', fileURLToPath(place.slice(0, end)))
    return file.startsWith('..') || file.includes('node_modules') ? [] : [file + place.slice(end)]
  })
  return places[0]
}
