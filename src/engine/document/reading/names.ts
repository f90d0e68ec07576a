import { fileURLToPath } from 'node:url'
import { isObject, lookUp } from '../pointer.ts'
import { likest } from '../spelling.ts'
import type { Located } from './fault.ts'
import { referenceTo } from './nodes.ts'

/** Returns the remedy for a path that leads nowhere: it names the path that was probably meant. */
export function meantBy({ source, path }: Located): string {
  const siblings = lookUp(source.value, path.slice(0, -1))
  const meant = likest(path.at(-1) ?? '', isObject(siblings) ? Object.keys(siblings) : [])
  return meant === undefined ? 'describe it there' : `write ${referenceTo([...path.slice(0, -1), meant])}`
}

/** A name without its percent-encoding, as far as it has one. */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A component's name after where it was found. */
export function suggestName({ source, path }: Located): string {
  const [kind, group, ...rest] = path
  const words = kind === 'components' && group !== undefined ? rest : path.slice(-2)
  const file = source.file.slice(Math.max(source.file.lastIndexOf('/'), source.file.lastIndexOf('\\')) + 1)
  const text = words.length > 0 ? words.join('_') : file.replace(/\.\w+$/, '')
  return text.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^_+|_+$/g, '') || 'part'
}

/** The path of a file by its URI; none where the URI is none of a file. */
export function filesOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)]
  } catch {
    return []
  }
}
