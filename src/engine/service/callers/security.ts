import { decodeOr } from 'spec-served-document/contract/path-templates'
import type { Model, OperationModel } from 'spec-served-document/model'
import { authorizationOf } from 'spec-served-document/model'
import type { SecurityScheme } from 'spec-served-document/types'
import { cookiesOf, pairsOf, queryOf } from 'spec-served-document/values/values'
import { ApiError } from '../errors/api-error.ts'
import type { Destination } from '../routes/destination.ts'
import type { Caller, Holder, HolderId } from './caller.ts'

/** A credential that a client sent under one security scheme (OpenAPI 3.0.3, 4.7.27). */
export interface Credential {
  scheme: string
  scopes: readonly string[]
  /** a key, a token, a user and a password with a colon between, or what follows another HTTP scheme's name */
  value: string
}

/** The holder of a credential, or why it has none: the end of the sentence "The API key …". */
export type Found = Holder | { fault: string }

/** Finds the holders of one security scheme's credentials. */
export interface Checker {
  /** Whether its holders are the API keys in the database. Only the engine's own checker says so. */
  isOfKeys?: true
  /** Whether its holders are the subjects of one issuer, whatever the scheme. Only the engine's own checker says so. */
  isOfTokens?: true
  /** Whether its holders must have the scopes that a requirement lists. Absent: `find` judges them. */
  holdsScopes?: true
  /**
   * @param from the address that sent the credential
   * @throws Error when the checker can't answer now
   */
  find(credential: Credential, from: string): Found | Promise<Found>
  /** Calls `tell` with what a look-up that is under way waits for outside of this service, which is no load. Absent: it never does. */
  waits?(credential: Credential, tell: (wait: Promise<unknown>) => void): void
  /** Returns the holder if it is known without a query. Absent: it never is. */
  recall?(credential: Credential): Holder | undefined
  /** Called when a holder has changed. The change applies from then on, at the latest when a returned promise resolves. */
  forget?(id: HolderId): void | Promise<void> | undefined
}

/** Checkers by the names of the document's security schemes. */
export type Checkers = Readonly<Record<string, Checker>>

export interface CredentialSource {
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One way to authenticate for an operation: the credentials that a client must send together. */
export type Way = readonly {
  name: string
  scheme: SecurityScheme
  scopes: readonly string[]
  /** the scheme's name in Authorization, in lower case; undefined: its credential is sent elsewhere */
  authorization: string | undefined
}[]

/** A proxy that ends TLS sends the certificate in this field. It removes a client's own (RFC 9440, section 2.2). */
const clientCertificate = { in: 'header', name: 'Client-Cert' }

export function schemesOf({ document, resolve }: Model): Omit<Way[number], 'scopes'>[] {
  const schemes = Object.entries(document.components?.securitySchemes ?? {})
  return schemes.map(([name, declared]) => {
    const scheme = resolve(declared)
    const sent = scheme.type === 'mutualTLS' ? { ...scheme, ...clientCertificate } : scheme
    return { name, scheme: sent, authorization: authorizationOf(scheme) }
  })
}

/**
 * Returns the ways to authenticate for an operation. A request must meet one (OpenAPI 3.0.3, 4.7.30). An empty one lets
 * everybody in. It is tried last, so that a caller with a credential is identified.
 */
export function waysInto(model: Model, { security }: OperationModel): Way[] {
  const schemes = new Map(schemesOf(model).map(scheme => [scheme.name, scheme]))
  const ways = security.map(requirement =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = schemes.get(name)
      return scheme ? [{ ...scheme, scopes }] : []
    }),
  )
  return ways.sort((a, b) => Number(a.length === 0) - Number(b.length === 0))
}

const tokensRemedy = ', or set TOKEN_ISSUER and TOKEN_AUDIENCE, by which the server checks JSON Web Tokens'

/** Returns a remedy for each scheme without a checker: its operations would be open, or closed to all. */
export function missingCheckers(model: Model, checkers: Readonly<Record<string, unknown>>): string[] {
  return schemesOf(model).flatMap(({ name, scheme }) => {
    const asking = model.operations.filter(({ security }) =>
      security.some(requirement => Object.hasOwn(requirement, name)),
    )
    if (asking.length === 0 || Object.hasOwn(checkers, name)) return []
    const ids = asking.slice(0, 3).map(({ id }) => id)
    const others = asking.length > 3 ? ` and ${asking.length - 3} more` : ''
    return [
      `${ids.join(', ')}${others} ${asking.length === 1 ? 'asks' : 'ask'} for ${name}: hand over a checker of that name, ` +
        `which is given ${wordsFor(scheme).given} and finds who sent it${authorizationOf(scheme) === 'bearer' ? tokensRemedy : ''}.`,
    ]
  })
}

/** Returns the header field that carries a scheme's credentials; undefined if none does. */
export function fieldOf(scheme: SecurityScheme): string | undefined {
  if (authorizationOf(scheme) !== undefined) return 'Authorization'
  return scheme.in === 'header' ? scheme.name : undefined
}

const wordsForPlace: Readonly<Record<string, string>> = {
  header: '',
  query: 'the query parameter ',
  cookie: 'the cookie ',
}

