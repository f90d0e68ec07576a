import type { ErrorObject } from 'ajv'

/** What is wrong with a value of a request, and where: a JSON Pointer (RFC 6901), `/query/limit` for a parameter. */
export interface Fault {
  path: string
  message: string
}

/** At most this many characters of what a caller sent are repeated at a time. */
const excerptLimit = 200

/** The beginning of a text that came from a caller, in well-formed Unicode, fit to be repeated in a reply. */
export function excerpt(text: string): string {
  if (text.length <= excerptLimit) return text.toWellFormed()
  // Neither a surrogate pair nor an escape of a JSON Pointer is cut in two.
  return `${text.slice(0, excerptLimit).replace(/[\ud800-\udbff]$|~$/, '')}…`.toWellFormed()
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The pointer to what is named below another; cut early, as a name may be as long as a body. */
export function within(path: string, name: string): string {
  return `${path}/${escapePointer(excerpt(name))}`
}

/**
 * The faults of a text that not every database stores faithfully: NUL characters, lone surrogates, and the byte order
 * mark at the beginning, which PGlite drops as it reads.
 */
export function badText(text: string, path: string): Fault[] {
  if (text.includes('\0')) return [{ path, message: 'must not hold a NUL character' }]
  if (text.startsWith('\ufeff')) return [{ path, message: 'must not begin with a byte order mark (U+FEFF)' }]
  return text.isWellFormed() ? [] : [{ path, message: 'must not hold a lone surrogate' }]
}

/** Ajv's errors, one a fault. */
export function describe(errors: readonly ErrorObject[]): Fault[] {
  return errors.map(({ instancePath, keyword, params, message = 'is not valid' }) => {
    switch (keyword) {
      case 'required':
        return { path: within(instancePath, params.missingProperty), message: 'is required' }
      case 'additionalProperties':
        return { path: within(instancePath, params.additionalProperty), message: 'is not known' }
      case 'enum':
        return { path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` }
      case 'type':
        return { path: instancePath, message: `must be ${[params.type].flat().join(' or ')}` }
      default:
        return { path: instancePath, message }
    }
  })
}
