import type { ErrorObject } from 'ajv'
import type { Decoded } from './fields.ts'

/** Under which a decoded part keeps what its validation is to know; Fastify copies objects of header fields. */
const decoding = Symbol('decoding')

/** The values of a decoded part. */
export function partOf({ values, ...found }: Decoded): object {
  const isPlain = found.faults.length === 0 && found.spread.length === 0
  return isPlain ? values : Object.assign(values, { [decoding]: found })
}

/**
 * The errors of a decoded part: first those of its decoding, then those of its schema that do not follow from them. A
 * property that was sent by its own name is named without the object that it belongs to.
 */
export function errorsOfPart(
  part: unknown,
  validate: (part: unknown) => readonly ErrorObject[],
): readonly ErrorObject[] {
  if (typeof part !== 'object' || part === null || !(decoding in part)) return validate(part)
  const { faults, spread } = part[decoding] as Omit<Decoded, 'values'> // as it was put there
  const own = faults.map(({ path: instancePath, message }): ErrorObject => {
    return { instancePath, message, keyword: 'decoding', schemaPath: '', params: {} }
  })
  if (faults.some(({ path }) => path === '')) return own
  const undecoded = new Set(faults.map(({ path }) => path.split('/', 2)[1]))
  const others = validate(part).filter(({ instancePath, keyword, params }) => {
    const [, first = keyword === 'required' ? String(params.missingProperty) : ''] = instancePath.split(
      '/',
      2,
    )
    return !undecoded.has(first)
  })
  return [...own, ...others.map(error => withoutHolder(error, spread))]
}

function withoutHolder(error: ErrorObject, spread: readonly string[]): ErrorObject {
  const [, first = '', ...rest] = error.instancePath.split('/')
  if (!spread.includes(first)) return error
  return { ...error, instancePath: rest.map(name => `/${name}`).join('') }
}