/** Returns a scheme's texts: the credential's name, how to send one, the checker's input, and the challenge. */
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
  const [schemeWord = '', article, credentialWord = '', challenge] = words
  const charset = way === 'basic' ? ', charset="UTF-8"' : '' // RFC 7617, section 2.1
  const toSend = `${article} ${schemeWord} as Authorization`
  return {
    name: schemeWord,
    toSend,
    given: credentialWord,
    challenge: `${challenge} realm="${realm}"${charset}`,
  }
}

/**
 * Returns a scheme's challenge to a request whose credential or scopes do not do (RFC 6750, section 3).
 * @param values of the challenge's parameters, by name
 */
function challengeWith(challenge: string, values: Readonly<Record<string, string>>): string {
  // RFC 6750, section 3: these values hold no other characters.
  const plain = Object.entries(values).map(
    ([name, text]) => `, ${name}="${text.replace(/[^ !#-[\]-~]/g, '_')}"`,
  )
  return challenge.startsWith('Bearer ') ? challenge + plain.join('') : challenge
}

/** Names under which many clients send keys and tokens, also to services that expect other names. */
const usualNames = /^(?:authorization|(?:x[-_]?)?(?:api|access|auth)[-_]?(?:key|token))$/i

/** Returns a function that hides the values of credentials in the query of a URL, for logs and traces. It goes by names alone. */
export function createHider(model: Model): (url: string) => string {
  const declaredSchemes = new Set(schemesOf(model).map(({ scheme }) => (scheme.name ?? '').toLowerCase()))
  const isHidden = (name: string) => usualNames.test(name) || declaredSchemes.has(name.toLowerCase())
  return url => {
    const query = queryOf(url)
    if (query === '') return url
    const pairs = query.split('&').map(pair => {
      const [name = ''] = pair.split('=', 1)
      return isHidden(decodeOr(name.replaceAll('+', ' '))) ? `${name}=***` : pair
    })
    return url.slice(0, -query.length) + pairs.join('&')
  }
}

/**
 * Describes the first place in a request with a credential that no scheme looks for there. It goes by names alone.
 * @param schemeNames the names of the document's API keys; a client may send one in the place of another
 */
function misplacedIn(ways: readonly Way[], schemeNames: readonly string[], request: CredentialSource) {
  const { url, headers } = request
  const names = new Set(schemeNames.map(name => name.toLowerCase()))
  const wanted = ways.flat().map(({ scheme }) => {
    const field = fieldOf(scheme)
    return (field ? `header ${field}` : `${scheme.in} ${scheme.name}`).toLowerCase()
  })
  const fields = Object.keys(headers).map(name =>
    name.replace(/(?<![a-z])[a-z]/g, letter => letter.toUpperCase()),
  )
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

const joined = (texts: readonly string[], between: string) =>
  [...new Set(texts)].filter(Boolean).join(between)

/** A request that lacks a valid credential. */
type Refused = CredentialSource & {
  /** a sentence about its wrong credential, and the scheme of that; undefined: it has none */
  credentialFault: { scheme: string; message: string } | undefined
  destination: Destination
}

/** Returns the functions that make the refusals of callers. @param realm the service's name in challenges */
export function createRefusals(model: Model, realm: string) {
  const schemes = schemesOf(model)
  const keyNames = schemes.flatMap(({ scheme }) => (scheme.type === 'apiKey' ? (scheme.name ?? []) : []))
  return {
    /** Returns the refusal of a caller that needs a credential. */
    unauthenticated(request: Refused, ways: readonly Way[]): ApiError {
      const fault = request.credentialFault
      const { resourceMetadata: resource_metadata } = request.destination
      const place = resource_metadata === undefined ? {} : { resource_metadata }
      const invalid = { error: 'invalid_token', error_description: fault?.message ?? '', ...place }
      const words = ways.map(way =>
        way.map(credential => ({
          ...wordsFor(credential.scheme, realm),
          values: credential.name === fault?.scheme ? invalid : place,
        })),
      )
      const sentences = words.map(way => way.map(({ toSend }) => toSend).join(' together with '))
      const challenges = words.flat().map(({ challenge, values }) => challengeWith(challenge, values))
      const misplaced = misplacedIn(ways, keyNames, request)
      const opening = misplaced === undefined ? 'Send' : `You sent ${misplaced}; send`
      const message = fault?.message ?? `${opening} ${joined(sentences, ', or ')}.`
      const headers = { 'WWW-Authenticate': joined(challenges, ', ') } // RFC 9110, section 11.6.1
      return new ApiError('unauthenticated', message, { headers })
    },
    /** Returns the refusal of a caller that lacks scopes. */
    insufficientScope(caller: Caller, lacked: readonly string[]): ApiError {
      const scheme = caller.kind === 'key' && schemes.find(({ name }) => name === caller.scheme)?.scheme
      const values = { error: 'insufficient_scope', scope: lacked.join(' ') }
      const challenge = scheme ? challengeWith(wordsFor(scheme, realm).challenge, values) : ''
      const headers = challenge.startsWith('Bearer ') ? { 'WWW-Authenticate': challenge } : {}
      const message = `This operation needs the scope${lacked.length > 1 ? 's' : ''} ${lacked.join(', ')}.`
      return new ApiError('insufficient_scope', message, { headers })
    },
  }
}
