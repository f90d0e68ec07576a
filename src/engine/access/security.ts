import type { Model, OperationModel } from '../../document/model.ts'
import { authorizationOf } from '../../document/security-schemes.ts'
import type { SecurityRequirement, SecurityScheme } from '../../document/types.ts'
import { cookiesOf, decoders, pairsOf } from '../requests/values.ts'

/** What a client has sent to be known by, under one security scheme (OpenAPI 3.0.3, 4.7.27). */
export type Credential = { scheme: string; scopes: readonly string[] } & (
  | { kind: 'apiKey' | 'bearer'; value: string }
  | { kind: 'basic'; user: string; password: string }
  /** of another HTTP scheme: all that follows its name */
  | { kind: 'http'; authScheme: string; value: string }
)

/** The parts of a request that hold credentials. */
export interface CredentialSource {
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A scheme that operations ask for and nobody checks. */
export interface MissingChecker {
  scheme: string
  /** operationIds */
  operations: string[]
  /** what to do about it, a sentence */
  message: string
}

/** The schemes that nobody was handed to check: an operation that asks for one of them would be open, or closed to all. */
export function missingCheckers(model: Model, checkers: Readonly<Record<string, unknown>>): MissingChecker[] {
  const operations = new Map<string, string[]>()
  for (const { id, security } of model.operations)
    for (const scheme of new Set(security.flatMap(requirement => Object.keys(requirement))))
      if (!Object.hasOwn(checkers, scheme)) operations.set(scheme, [...(operations.get(scheme) ?? []), id])
  const schemes = new Map(schemesOf(model).map(({ name, scheme }) => [name, scheme]))
  return [...operations].map(([scheme, ids]) => {
    const others = ids.length > 3 ? ` and ${ids.length - 3} more` : ''
    return {
      scheme,
      operations: ids,
      message:
        `${ids.slice(0, 3).join(', ')}${others} ${ids.length === 1 ? 'asks' : 'ask'} for ${scheme}: hand over a checker of that name, ` +
        `which is given ${whatOf(schemes.get(scheme))} and finds who sent it.`,
    }
  })
}

function whatOf(scheme: SecurityScheme | undefined): string {
  switch (scheme && kindOf(scheme)) {
    case 'apiKey':
      return `the key in the ${scheme?.in} ${scheme?.name}`
    case 'basic':
      return 'a user and a password'
    case 'bearer':
      return 'a bearer token'
    default:
      return `the credentials of the HTTP scheme ${scheme?.scheme}`
  }
}

/** The security schemes of a document. */
export function schemesOf({ document, resolve }: Model): { name: string; scheme: SecurityScheme }[] {
  const schemes = Object.entries(document.components?.securitySchemes ?? {})
  return schemes.map(([name, scheme]) => ({ name, scheme: resolve(scheme) }))
}

/** The header field in which a scheme's credentials are sent; undefined where it is none. */
export function fieldOf(scheme: SecurityScheme): string | undefined {
  if (kindOf(scheme) !== 'apiKey') return 'Authorization'
  return scheme.in === 'header' ? scheme.name : undefined
}

function kindOf(scheme: SecurityScheme): Credential['kind'] {
  const way = authorizationOf(scheme)
  if (way === undefined) return 'apiKey'
  return way === 'basic' || way === 'bearer' ? way : 'http'
}

/** What a credential is called in sentences. */
export function credentialName(scheme: SecurityScheme): string {
  const names = {
    apiKey: 'API key',
    bearer: 'bearer token',
    basic: 'user and password',
    http: `${scheme.scheme} credentials`,
  }
  return names[kindOf(scheme)]
}

/** How a client is told to send a credential, as the rest of the sentence "Send …". */
export function howToSend(scheme: SecurityScheme): string {
  if (kindOf(scheme) === 'apiKey') {
    const place = { header: '', query: 'the query parameter ', cookie: 'the cookie ' }[scheme.in ?? 'header']
    return `an API key as ${place}${scheme.name}`
  }
  return `${kindOf(scheme) === 'bearer' ? 'a' : 'your'} ${credentialName(scheme)} as Authorization`
}

/** The challenge of a scheme (RFC 9110, section 11.6.1). */
export function challengeOf(scheme: SecurityScheme, realm: string): string {
  const kind = kindOf(scheme)
  const names = { apiKey: 'ApiKey', bearer: 'Bearer', basic: 'Basic', http: scheme.scheme ?? '' }
  // RFC 7617, section 2.1
  return `${names[kind]} realm="${realm}"${kind === 'basic' ? ', charset="UTF-8"' : ''}`
}

/** Reads a credential from a request; undefined when it is missing, or is none. */
type ReadCredential = (request: CredentialSource) => Credential | undefined

/** A way to be let in to an operation: what must be sent together. */
export interface Way {
  schemes: readonly {
    name: string
    scheme: SecurityScheme
    scopes: readonly string[]
    read: ReadCredential
  }[]
}

/**
 * The ways into an operation: one of its requirements must be met (OpenAPI 3.0.3, 4.7.30). An empty one is met by
 * everybody, but tried last, so that a caller who can say who it is does so.
 */
export function waysInto(model: Model, { security }: Pick<OperationModel, 'security'>): Way[] {
  const known = new Map(schemesOf(model).map(({ name, scheme }) => [name, scheme]))
  return security
    .toSorted((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
    .map(requirement => ({
      schemes: Object.entries(requirement).flatMap(([name, scopes]) => {
        const scheme = known.get(name)
        return scheme ? [{ name, scheme, scopes, read: credentialReader(name, scheme, scopes) }] : []
      }),
    }))
}

const isEmpty = (requirement: SecurityRequirement) => Object.keys(requirement).length === 0

/** What a request holds of what must be sent together; undefined when something is missing, or is no credential. */
export function credentialsOf({ schemes }: Way, request: CredentialSource): Credential[] | undefined {
  const credentials: Credential[] = []
  for (const { read } of schemes) {
    const credential = read(request)
    if (!credential) return undefined
    credentials.push(credential)
  }
  return credentials
}

/** The secret part of a credential. */
export function secretOf(credential: Credential): string {
  return credential.kind === 'basic' ? `${credential.user}:${credential.password}` : credential.value
}

/** Prepares the reading of one scheme's credentials. */
export function credentialReader(
  name: string,
  scheme: SecurityScheme,
  scopes: readonly string[],
): ReadCredential {
  const kind = kindOf(scheme)
  const common = { scheme: name, scopes }
  if (kind === 'apiKey') {
    const keyIn = keyReader(scheme)
    return request => {
      const value = keyIn(request)
      return value === undefined ? undefined : { scheme: name, scopes, kind, value }
    }
  }
  const wanted = scheme.type === 'http' ? (scheme.scheme ?? '') : 'bearer'
  return ({ headers }) => {
    const [, authScheme = '', value = ''] = /^([^ ]+) +(.*)$/.exec(one(headers.authorization) ?? '') ?? []
    // RFC 7235, section 2.1: the case of a scheme's name does not matter.
    if (value === '' || authScheme.toLowerCase() !== wanted.toLowerCase()) return undefined
    if (kind === 'http') return { ...common, kind, authScheme: wanted, value }
    // RFC 6750, section 2.1, and RFC 7617, section 2
    if (!/^[\w.~+/-]+=*$/.test(value)) return undefined
    if (kind === 'bearer') return { ...common, kind, value }
    const text = Buffer.from(value, 'base64').toString()
    const colon = text.indexOf(':')
    return colon < 0
      ? undefined
      : { ...common, kind, user: text.slice(0, colon), password: text.slice(colon + 1) }
  }
}

/** A key that is sent more than once is none: nobody could tell which was checked. */
function keyReader({
  in: place,
  name = '',
}: SecurityScheme): (request: CredentialSource) => string | undefined {
  const field = name.toLowerCase()
  if (place === 'header') return ({ headers }) => one(headers[field])
  return ({ url, headers }) => {
    const start = url.indexOf('?')
    const pairs =
      place === 'cookie'
        ? cookiesOf(one(headers.cookie) ?? '')
        : pairsOf(start < 0 ? '' : url.slice(start + 1))
    const own = (pairs ?? []).filter(([key]) => key === name)
    const [first] = own
    return own.length === 1 && first ? decoders[place === 'cookie' ? 'cookie' : 'query'](first[1]) : undefined
  }
}

function one(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? (field.length === 1 ? field[0] : undefined) : field
}
