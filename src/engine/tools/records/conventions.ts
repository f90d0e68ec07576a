import { type EngineResponse, engineResponses } from 'spec-served/internal/errors/refusals'
import { isObject } from 'spec-served-document/pointer'

/*
 * All that the check knows beyond OpenAPI and the document's own extensions: what names stand for. Whoever writes a
 * document in other words changes them here and nowhere else; a document that lacks a name is not asked for what it means.
 */

/** Header fields by their meaning, in lower case, as they are held in requests and replies. */
export const fields = {
  /** repeats a request (draft-ietf-httpapi-idempotency-key-header) */
  retryKey: 'idempotency-key',
  /** marks a reply that was given before */
  replayed: 'idempotent-replayed',
  requestId: 'x-request-id',
  stability: 'x-stability',
  /** of the window that will stop the caller first */
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
  /** draft-ietf-httpapi-ratelimit-headers */
  windows: 'ratelimit',
  policy: 'ratelimit-policy',
  /** the media types of a PATCH (RFC 5789, section 3.1) */
  acceptPatch: 'accept-patch',
} as const

/** The header field of a mock's replies. */
export const mockField = 'x-mock'

/** The property that identifies a record, and the parameter for several of them. */
export const identifier = { one: 'id', several: 'ids' } as const

/** Properties by which people know records. */
export const keyName =
  /^(id|uuid|code|key|slug|name|number|handle|ref(erence)?|sku|symbol)$|(_id|Id|_code|Code)$/

/** Whether a property identifies the records of a list by its usual name: `_id`, `uuid`, or `bookId` of `/books`. */
export function isUsualIdentifier(property: string, list: string): boolean {
  const [, kind] = /^(.*?)[_-]?(?:id|uuid|guid)$/i.exec(property) ?? []
  if (kind === undefined) return false
  const plain = kind.replace(/[_-]/g, '').toLowerCase()
  const lastSegment = list.split('/').at(-1)?.replace(/[_-]/g, '').toLowerCase() ?? ''
  return plain.length < 2 ? plain === '' : lastSegment.startsWith(plain.slice(0, -1))
}

/** The name of a record that a property refers to by its identifier: `customer` of `customerId` and `customer_uuid`. */
export const referredIn = (property: string): string | undefined =>
  /^(.+?)(?:_(?:id|uuid|guid)|(?:Id|Uuid|UUID|Guid|ID))$/.exec(property)?.[1]

/** Whether a name ends with the name of one record of a list: `from_location` of `/locations`, `category` of `/categories`. */
export function isOneOf(list: string, name: string): boolean {
  const plain = (text: string) =>
    text
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[_-]+/)
  const segment = plain(withoutEnd(list).split('/').at(-1) ?? '').join('_')
  const words = plain(name)
  return words.some((_, index) => {
    const last = words.slice(index).join('_')
    return [last, `${last}s`, `${last}es`, last.replace(/y$/, 'ies')].includes(segment)
  })
}

/** The words of a name or of a text, in lower case: `hive`, `id` of `hiveId` and `hive_id`. */
export const wordsIn = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Names of the start and of the end of a span of time. */
export const startOfSpan = (name: string) =>
  wordsIn(name).some(word =>
    /^(from|start(s|ed|ing)?|begin(s|ning)?|began|since|open(s|ed)?|arriv(al|es)|checkin)$/.test(word),
  )
export const endOfSpan = (name: string) =>
  wordsIn(name).some(word =>
    /^(to|until|till|end(s|ed|ing)?|close(s|d)?|departures?|leaves|checkout)$/.test(word),
  )

/** A path or its template without a slash at its end: `/pets/` lists what `/pets/{petId}` names. */
export const withoutEnd = (path: string) => path.replace(/(?<=.)\/$/, '')

/** Credentials that nobody was given: one in the form of ours, and a text that is none. */
export const unknownCredentials = ['0'.repeat(45), 'key'] as const

/** The field of credentials where the document names none, in lower case. */
export const usualKeyField = 'x-api-key'

/** Query parameters of lists; the cursor that follows comes in `x-next-` and the name of its parameter. */
export const parameters = { limit: 'limit', cursor: 'cursor', sort: 'sort' } as const

