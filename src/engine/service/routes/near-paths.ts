import type { Model } from 'spec-served-document/model'
import { likest } from 'spec-served-document/spelling'

/** The most segments of a path for which a similar path is looked for. */
const mostSegments = 16
/** The most paths of one length that are compared: more would hold up other requests. */
const mostPaths = 300
/** A first segment that callers add, or forget. */
const prefix = /^(api|v\d+)$/i

/**
 * Returns a function that finds the path which a caller probably meant. It differs in case, in a few letters, in slashes, or
 * in what stands before all paths. Parameters keep the values of the caller. Undefined: no path is similar.
 */
export function nearPaths(model: Model): (path: string) => string | undefined {
  const templates = Map.groupBy(
    [...new Set(model.operations.map(({ url }) => url))].map(segmentsIn),
    ({ length }) => length,
  )
  const before = segmentsIn(model.basePath)

  function nearest(segments: readonly string[]): string | undefined {
    let found: { path: string; changes: number } | undefined
    const compared = templates.get(segments.length) ?? []
    if (compared.length > mostPaths) return undefined
    for (const template of compared) {
      const meant = template.map((part, index) => {
        const segment = segments[index] ?? ''
        return part.includes('{') ? segment : part === segment ? part : likest(segment, [part])
      })
      if (meant.includes(undefined) || template.every(part => part.includes('{'))) continue
      const changes = meant.filter((part, index) => part !== segments[index]).length
      if (changes < (found?.changes ?? Number.POSITIVE_INFINITY))
        found = { path: `/${meant.join('/')}`, changes }
    }
    return found?.path
  }

  return path => {
    const segments = segmentsIn(path)
    if (segments.length === 0 || segments.length > mostSegments) return undefined
    const [first = '', ...rest] = segments
    const found =
      nearest(segments) ??
      (prefix.test(first) ? nearest(rest) : undefined) ??
      (before.length > 0 ? nearest([...before, ...segments]) : undefined)
    return found === path ? undefined : found
  }
}

const segmentsIn = (path: string) => path.split('/').filter(segment => segment !== '')
