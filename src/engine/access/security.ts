import type { Model, OperationModel } from '../../document/model.ts'
import { authorizationOf } from '../../document/security-schemes.ts'
import type { SecurityScheme } from '../../document/types.ts'
import { cookiesOf, decoders, pairsOf } from '../requests/values.ts'

type Sent =
  | { kind: 'apiKey' | 'bearer'; value: string }
  | { kind: 'basic'; user: string; password: string }
  /** of another HTTP scheme: all that follows its name */
  | { kind: 'http'; authScheme: string; value: string }

/** What a client has sent to be known by, under one security scheme (OpenAPI 3.0.3, 4.7.27). */
export type Credential = { scheme: string; scopes: readonly string[] } & Sent

/** The parts of a request that hold credentials. */
export interface CredentialSource {
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A way to be let in to an operation: what must be sent together. */
export type Way = readonly { name: string; scheme: SecurityScheme; scopes: readonly string[] }[]

/** The security schemes of a document. */
export function schemesOf({ document, resolve }: Model): { name: string; scheme: SecurityScheme }[] {
  const schemes = Object.entries(document.components?.securitySchemes ?? {})
  return schemes.map(([name, scheme]) => ({ name, scheme: resolve(scheme) }))
}

/**
 * The ways into an operation: one of its requirements must be met (OpenAPI 3.0.3, 4.7.30). An empty one is met by
 * everybody, but tried last, so that a caller who can say who it is does so.
 */
export function waysInto(model: Model, { security }: Pick<OperationModel, 'security'>): Way[] {
  const known = new Map(schemesOf(model).map(({ name, scheme }) => [name, scheme]))
  const ways = security.map(requirement =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = known.get(name)
      return scheme ? [{ name, scheme, scopes }] : []
    }),
  )
  return ways.sort((a, b) => Number(a.length === 0) - Number(b.length === 0))
}

/**
 * What is to be done about schemes that nobody was handed to check, a sentence each: an operation that asks for one of them
 * would be open, or closed to all.
 */
export function missingCheckers(model: Model, checkers: Readonly<Record<string, unknown>>): string[] {
  const asking = model.operations.flatMap(operation =>
    waysInto(model, operation).flatMap(way =>
      way.map(({ name, scheme }) => ({ id: operation.id, name, scheme })),
    ),
  )
  const missing = Map.groupBy(asking, ({ name }) => name)
  return [...missing].flatMap(([name, [first, ...all]]) => {
    if (!first || Object.hasOwn(checkers, name)) return []
    const ids = [...new Set([first, ...all].map(({ id }) => id))]
    const others = ids.length > 3 ? ` and ${ids.length - 3} more` : ''
    return [
      `${ids.slice(0, 3).join(', ')}${others} ${ids.length === 1 ? 'asks' : 'ask'} for ${name}: hand over a checker of that name, ` +
        `which is given ${wordsFor(first.scheme).given} and finds who sent it.`,
    ]
  })
}

/** The header field in which a scheme's credentials are sent; undefined where it is none. */
export function fieldOf(scheme: SecurityScheme): string | undefined {
  if (scheme.type !== 'apiKey') return 'Authorization'
  return scheme.in === 'header' ? scheme.name : undefined
}

function kindOf(scheme: SecurityScheme): Credential['kind'] {
  const way = authorizationOf(scheme) ?? 'apiKey'
  return way === 'apiKey' || way === 'basic' || way === 'bearer' ? way : 'http'
}

/**
 * What a scheme's credential is called, how a client is told to send one, what a checker is given, and the challenge, in which
 * `*` stands for the realm.
 */
export function wordsFor(scheme: SecurityScheme) {
  const { in: place = 'header', name, scheme: other = '' } = scheme
  const where = { header: '', query: 'the query parameter ', cookie: 'the cookie ' }[place]
  return {
    apiKey: {
      name: 'API key',
      toSend: `an API key as ${where}${name}`,
      given: `the key in the ${place} ${name}`,
      challenge: 'ApiKey realm="*"',
    },
    bearer: {
      name: 'bearer token',
      toSend: 'a bearer token as Authorization',
      given: 'a bearer token',
      challenge: 'Bearer realm="*"',
    },
    basic: {
      name: 'user and password',
      toSend: 'your user and password as Authorization',
      given: 'a user and a password',
      challenge: 'Basic realm="*", charset="UTF-8"', // RFC 7617, section 2.1
    },
    http: {
      name: `${other} credentials`,
      toSend: `your ${other} credentials as Authorization`,
      given: `the credentials of the HTTP scheme ${other}`,
      challenge: `${other} realm="*"`,
    },
  }[kindOf(scheme)]
}

/** What a request holds of what must be sent together; undefined when something is missing, or is no credential. */
export function credentialsOf(way: Way, request: CredentialSource): Credential[] | undefined {
  const credentials = way.flatMap(({ name, scheme, scopes }) => {
    const sent = sentIn(request, scheme)
    return sent ? [{ scheme: name, scopes, ...sent }] : []
  })
  return credentials.length === way.length ? credentials : undefined
}

/** The secret part of a credential. */
export function secretOf(credential: Credential): string {
  return credential.kind === 'basic' ? `${credential.user}:${credential.password}` : credential.value
}

function sentIn(request: CredentialSource, scheme: SecurityScheme): Sent | undefined {
  const kind = kindOf(scheme)
  if (kind === 'apiKey') {
    const value = keyIn(request, scheme)
    return value === undefined ? undefined : { kind, value }
  }
  const wanted = authorizationOf(scheme)
  const [, authScheme = '', value = ''] =
    /^([^ ]+) +(.*)$/.exec(one(request.headers.authorization) ?? '') ?? []
  // RFC 7235, section 2.1: the case of a scheme's name does not matter.
  if (value === '' || authScheme.toLowerCase() !== wanted) return undefined
  if (kind === 'http') return { kind, authScheme: wanted, value }
  // RFC 6750, section 2.1, and RFC 7617, section 2
  if (!/^[\w.~+/-]+=*$/.test(value)) return undefined
  if (kind === 'bearer') return { kind, value }
  const [, user, password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? []
  return user === undefined ? undefined : { kind, user, password }
}

/** A key that is sent more than once is none: nobody could tell which was checked. */
function keyIn(
  { url, headers }: CredentialSource,
  { in: place, name = '' }: SecurityScheme,
): string | undefined {
  if (place === 'header') return one(headers[name.toLowerCase()])
  const isCookie = place === 'cookie'
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? []
  const pairs = isCookie ? cookiesOf(one(headers.cookie) ?? '') : pairsOf(query)
  const own = (pairs ?? []).filter(([key]) => key === name)
  const [first] = own
  return own.length === 1 && first ? decoders[isCookie ? 'cookie' : 'query'](first[1]) : undefined
}

function one(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? (field.length === 1 ? field[0] : undefined) : field
}