/** Query parameters that say how many items a list may have. */
export const pageSize = /^(limit|per_?page|page_?size|max_?results)$/i

/** Query parameters that say how many items, or pages, come before the first. */
export const offset = /^(offset|skip)$/i
export const pageNumber = /^page(_?(number|index))?$/i

/** Properties of a list that say whether a page follows, where it is, or what leads to it. */
export const nextPageName = /^next|^@odata\.nextLink$|(end|next|continuation)_?(cursor|token)|^cursor$/i
export const hasNextName = /^has_?(more|next(_?page)?)$/i

/** The number of all items of a list, in a reply that may show a part of them. */
export const totalName = /^total(_?(count|items|results|records|elements|hits))?$/i
export const totalField = 'x-total-count'
/** Properties of a reply that hold the items of a list, where it has several lists. */
export const itemsName = /^(items|data|results?|records|content|values?|entries|rows|hits|documents)$/i

/** The ways of writing an order: a sign before the name of a property, or a word after it. */
export const sortOrderOf = (value: string): { property: string; direction: 'up' | 'down' | undefined } => {
  const [, sign = '', property = value, word = ''] =
    /^([-+]?)(.+?)(?:[\s_.:,-]?(asc|desc|ascending|descending))?$/i.exec(value) ?? []
  const isDown = sign === '-' || /^desc/i.test(word)
  return { property, direction: isDown ? 'down' : sign || word ? 'up' : undefined }
}

/** Query parameters that say by which property a list is ordered. */
export const ordering = /^(sort|order|sort_?by|order_?by|ordering)$/i

/** Whether a name is another one, however both are written: `petId`, `pet_id`. */
export const isSameName = (wanted: string) => {
  const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()
  return (name: string) => plain(name) === plain(wanted)
}

/** Properties that no reply has, unless the document says so. */
export const password = /pass(word|wd|phrase)/i

/** Parameters whose values only the service makes, so that another value may be refused. */
export const madeByService = /^((starting|ending)_?)?(cursor|after|before)$|(page|next|continuation)_?token$/i

/** The header field that has the value for a parameter which leads on to the next page. */
export const nextIn = (parameter: string) => `x-next-${parameter}`.toLowerCase()

/** Properties of the records that are credentials, and of what is asked of them. */
export const credential = {
  secret: 'secret',
  /** the first characters of the secret, and an ellipsis */
  preview: 'preview',
  plan: 'plan',
  quotas: 'quotas',
  scopes: 'scopes',
  expiresAt: 'expiresAt',
  disabled: 'disabled',
  /** for how many hours a secret stays valid beside the next one */
  overlapHours: 'overlapHours',
  /** until when it does */
  previousSecretExpiresAt: 'previousSecretExpiresAt',
  bannedUntil: 'bannedUntil',
} as const

/** The properties of a health reply, and of each dependency in it. */
export const health = {
  status: 'status',
  /** of the interface: that of the document */
  version: 'version',
  dependencies: 'dependencies',
  warnings: 'warnings',
  /** from the best to the worst; with the last one the service does not work */
  states: ['ok', 'degraded', 'unavailable'],
} as const

/** The address at which load balancers ask whether a service can serve. */
export const readiness = '/readyz'

/** How texts are compared, as the guide says it: without regard to case and to how characters are composed. */
export const foldText = (text: string) =>
  text.normalize('NFD').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFD')

/** Pairs of texts that are the same to a reader. They differ in case, composition, or number of letters. */
export const sameTexts = [
  ['\u00c9clair', 'e\u0301CLAIR'],
  ['Stra\u00dfe', 'STRASSE'],
  ['ΟΔΟΣ', 'οδος'],
  ['\ufb01ne', 'FINE'],
] as const

/**
 * Texts, and one with which only the first begins. White space counts, and so do the last characters of Unicode. A
 * raised digit is another character.
 */
export const begunTexts = [
  { texts: ['Ab c', 'Abc'], beginning: 'Ab ' },
  { texts: [' ab', 'ab'], beginning: ' A' },
  { texts: ['\ud7ffb', '\ue000b'], beginning: '\ud7ff' },
  { texts: ['be\u{10ffff}', 'bf'], beginning: 'Be' },
  { texts: ['x2', 'x\u00b2'], beginning: 'X2' },
  { texts: ['\u{10ffff}b', '\u{10fffe}b'], beginning: '\u{10ffff}' },
] as const

