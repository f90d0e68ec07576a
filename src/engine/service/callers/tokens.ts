import { hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, type LocalJWKSet } from 'jose'
import { LRUCache } from 'lru-cache'
import type { RateLimits } from '../contract/extensions.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { readSome } from '../runtime/read-some.ts'
import type { Holder, Quotas } from './caller.ts'
import type { Checker, Found } from './security.ts'

/** The settings of tokens: JSON Web Tokens of one issuer (RFC 7519, RFC 9068). */
export interface TokenSettings {
  /** as tokens name it in `iss`; its metadata name the place of its keys */
  issuer: string
  /** the names of this service in `aud`; a token must have one of them */
  audiences: readonly string[]
  /** the place of the issuer's keys; absent: as its metadata say */
  jwksUrl?: string | undefined
  algorithms: readonly string[]
  /** how far the clocks of issuer and service may differ, in ms */
  clockSkewMs: number
  /** the claims with the scopes, the plan, and the quotas of a plan without quotas */
  scopeClaim: string
  planClaim: string
  quotasClaim: string
  /** the plan of each subject that is listed, whatever its claim */
  subjectPlans?: Readonly<Record<string, string>> | undefined
  /** the plan without such a claim; absent: that of unauthenticated clients */
  plan?: string | undefined
}

/** How long a checked token needs no other check, in ms. A key that its issuer removes may serve so much longer. */
const freshFor = 60_000
/** The most tokens that are kept, and the most that are checked at once. */
const capacity = { checked: 20_000, underWay: 1_000 }
/** The age at which keys are read again, and the age at which an issuer's silence ends their use, in ms. */
const [keysFreshFor, keysUsableFor] = [600_000, 3_600_000]
/** The least time between two reads of keys, in ms; of a silent issuer. Anybody can invent the name of a key. */
const [pause, pauseOfSilence] = [10_000, 2_000]
/** The longest wait for the issuer, in ms, and the longest of its texts, in bytes. */
const [readWithin, mostText] = [5_000, 1_000_000]
/** The longest identifier of a holder, in characters. It names counters. */
const longestSubject = 255

/**
 * Returns a checker of tokens. A token that was checked a moment ago takes no promise.
 * @throws Error when a plan of the settings is not in the document
 */
export function createTokenChecker(
  settings: TokenSettings,
  rateLimits: RateLimits | undefined,
  time: () => number,
  log: Log,
): Checker {
  const holderOf = holders(settings, rateLimits)
  const checked = new LRUCache<string, { holder: Holder; until: number; since: number }>({
    max: capacity.checked,
  })
  const underWay = new Map<string, Promise<Found>>()
  const keys = keysOf(settings, time, log, () => checked.clear())
  const { issuer, audiences, algorithms, clockSkewMs } = settings

  async function check(token: string, id: string): Promise<Found> {
    const since = time()
    const options = {
      ...{ issuer, audience: [...audiences], algorithms: [...algorithms] },
      ...{
        clockTolerance: clockSkewMs / 1_000,
        currentDate: new Date(since),
        requiredClaims: ['exp', 'sub'],
      },
    }
    try {
      const { payload } = await jwtVerify(token, keys.find, options)
      const holder = holderOf(payload)
      // The check has made sure that there is a time of expiry.
      const until = Math.min((payload.exp ?? 0) * 1_000 + clockSkewMs, since + freshFor)
      if (!('fault' in holder)) checked.set(id, { holder, until, since })
      return holder
    } catch (error) {
      if (error instanceof errors.JOSEError) return { fault: faultOf(error) }
      throw error
    }
  }

  /** Returns the holder of a token that was checked a moment ago. A clock that was set back makes all checks old. */
  function recall(id: string): Holder | undefined {
    const known = checked.get(id)
    const now = time()
    return known && now >= known.since && now < known.until ? known.holder : undefined
  }

  const idOf = (token: string) => hash('sha256', token)
  return {
    holdsScopes: true,
    find({ value }) {
      const id = idOf(value)
      const known = recall(id) ?? underWay.get(id)
      if (known) return known
      if (underWay.size >= capacity.underWay) throw unavailable('Too many tokens wait to be checked')
      const checking = check(value, id).finally(() => underWay.delete(id))
      underWay.set(id, checking)
      return checking
    },
    recall: ({ value }) => recall(idOf(value)),
  }
}

const unavailable = (reason: string) =>
  new ApiError('unavailable', `${reason}; retry soon.`, { headers: { 'Retry-After': '5' } })

/** Returns why a token is refused, as the end of the sentence "The bearer token …". */
function faultOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error
    if (reason === 'missing') return `lacks the claim ${claim}`
    if (claim === 'nbf' && reason === 'check_failed') return 'is not valid yet'
    if (claim === 'iss') return 'is of another issuer'
    return claim === 'aud' ? 'is for another audience' : `has an invalid claim ${claim}`
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'has an algorithm that is not allowed'
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'is signed with a key that its issuer does not publish'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'does not say which of the keys has signed it'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'has a wrong signature'
  return 'is no signed JSON Web Token'
}

