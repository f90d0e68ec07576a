import type { Fault } from './faults.ts'
import type { Decoded } from './fields.ts'

/** Under which a decoded part keeps what its validation is to know; Fastify copies objects of header fields. */
const decoding = Symbol('decoding')

/** The values of a decoded part. */
export function partOf({ values, ...found }: Decoded): object {
  const isPlain = found.faults.length === 0 && found.spread.length === 0
  return isPlain ? values : Object.assign(values, { [decoding]: found })
}

/**
 * The faults of a decoded part: first those of its decoding, then those of its schema that do not follow from them. A
 * property that was sent by its own name is named without the object that it belongs to.
 * @param check by its schema
 */
export function faultsOfPart(part: unknown, check: (part: unknown) => readonly Fault[]): readonly Fault[] {
  if (typeof part !== 'object' || part === null || !(decoding in part)) return check(part)
  const { faults, spread } = part[decoding] as Omit<Decoded, 'values'> // as it was put there
  if (faults.some(({ path }) => path === '')) return faults
  const undecoded = new Set(faults.map(nameIn))
  const others = check(part).filter(fault => !undecoded.has(nameIn(fault)))
  const named = others.map(fault => {
    const isHeld = spread.includes(nameIn(fault) ?? '')
    return isHeld ? { ...fault, path: fault.path.replace(/^\/[^/]*/, '') } : fault
  })
  return [...faults, ...named]
}

const nameIn = ({ path }: Fault) => path.split('/', 2)[1]
