import { readdir, readFile } from 'node:fs/promises'

/** The directory of the handlers, with one file a tag. */
export const directory = 'src/handlers'

/** A handler as it stands in the code. */
export interface FoundHandler {
  operation: string
  /** the name that it is exported by */
  name: string
  /** within `src/handlers` */
  file: string
  line: number
}

const declaration =
  /^export const ([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*:\s*Handler<\s*'((?:[^'\\\n]|\\.)+)'/gmu

/** Finds the handlers by the operations that their types name. */
export async function findHandlers(): Promise<FoundHandler[]> {
  const names = (await readdir(directory)).filter(name => name.endsWith('.ts')).sort()
  const found = names.map(async file => handlersIn(await readFile(`${directory}/${file}`, 'utf8'), file))
  return (await Promise.all(found)).flat()
}

function handlersIn(text: string, file: string): FoundHandler[] {
  return [...text.matchAll(declaration)].map(match => {
    const [, name = '', operation = ''] = match
    return {
      operation: operation.replace(/\\(.)/g, '$1'),
      name,
      file,
      line: text.slice(0, match.index).split('\n').length,
    }
  })
}
