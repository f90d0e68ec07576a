import type { ErrorObject } from 'ajv'
import type { Fault } from './faults.ts'

/** Stands for a body that has no value, until it is validated. */
export class Undecodable {
  readonly faults: readonly Fault[]
  constructor(faults: readonly Fault[]) {
    this.faults = faults
  }
}

/** What decoding has found out of a part of a request besides its value. */
interface Decoding {
  /** what could not be decoded, with paths that begin at the part */
  faults: readonly Fault[]
  /** the objects whose properties were sent by their own names */
  spread: readonly string[]
}

/** Under which a decoded part keeps it, until the part is validated. */
const decoding = Symbol('decoding')

const nothing: Decoding = { faults: [], spread: [] }

/** Keeps with a decoded part what its validation is to know. */
export function withDecoding<Part extends object>(
  part: Part,
  { faults, spread = [] }: Partial<Decoding>,
): Part {
  if (faults?.length || spread.length > 0)
    Object.assign(part, { [decoding]: { faults: faults ?? [], spread } })
  return part
}

function decodingOf(part: unknown): Decoding {
  if (typeof part !== 'object' || part === null || !(decoding in part)) return nothing
  return part[decoding] as Decoding // as it was put there
}

/**
 * The errors of a decoded part: first those of its decoding, then those of its schema that do not follow from them. A
 * property that was sent by its own name is named without the object that it belongs to.
 */
export function errorsOfPart(
  part: unknown,
  validate: (part: unknown) => readonly ErrorObject[],
): ErrorObject[] {
  if (part instanceof Undecodable) return part.faults.map(({ path, message }) => errorAt(path, message))
  const { faults, spread } = decodingOf(part)
  const own = faults.map(({ path, message }) => errorAt(path, message))
  if (faults.some(({ path }) => path === '')) return own
  const undecoded = new Set(faults.map(({ path }) => path.split('/', 2)[1]))
  const schemaErrors = validate(part).filter(error => !undecoded.has(nameIn(error)))
  return [...own, ...schemaErrors.map(error => withoutHolder(error, spread))]
}

const errorAt = (instancePath: string, message: string): ErrorObject => ({
  instancePath,
  message,
  keyword: 'decoding',
  schemaPath: '',
  params: {},
})

/** The name of the value that an error is about, as it stands in its path. */
function nameIn({ instancePath, keyword, params }: ErrorObject): string | undefined {
  const [, first] = instancePath.split('/', 2)
  return first ?? (keyword === 'required' ? String(params.missingProperty) : undefined)
}

function withoutHolder(error: ErrorObject, spread: readonly string[]): ErrorObject {
  const [, first = '', ...rest] = error.instancePath.split('/')
  if (!spread.includes(first)) return error
  return { ...error, instancePath: rest.map(name => `/${name}`).join('') }
}