/** How long a change of a credential may take to count in other servers, in seconds. */
export const changeCounts = 5

/** When a record was made. */
export const createdAt = 'createdAt'

/** Properties of a record that change when it is used, at whatever time that is written. */
export const changedByUse: ReadonlySet<string> = new Set(['lastUsedAt'])

/** The properties of a reply about a caller's own limits, and of each of its windows. */
export const usage = {
  windows: 'windows',
  window: { name: 'name', limit: 'limit', remaining: 'remaining', reset: 'reset' },
  /** how often it has called deprecated operations */
  deprecated: 'deprecated',
  use: { operationId: 'operationId', calls: 'calls', sunset: 'sunset' },
} as const

/** How a request is refused. */
export interface Refusal {
  status: number
  code: string
}

const by = ({ status, codes: allCodes }: EngineResponse, code = allCodes[0] ?? ''): Refusal => ({
  status,
  code,
})
const { Forbidden } = engineResponses

/** The codes of refusals that any operation may meet, and the status of each. */
export const codes = {
  invalid: by(engineResponses.InvalidRequest),
  unauthenticated: by(engineResponses.Unauthenticated),
  scope: by(Forbidden, 'insufficient_scope'),
  keyBanned: by(Forbidden, 'api_key_banned'),
  addressBanned: by(Forbidden, 'address_banned'),
  limited: by(engineResponses.RateLimited),
  notFound: by(engineResponses.NotFound),
  method: by(engineResponses.MethodNotAllowed),
  timeout: by(engineResponses.RequestTimeout),
  fieldsTooLarge: by(engineResponses.HeaderFieldsTooLarge),
  ended: by(engineResponses.Gone),
  version: { status: 412, code: 'precondition_failed' },
  tooLarge: by(engineResponses.PayloadTooLarge),
  tooLong: by(engineResponses.UriTooLong),
  mediaType: by(engineResponses.UnsupportedMediaType),
  running: by(engineResponses.InFlight),
  reused: by(engineResponses.IdempotencyKeyReused),
  sealed: by(engineResponses.SecretNotRepeated),
  /** no other credential could issue and change credentials for so long */
  lastAdministrator: { status: 409, code: 'last_admin_key' },
  internal: by(engineResponses.InternalError),
  unavailable: by(engineResponses.Unavailable),
} as const satisfies Record<string, Refusal>

/** A request id that is kept: others are replaced. */
export const saneRequestId = /^[\w.:-]{1,128}$/

/** The most faults that a refusal of a body names. */
export const mostDetails = 100

/** Header fields that differ from one reply to the next of the same content. */
export const changesByItself = /^(date|x-request-id|x-ratelimit-.*|ratelimit.*|retry-after)$/

/** The guide's rule for compression: content of at least `worth` bytes is coded if the client asks for it. */
export const compression = { codings: ['br', 'zstd', 'gzip'], worth: 1_536 } as const

/** Beside the operations of `x-quota-free`, what the guide says costs no quota: the docs, and the document. */
export const freePaths = ['/openapi.json', '/openapi.yaml', '/docs', '/docs/llms.txt'] as const

/** OPTIONS and the docs cost nothing up to a bound, which is lower than so many requests of a caller in a minute. */
export const mostFree = 1_000

/** Windows of limits so long outlive a restart of the service, in seconds. */
export const lasting = 3_600

/** An error's code, by which programs go. */
export function codeIn(reply: unknown): string | undefined {
  return isObject(reply) && typeof reply.code === 'string' && 'message' in reply ? reply.code : undefined
}

/** Returns the JSON Pointers (RFC 6901) at which an error says that the request is wrong. */
export function pointersIn(reply: unknown): string[] {
  const details: unknown = isObject(reply) ? reply.details : undefined
  if (!Array.isArray(details)) return []
  return details.flatMap(detail => (isObject(detail) && typeof detail.path === 'string' ? [detail.path] : []))
}