/** Returns a function that makes a holder of a token's claims. */
function holders(settings: TokenSettings, rateLimits: RateLimits | undefined) {
  const { scopeClaim, planClaim, quotasClaim, subjectPlans = {}, plan: usual } = settings
  const plans = rateLimits?.plans ?? {}
  const isPlan = (name: unknown): name is string => typeof name === 'string' && Object.hasOwn(plans, name)
  const named = [...Object.values(subjectPlans), ...(usual === undefined ? [] : [usual])]
  const unknown = rateLimits && named.find(name => !isPlan(name))
  if (unknown !== undefined)
    throw new Error(
      `TOKEN_PLAN and TOKEN_SUBJECT_PLANS must name plans of the document, not ${unknown}: ${Object.keys(plans).join(', ')}`,
    )

  /** Returns the claimed quotas; null if a window lacks a whole number. */
  function quotasIn(claim: unknown): Quotas | null {
    const given = Object(claim) as Readonly<Record<string, unknown>> // every object has texts as names
    const quotas = (rateLimits?.windows ?? []).map(({ name }) => [name, given[name]] as const)
    const isWhole = quotas.every(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0)
    return isWhole ? (Object.fromEntries(quotas) as Quotas) : null // as just checked
  }

  return ({ sub = '', cnf, ...claims }: JWTPayload): Found => {
    if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject)
      return { fault: `must have a subject of 1 to ${longestSubject} characters` }
    // Its thief could use it here (RFC 7800; RFC 9449, section 7.2; RFC 8705, section 3).
    if (cnf !== undefined) return { fault: 'is bound to a key, whose proof this service does not check' }
    const claimed = Object.hasOwn(subjectPlans, sub) ? subjectPlans[sub] : claims[planClaim]
    const quotas = quotasIn(claims[quotasClaim])
    // A plan without quotas of its own needs those of the token.
    const fits = (name: unknown): name is string => isPlan(name) && (!plans[name]?.custom || quotas !== null)
    const plan = [claimed, usual].find(fits) ?? rateLimits?.anonymous ?? ''
    const scopes = [claims[scopeClaim]].flat().filter(one => typeof one === 'string')
    const words = scopes.flatMap(one => one.split(' ')).filter(Boolean)
    return { id: sub, scopes: words, plan, quotas: plans[plan]?.custom ? quotas : null, bannedUntil: null }
  }
}

/** Keeps an issuer's keys. They are read when they are first needed, when they are old, and for a key that is not known. */
function keysOf(settings: TokenSettings, time: () => number, log: Log, changed: () => void) {
  let known: { text: string; set: LocalJWKSet; readAt: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  let isSilent = false

  const ageOf = (since: number) => (time() >= since ? time() - since : Number.POSITIVE_INFINITY)

  async function read(): Promise<void> {
    try {
      const text = await keysText(settings)
      const set = createLocalJWKSet(JSON.parse(text))
      if (known && known.text !== text) changed()
      known = { text, set, readAt: time() }
      if (isSilent) log.info('The keys of the issuer of tokens can be read again.')
      isSilent = false
    } catch (err) {
      if (!isSilent) log.warn({ err }, 'The keys of the issuer of tokens can’t be read.')
      isSilent = true
    } finally {
      reading = undefined
    }
  }

  /** Reads the keys, but not soon after the last time. All that ask meanwhile share a read. */
  function readOnce(): Promise<void> | undefined {
    if (reading || ageOf(triedAt) < (isSilent ? pauseOfSilence : pause)) return reading
    triedAt = time()
    reading = read()
    return reading
  }

  const usable = () => (known && ageOf(known.readAt) < keysUsableFor ? known.set : undefined)
  async function find(...given: Parameters<LocalJWKSet>): ReturnType<LocalJWKSet> {
    if (!usable()) await readOnce()
    else if (known && ageOf(known.readAt) >= keysFreshFor) void readOnce()
    const set = usable()
    if (!set) throw unavailable('The issuer of tokens does not answer')
    try {
      return await set(...given)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await readOnce()
      return (usable() ?? set)(...given)
    }
  }
  void readOnce() // so that the log tells of a silent issuer at the start
  return { find }
}

/** Returns the text of the issuer's key set (RFC 7517, section 5). @throws Error when it can't be read in time */
async function keysText({ issuer, jwksUrl }: TokenSettings): Promise<string> {
  const signal = AbortSignal.timeout(readWithin)
  if (jwksUrl !== undefined) return textAt(jwksUrl, signal)
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  // OpenID Connect Discovery 1.0, section 4, and RFC 8414, section 3
  const place = `${origin}${path}/.well-known/openid-configuration`
  const text = await textAt(place, signal).catch(() =>
    textAt(`${origin}/.well-known/oauth-authorization-server${path}`, signal),
  )
  const { issuer: told, jwks_uri: url } = JSON.parse(text)
  if (told !== issuer) throw new Error(`The metadata are those of ${told}, and not of ${issuer}`)
  const isSafe = URL.parse(url)?.protocol === 'https:' || URL.parse(url)?.origin === origin
  if (!isSafe) throw new Error(`The keys must be at an https URL, and not at ${url}`)
  return textAt(url, signal)
}

/** Reads a text from a URL, up to a bound. It follows no redirect. */
async function textAt(url: string, signal: AbortSignal): Promise<string> {
  const reply = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  if (!reply.ok) throw new Error(`${url} answers with the status ${reply.status}`)
  const { bytes, isCut } = await readSome(reply, mostText, signal)
  if (isCut) throw new Error(`${url} answers with more than ${mostText} bytes, or not in ${readWithin} ms`)
  return bytes.toString()
}
