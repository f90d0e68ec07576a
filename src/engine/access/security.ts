import type { Model, OperationModel } from '../../document/model.ts'
import type { SecurityScheme } from '../../document/types.ts'
import { cookiesOf, decoders, pairsOf, queryOf } from '../requests/values.ts'
import type { Holder, HolderId } from './caller.ts'

/** What a client has sent to be known by, under one security scheme (OpenAPI 3.0.3, 4.7.27). */
export interface Credential {
  scheme: string
  scopes: readonly string[]
  /** a key, a token, a user and a password with a colon between them, or what follows the name of another HTTP scheme */
  value: string
}

/** Whose a credential is, or why it is nobody's: the end of the sentence "The API key …". */
export type Found = Holder | { fault: string }

/** Knows the holders of one security scheme's credentials. */
export interface Checker {
  /**
   * @param from the address that sent the credential
   * @throws Error when it can't be told now
   */
  find(credential: Credential, from: string): Found | Promise<Found>
  /** The holder, as far as that is known without asking anybody; absent: it never is. */
  recall?(credential: Credential): Holder | undefined
  /** Is told that something about a holder has changed, which counts from then on. */
  forget?(id: HolderId): void
}

/** By the names of the document's security schemes. */
export type Checkers = Readonly<Record<string, Checker>>

interface CredentialSource {
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A way to be let in to an operation: what must be sent together. */
export type Way = readonly { name: string; scheme: SecurityScheme; scopes: readonly string[] }[]

/** How Authorization names a scheme, in lower case (RFC 9110, section 11.6.2); undefined: it is sent elsewhere. */
export function authorizationOf({ type, scheme = '' }: SecurityScheme): string | undefined {
  if (type === 'apiKey' || type === 'mutualTLS') return undefined
  // Tokens of OAuth 2 and OpenID Connect are bearer tokens (RFC 6750, section 2.1).
  return type === 'http' ? scheme.toLowerCase() : 'bearer'
}

/** A certificate is what a proxy that ends TLS hands on, and lets no client send (RFC 9440, section 2.2). */
const clientCertificate = { in: 'header', name: 'Client-Cert' }

export function schemesOf({ document, resolve }: Model): { name: string; scheme: SecurityScheme }[] {
  const schemes = Object.entries(document.components?.securitySchemes ?? {})
  return schemes.map(([name, declared]) => {
    const scheme = resolve(declared)
    return { name, scheme: scheme.type === 'mutualTLS' ? { ...scheme, ...clientCertificate } : scheme }
  })
}

/**
 * The ways into an operation: one of its requirements must be met (OpenAPI 3.0.3, 4.7.30). An empty one is met by
 * everybody, but tried last, so that a caller who can say who it is does so.
 */
export function waysInto(model: Model, { security }: OperationModel): Way[] {
  const known = new Map(schemesOf(model).map(({ name, scheme }) => [name, scheme]))
  const ways = security.map(requirement =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = known.get(name)
      return scheme ? [{ name, scheme, scopes }] : []
    }),
  )
  return ways.sort((a, b) => Number(a.length === 0) - Number(b.length === 0))
}

/** What to do about schemes that nobody was handed to check: what asks for them would be open, or closed to all. */
export function missingCheckers(model: Model, checkers: Readonly<Record<string, unknown>>): string[] {
  return schemesOf(model).flatMap(({ name, scheme }) => {
    const asking = model.operations.filter(({ security }) => security.some(one => Object.hasOwn(one, name)))
    if (asking.length === 0 || Object.hasOwn(checkers, name)) return []
    const ids = asking.slice(0, 3).map(({ id }) => id)
    const others = asking.length > 3 ? ` and ${asking.length - 3} more` : ''
    return [
      `${ids.join(', ')}${others} ${asking.length === 1 ? 'asks' : 'ask'} for ${name}: hand over a checker of that name, ` +
        `which is given ${wordsFor(scheme).given} and finds who sent it.`,
    ]
  })
}

/** The header field in which a scheme's credentials are sent; undefined where it is none. */
export function fieldOf(scheme: SecurityScheme): string | undefined {
  if (authorizationOf(scheme) !== undefined) return 'Authorization'
  return scheme.in === 'header' ? scheme.name : undefined
}

const wordsForPlace: Readonly<Record<string, string>> = {
  header: '',
  query: 'the query parameter ',
  cookie: 'the cookie ',
}

