import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { type Coding, codings } from './etag.ts'

/** How much work a coding is worth: `quick` for what is sent once, `best` for what is sent often. */
export type Effort = 'quick' | 'best'

type Coder = (bytes: Buffer, effort: Effort) => Promise<Buffer>

const [br, zstd, gz] = [promisify(brotliCompress), promisify(zstdCompress), promisify(gzip)]

/** All of them work on threads of Node's pool. At best, 1.7 MB of script take 0.1 s; levels above take 30 times that. */
const coders: Record<Coding, Coder> = {
  br: (bytes, effort) =>
    br(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: effort === 'best' ? 9 : 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes, effort) =>
    zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: effort === 'best' ? 12 : 3 } }),
  gzip: (bytes, effort) => gz(bytes, { level: effort === 'best' ? 9 : 6 }),
}

/**
 * The coding that a client likes best, ours first among equals; null for none at all. Where all that is left is refused,
 * the field is disregarded (RFC 9110, sections 12.4.1 and 12.5.3).
 */
export function preferredCoding(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined || acceptEncoding === '') return null
  const weights = weightsIn(acceptEncoding)
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  let best: Coding | null = null
  for (const coding of codings) if (weightOf(coding) > (best ? weightOf(best) : 0)) best = coding
  return best && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null
}

/** The quality value of each member of the list; one that is no number from 0 to 1 refuses. */
function weightsIn(list: string): Map<string, number> {
  return new Map(
    list
      .toLowerCase()
      .split(',')
      .map(member => {
        const [name = '', ...parameters] = member.split(';').map(part => part.trim())
        const quality = parameters.find(parameter => /^q\s*=/.test(parameter))
        const weight =
          quality === undefined ? 1 : Number(quality.slice(quality.indexOf('=') + 1) || Number.NaN)
        return [name.replace(/^x-gzip$/, 'gzip'), weight >= 0 && weight <= 1 ? weight : 0]
      }),
  )
}

/** Replies compressed at once at most, over all requests: a queue of them would hold their texts in memory. */
const atOnce = 4
let underWay = 0

/** The bytes in a coding; null when so much is under way that they had better go out as they are. */
async function encodeOnce(bytes: Buffer, coding: Coding): Promise<Buffer | null> {
  if (underWay >= atOnce) return null
  underWay++
  try {
    return await coders[coding](bytes, 'quick')
  } finally {
    underWay--
  }
}

/** Content that is sent many times, with the codings that have been asked for so far. */
const lasting = new WeakMap<Buffer, { effort: Effort; coded: Map<Coding, Promise<Buffer | null>> }>()

/** Marks content that is sent many times: each coding of it is made once, when it is first asked for. */
export function keepCodings(bytes: Buffer, effort: Effort): Buffer {
  lasting.set(bytes, { effort, coded: new Map() })
  return bytes
}

/** The content in a coding; null when it had better go out as it is. */
export async function encode(content: string | Buffer, coding: Coding): Promise<Buffer | null> {
  const kept = typeof content === 'string' ? undefined : lasting.get(content)
  if (typeof content === 'string' || !kept) return encodeOnce(Buffer.from(content), coding)
  const known = kept.coded.get(coding)
  if (known) return known
  const making = kept.effort === 'best' ? coders[coding](content, 'best') : encodeOnce(content, coding)
  kept.coded.set(coding, making)
  // What could not be made is tried again next time.
  const made = await making.catch(() => null)
  if (made === null) kept.coded.delete(coding)
  return made
}
