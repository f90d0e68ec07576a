import { operationsIn } from '../model.ts'
import type { OpenApi } from '../types.ts'
import type { Draft, Routed } from './draft.ts'

/** The names of the parameters in a path. */
export const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{([^{}/]+)\}/g)].map(match => match[1] ?? '')

/** Yields the faults of paths, and the paths that no request can tell apart. */
export function* findPathFaults(paths: OpenApi['paths']): Generator<{ path: string; message: string }> {
  const alike = new Map<string, string[]>()
  for (const [path, item] of Object.entries(paths)) {
    for (const message of faultsOf(path)) yield { path, message }
    const shape = unescaped(path.replace(/\{[^{}/]+\}/g, '{}'))
    const others = alike.get(shape) ?? []
    for (const other of others)
      for (const { method } of operationsIn(item))
        if (operationsIn(paths[other] ?? {}).some(operation => operation.method === method))
          yield { path, message: `No ${method} can tell this path from ${other}: leave one of them.` }
    alike.set(shape, [...others, path])
  }
}

function faultsOf(path: string): string[] {
  const names = namesIn(path)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  const rules: [isBroken: boolean, message: string][] = [
    [!path.startsWith('/'), `A path begins with a slash: write /${path.replace(/^[\s/]+/, '')}.`],
    [
      /(^|\/)\.\.?(\/|$)/.test(unescaped(path)),
      'No client asks for a path with . or .. in it (RFC 3986, section 5.2.4): leave these segments out.',
    ],
    [
      leadsElsewhere(path),
      'Clients read a path that begins with // as another host (RFC 3986, section 4.2): begin it with one slash.',
    ],
    [
      /[{}]/.test(path.replace(/\{[^{}/]+\}/g, '')),
      'The braces of this path do not match: write each parameter as {name}.',
    ],
    [repeated !== undefined, `The path names ${repeated} twice: give one of them another name.`],
  ]
  return rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []))
}

/** Whether a client that resolves a path asks another host. It takes \\ for a slash, and leaves out tabs (URL standard, 4.4). */
const leadsElsewhere = (path: string) => /^\/[\t\n\r]*[/\\]/.test(path)

/** A path as it reads without its escapes, but for slashes. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '%252f'))
  } catch {
    return path
  }
}

/** `getPetsByPetId` for GET /pets/{petId}. */
export function derivedId(method: string, path: string): string {
  const words = path.split('/').flatMap(segment => {
    const by = segment.startsWith('{') ? ['by'] : []
    return [...by, ...segment.split(/[^A-Za-z0-9]+/)].filter(Boolean)
  })
  const verb = method.toLowerCase().replace(/[^a-z]/g, '')
  return [verb, ...words.map(word => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

/**
 * Moves operations at paths with a query or a fragment, which only tells them apart, to the path that requests have.
 * An operation that is there already is served, and a note tells of the other.
 */
export function placeWithoutQuery({ document: { paths }, note }: Draft): void {
  for (const [written, item] of Object.entries(paths)) {
    const path = written.replace(/[?#].*$/s, '')
    if (path === written) continue
    const { parameters }: Routed['item'] = item
    const target: Routed['item'] = paths[path] ?? { ...(parameters && { parameters }) }
    const taken = operationsIn(target).map(({ method }) => method)
    for (const { method, place, operation } of operationsIn(item)) {
      const shown = `${method} ${path}`
      if (taken.includes(method)) {
        const message = `No request can tell this from ${shown}, which is there too: it is not served.`
        note(paths, [written], message)
        continue
      }
      const { additionalOperations } = target
      const isOther = place.length > 1
      const others = isOther && { additionalOperations: { ...additionalOperations, [method]: operation } }
      Object.assign(target, others || { [place[0] ?? '']: operation })
      note(paths, [written], `A path has neither a query nor a fragment: this is served as ${shown}.`)
    }
    paths[path] = target
    delete paths[written]
  }
}