/** What a scheme's credential is called, how a client is told to send one, what a checker is given, and the challenge. */
export function wordsFor(scheme: SecurityScheme, realm = '') {
  const { in: place = 'header', name, scheme: other = '' } = scheme
  const way = authorizationOf(scheme)
  if (way === undefined)
    return {
      name: scheme.type === 'apiKey' ? 'API key' : 'client certificate',
      toSend: `${scheme.type === 'apiKey' ? 'an API key' : 'a client certificate'} as ${wordsForPlace[place]}${name}`,
      given: `the key in the ${place} ${name}`,
      challenge: `ApiKey realm="${realm}"`,
    }
  let words = [`${other} credentials`, 'your', `the credentials of the HTTP scheme ${other}`, other]
  if (way === 'bearer') words = ['bearer token', 'a', 'a bearer token', 'Bearer']
  if (way === 'basic') words = ['user and password', 'your', 'a user and a password', 'Basic']
  const [own = '', article, given = '', challenge] = words
  const charset = way === 'basic' ? ', charset="UTF-8"' : '' // RFC 7617, section 2.1
  const toSend = `${article} ${own} as Authorization`
  return { name: own, toSend, given, challenge: `${challenge} realm="${realm}"${charset}` }
}

/** Names under which many clients send keys and tokens, whatever a service asks for. */
const usualNames = /^(?:authorization|(?:x[-_]?)?(?:api|access|auth)[-_]?(?:key|token))$/i

/**
 * Where a request holds a credential that nobody looks for there, by the names alone: words for the first such place.
 * @param known the names of the document's API keys, which may be sent in the place of another
 */
export function misplacedIn(ways: readonly Way[], known: readonly string[], request: CredentialSource) {
  const { url, headers } = request
  const names = new Set(known.map(name => name.toLowerCase()))
  const wanted = ways.flat().map(({ scheme }) => {
    const field = fieldOf(scheme)
    return (field ? `header ${field}` : `${scheme.in} ${scheme.name}`).toLowerCase()
  })
  const fields = Object.keys(headers).map(name => name.replace(/(?<![a-z])[a-z]/g, one => one.toUpperCase()))
  const sent = {
    header: fields,
    query: (pairsOf(queryOf(url)) ?? []).map(([name]) => name),
    cookie: cookiesOf(String(headers.cookie ?? '')).map(([name]) => name),
  }
  for (const place of ['header', 'query', 'cookie'] as const)
    for (const name of sent[place]) {
      const isCredential = usualNames.test(name) || names.has(name.toLowerCase())
      if (isCredential && !wanted.includes(`${place} ${name.toLowerCase()}`))
        return `${wordsForPlace[place]}${name}`
    }
  return undefined
}

/** What a request holds of what must be sent together; undefined when something is missing, or is no credential. */
export function credentialsOf(way: Way, request: CredentialSource): Credential[] | undefined {
  const credentials = way.flatMap(({ name, scheme, scopes }) => {
    const value = authorizationOf(scheme) === undefined ? keyIn(request, scheme) : sentAs(request, scheme)
    return value === undefined ? [] : [{ scheme: name, scopes, value }]
  })
  return credentials.length === way.length ? credentials : undefined
}

function sentAs({ headers }: CredentialSource, scheme: SecurityScheme): string | undefined {
  const [, name = '', value = ''] = /^([^ ]+) +(.+)$/.exec(String(headers.authorization)) ?? []
  // RFC 7235, section 2.1: the case of a scheme's name does not matter.
  const way = name.toLowerCase()
  if (way !== authorizationOf(scheme)) return undefined
  if (way !== 'bearer' && way !== 'basic') return value
  // RFC 6750, section 2.1, and RFC 7617, section 2
  if (!/^[\w.~+/-]+=*$/.test(value)) return undefined
  const text = way === 'basic' ? Buffer.from(value, 'base64').toString() : value
  return way === 'bearer' || text.includes(':') ? text : undefined
}

/** A key that is sent more than once is none: nobody could tell which was checked. */
function keyIn({ url, headers }: CredentialSource, { in: place, name = '' }: SecurityScheme) {
  if (place === 'header') {
    const field = headers[name.toLowerCase()]
    return typeof field === 'string' ? field : undefined
  }
  const isCookie = place === 'cookie'
  const pairs = isCookie ? cookiesOf(String(headers.cookie ?? '')) : pairsOf(queryOf(url))
  const [first, second] = (pairs ?? []).filter(([key]) => key === name)
  return first && !second ? decoders[isCookie ? 'cookie' : 'query'](first[1]) : undefined
}
