import type { Model, OperationModel } from '../../document/model.ts'
import type { SecurityRequirement, SecurityScheme } from '../../document/types.ts'
import { cookiesOf, pairsOf } from '../requests/pairs.ts'
import { decoders } from '../requests/styles.ts'

/** What a client has sent to be known by, under one security scheme (OpenAPI 3.0.3, 4.7.27). */
export type Credential = { scheme: string; scopes: readonly string[] } & (
  | { kind: 'apiKey' | 'bearer'; value: string }
  | { kind: 'basic'; user: string; password: string }
  /** of another HTTP scheme: all that follows its name */
  | { kind: 'http'; authScheme: string; value: string }
)

/** @returns undefined for a credential that is not known, or too weak for the scopes */
export type Checker<R, Q> = (credential: Credential, request: Q) => Promise<R | undefined>

/** By the names of the security schemes. */
export type Checkers<R, Q> = Readonly<Record<string, Checker<R, Q>>>

/** The parts of a request that hold credentials. */
export interface CredentialSource {
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** What came of checking a request. */
export type Access<R> =
  /** by scheme name, what the checkers have found; empty for a caller whom nobody asked, or who need not say */
  | { kind: 'granted'; results: ReadonlyMap<string, R> }
  /** `refused`: schemes whose credential was wrong; `missing`: schemes whose credential was not sent, or is none */
  | { kind: 'denied'; refused: readonly string[]; missing: readonly string[] }

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
  return [...operations].map(([scheme, ids]) => {
    const others = ids.length > 3 ? ` and ${ids.length - 3} more` : ''
    return {
      scheme,
      operations: ids,
      message:
        `${ids.slice(0, 3).join(', ')}${others} ${ids.length === 1 ? 'asks' : 'ask'} for ${scheme}: hand over a checker of that name, ` +
        `which is given ${whatOf(schemeOf(model, scheme))} and returns who sent it, or undefined.`,
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

function schemeOf({ document, resolve }: Model, name: string): SecurityScheme | undefined {
  const schemes = document.components?.securitySchemes ?? {}
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
  return scheme && resolve(scheme)
}

/** Tokens of OAuth 2 and OpenID Connect are sent as bearer tokens (RFC 6750, section 2.1). */
function kindOf({ type, scheme = '' }: SecurityScheme): Credential['kind'] {
  if (type === 'apiKey') return 'apiKey'
  if (type !== 'http') return 'bearer'
  const name = scheme.toLowerCase()
  return name === 'basic' || name === 'bearer' ? name : 'http'
}

/**
 * Prepares the check of who may call an operation: one of its requirements must be met, all of whose schemes find their
 * credential right (OpenAPI 3.0.3, 4.7.30). An empty requirement is met by everybody, but tried last, so that a caller who
 * can say who it is does so.
 * @throws Error when a checker is missing
 */
export function securityReader<R, Q extends CredentialSource>(
  model: Model,
  operation: OperationModel,
  checkers: Checkers<R, Q>,
): (request: Q) => Promise<Access<R>> {
  const requirements = operation.security.toSorted((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
  const schemes = new Map<string, { scheme: SecurityScheme; check: Checker<R, Q> }>()
  for (const name of requirements.flatMap(requirement => Object.keys(requirement))) {
    const scheme = schemeOf(model, name)
    const check = Object.hasOwn(checkers, name) ? checkers[name] : undefined
    if (!scheme || !check) throw new Error(`Nobody checks ${name}, which ${operation.id} asks for`)
    schemes.set(name, { scheme, check })
  }

  return async request => {
    const refused = new Set<string>()
    const missing = new Set<string>()
    const meet = async (requirement: SecurityRequirement): Promise<Map<string, R> | undefined> => {
      const credentials: Credential[] = []
      for (const [name, scopes] of Object.entries(requirement)) {
        const scheme = schemes.get(name)?.scheme
        const credential = scheme && credentialOf(name, scheme, scopes, request)
        if (credential) credentials.push(credential)
        else missing.add(name)
      }
      if (credentials.length < Object.keys(requirement).length) return undefined
      const results = new Map<string, R>()
      for (const credential of credentials) {
        const result = await schemes.get(credential.scheme)?.check(credential, request)
        if (result === undefined) {
          refused.add(credential.scheme)
          return undefined
        }
        results.set(credential.scheme, result)
      }
      return results
    }
    for (const requirement of requirements) {
      const results = await meet(requirement)
      if (results) return { kind: 'granted', results }
    }
    if (requirements.length === 0) return { kind: 'granted', results: new Map() }
    return { kind: 'denied', refused: [...refused], missing: [...missing] }
  }
}

const isEmpty = (requirement: SecurityRequirement) => Object.keys(requirement).length === 0

function credentialOf(
  name: string,
  scheme: SecurityScheme,
  scopes: readonly string[],
  { url, headers }: CredentialSource,
): Credential | undefined {
  const kind = kindOf(scheme)
  const common = { scheme: name, scopes }
  if (kind === 'apiKey') {
    const value = keyIn(scheme, url, headers)
    return value ? { ...common, kind, value } : undefined
  }
  const [, authScheme = '', value = ''] = /^([^ ]+) +(.*)$/.exec(one(headers.authorization) ?? '') ?? []
  const wanted = scheme.type === 'http' ? (scheme.scheme ?? '') : 'bearer'
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

/** A key that is sent more than once is none: nobody could tell which was checked. */
function keyIn({ in: place, name = '' }: SecurityScheme, url: string, headers: CredentialSource['headers']) {
  if (place === 'header') return one(headers[name.toLowerCase()])
  const start = url.indexOf('?')
  const pairs =
    place === 'cookie' ? cookiesOf(one(headers.cookie) ?? '') : pairsOf(start < 0 ? '' : url.slice(start + 1))
  const own = (pairs ?? []).filter(([key]) => key === name)
  const [first] = own
  return own.length === 1 && first ? decoders[place === 'cookie' ? 'cookie' : 'query'](first[1]) : undefined
}

function one(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? (field.length === 1 ? field[0] : undefined) : field
}
