import { createPublicKey, hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify, type LocalJWKSet } from 'jose'
import { LRUCache } from 'lru-cache'
import type { RateLimits } from 'spec-served-document/contract/extensions'
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
  /** the longest wait for the issuer, in ms; absent: 5,000 */
  readWithinMs?: number | undefined
}

/** How long a checked token needs no other check, in ms. A key that its issuer removes may serve so much longer. */
const freshFor = 60_000
/** The most tokens that are kept, and the most requests whose tokens are checked at once. */
const capacity = { checked: 20_000, asking: 1_000 }
/** The ages at which keys are read again, at which tokens wait for that, and at which an issuer's silence ends their use, in ms. */
const [keysReadAfter, keysFreshFor, keysUsableFor] = [540_000, 600_000, 3_600_000]
/** How long after a read that failed no token waits for the next one while there are usable keys, in ms. */
const silentFor = 60_000
/** The least time between two reads of keys, in ms; of a silent issuer. Anybody can invent the name of a key. */
const [pause, pauseOfSilence] = [10_000, 2_000]
/** The longest wait for the issuer unless the settings say another, in ms. */
const usuallyReadWithin = 5_000
/** The longest text of an issuer, in bytes. */
const mostText = 1_000_000
/** The longest identifier of a holder, in characters. It names counters. */
const longestSubject = 255
/** The least length of RSA keys, in bits (RFC 7518, section 3.3). */
const leastModulus = 2_048
/**
 * The types of access tokens, and of tokens that name none (RFC 9068, section 4; RFC 7519, section 5.1). An issuer signs other
 * tokens with the same keys: of a logout, of a proof (RFC 8725, section 3.11).
 */
const accessTypes = /^(application\/)?(at\+)?jwt$/i

/** Waits for a read of the issuer's keys. */
type Wait = (read: () => Promise<void> | undefined) => Promise<void> | undefined

/** Waits for nothing, as a banned address does: its calls are refused whatever the issuer says. */
const noWait: Wait = () => undefined

/** The check of a token, which several requests may share. */
interface Look {
  found: Promise<Found>
  /** Called with what the check waits for, now or later. */
  join(tell: (wait: Promise<unknown>) => void): void
}

/**
 * Returns a checker of tokens. A token that was checked a moment ago takes no promise.
 * @param isBanned whether calls from an address are refused unless they have a valid credential
 * @throws Error when a plan of the settings is not in the document
 */
export function createTokenChecker(
  settings: TokenSettings,
  rateLimits: RateLimits | undefined,
  time: () => number,
  log: Log,
  isBanned: (address: string) => boolean = () => false,
): Checker {
  const holderOf = holders(settings, rateLimits)
  const checked = new LRUCache<string, { holder: Holder; until: number; since: number }>({
    max: capacity.checked,
  })
  const underWay = new Map<string, Look>()
  let asking = 0
  const keys = keysOf(settings, time, log, () => checked.clear())
  const { issuer, audiences, algorithms, clockSkewMs } = settings

  async function check(token: string, id: string, wait: Wait): Promise<Found> {
    const since = time()
    const options = {
      ...{ issuer, audience: [...audiences], algorithms: [...algorithms] },
      ...{
        clockTolerance: clockSkewMs / 1_000,
        currentDate: new Date(since),
        requiredClaims: ['exp', 'sub'],
      },
    }
    const find = (...args: Parameters<LocalJWKSet>) => keys.find(wait, ...args)
    const verified = await jwtVerify(token, find, options).catch((error: unknown) => {
      if (error instanceof ApiError) throw error
      // For keys that can't be used jose throws other errors than JOSEErrors.
      return {
        fault: error instanceof errors.JOSEError ? faultOf(error) : 'is signed with a key that can’t be used',
      }
    })
    if ('fault' in verified) return verified
    const { payload, protectedHeader } = verified
    const { typ = 'JWT' } = protectedHeader
    // A security event has the claim `events` whatever its type is (RFC 8417, section 2.2).
    if (!accessTypes.test(typ) || payload.events !== undefined)
      return { fault: 'is of another type than access tokens' }
    const holder = holderOf(payload)
    // The check has made sure that there is a time of expiry.
    const until = Math.min((payload.exp ?? 0) * 1_000 + clockSkewMs, since + freshFor)
    if (!('fault' in holder)) checked.set(id, { holder, until, since })
    return holder
  }

  /** Begins the check of a token. Nobody that shares it waits for the issuer unknown to others. */
  function look(token: string, id: string): Look {
    const listeners: ((wait: Promise<unknown>) => void)[] = []
    let waitingFor: Promise<unknown> | undefined
    const wait: Wait = read => {
      const reading = read()
      waitingFor = reading
      if (reading) for (const tell of listeners) tell(reading)
      return reading
    }
    const found = check(token, id, wait).finally(() => underWay.delete(id))
    const join = (tell: (wait: Promise<unknown>) => void) => {
      listeners.push(tell)
      if (waitingFor) tell(waitingFor)
    }
    return { found, join }
  }

  /** Returns the holder of a token that was checked a moment ago. A clock that was set back makes all checks old. */
  function recall(id: string): Holder | undefined {
    const cached = checked.get(id)
    const now = time()
    return cached && now >= cached.since && now < cached.until ? cached.holder : undefined
  }

  const idOf = (token: string) => hash('sha256', token)
  return {
    holdsScopes: true,
    isOfTokens: true,
    find({ value }, from) {
      const id = idOf(value)
      const cached = recall(id)
      if (cached) return cached
      if (asking >= capacity.asking) throw unavailable('Too many tokens wait to be checked')
      asking++
      const done = () => {
        asking--
      }
      if (isBanned(from)) return check(value, id, noWait).finally(done)
      const lookup = underWay.get(id) ?? look(value, id)
      underWay.set(id, lookup)
      return lookup.found.finally(done)
    },
    waits: ({ value }, tell) => underWay.get(idOf(value))?.join(tell),
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
    const claims = Object(claim) as Readonly<Record<string, unknown>> // every object has texts as names
    const quotas = (rateLimits?.windows ?? []).map(({ name }) => [name, claims[name]] as const)
    const isWhole = quotas.every(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0)
    return isWhole ? (Object.fromEntries(quotas) as Quotas) : null // as just checked
  }

  return ({ sub = '', cnf, ...claims }: JWTPayload): Found => {
    if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject)
      return { fault: `must have a subject of 1 to ${longestSubject} characters` }
    // No database holds them apart (PostgreSQL: text has no U+0000, and UTF-8 no half of a surrogate pair).
    if (sub.includes('\0') || !sub.isWellFormed())
      return { fault: 'has a subject with U+0000 or half a surrogate pair' }
    // Its thief could use it here (RFC 7800; RFC 9449, section 7.2; RFC 8705, section 3).
    if (cnf !== undefined) return { fault: 'is bound to a key, whose proof this service does not check' }
    const claimed = Object.hasOwn(subjectPlans, sub) ? subjectPlans[sub] : claims[planClaim]
    const quotas = quotasIn(claims[quotasClaim])
    // A plan without quotas of its own needs those of the token.
    const fits = (name: unknown): name is string => isPlan(name) && (!plans[name]?.custom || quotas !== null)
    const plan = [claimed, usual].find(fits) ?? rateLimits?.anonymous ?? ''
    const scopes = [claims[scopeClaim]].flat().filter(scope => typeof scope === 'string')
    const words = scopes.flatMap(scope => scope.split(' ')).filter(Boolean)
    return { id: sub, scopes: words, plan, quotas: plans[plan]?.custom ? quotas : null, bannedUntil: null }
  }
}

/** Keeps an issuer's keys. They are read when they are first needed, before they are old, and for a key that is not known. */
function keysOf(settings: TokenSettings, time: () => number, log: Log, changed: () => void) {
  const { issuer } = settings
  let keySet: { text: string; set: LocalJWKSet; readAt: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  /** a read without which the known keys are too old */
  let needed: Promise<void> | undefined
  let isSilent = false

  const ageOf = (since: number) => (time() >= since ? time() - since : Number.POSITIVE_INFINITY)

  async function read(): Promise<void> {
    try {
      const text = await keysText(settings)
      if (keySet?.text !== text) {
        const { keys, ignored } = publicKeysIn(text)
        if (ignored > 0)
          log.warn(
            { issuer, ignored },
            'The issuer of tokens publishes keys that can’t be used: they are ignored.',
          )
        if (keySet) changed()
        keySet = { text, set: createLocalJWKSet({ keys }), readAt: time() }
      } else keySet.readAt = time()
      if (isSilent) log.info('The keys of the issuer of tokens can be read again.')
      isSilent = false
    } catch (err) {
      if (!isSilent) log.warn({ err, issuer }, 'The keys of the issuer of tokens can’t be read.')
      isSilent = true
    } finally {
      reading = undefined
      needed = undefined
    }
  }

  /** Reads the keys, but not soon after the last time. All that ask meanwhile share a read. */
  function readOnce(): Promise<void> | undefined {
    if (reading || ageOf(triedAt) < (isSilent ? pauseOfSilence : pause)) return reading
    triedAt = time()
    reading = read()
    return reading
  }

  /** As `readOnce`, for keys that are old. Nobody waits for an issuer that was silent a moment ago. */
  function readNeeded(): Promise<void> | undefined {
    const isKnownSilent = isSilent && ageOf(triedAt) < silentFor
    const begun = readOnce()
    if (!isKnownSilent) needed ??= begun
    return needed
  }

  const usable = () => (keySet && ageOf(keySet.readAt) < keysUsableFor ? keySet.set : undefined)

  /** Finds the key of a token (as jose has it). Only what can't be judged without waits for the issuer. */
  async function find(wait: Wait, ...args: Parameters<LocalJWKSet>): ReturnType<LocalJWKSet> {
    const age = keySet ? ageOf(keySet.readAt) : Number.POSITIVE_INFINITY
    if (age >= keysUsableFor) await wait(readOnce)
    else if (age >= keysFreshFor) await wait(readNeeded)
    else if (age >= keysReadAfter) void readOnce()
    const set = usable()
    if (!set) throw unavailable('The issuer of tokens does not answer')
    try {
      return await set(...args)
    } catch (error) {
      // Anybody can invent the name of a key: one at a time waits for the issuer.
      if (!(error instanceof errors.JWKSNoMatchingKey) || reading) throw error
      await wait(readOnce)
      return (usable() ?? set)(...args)
    }
  }
  void readOnce() // so that the log names a silent issuer at the start
  return { find }
}

/** Returns the public keys of a key set that can be used, and how many others there are (RFC 7517, section 5). */
function publicKeysIn(text: string): { keys: JWK[]; ignored: number } {
  const { keys } = JSON.parse(text)
  if (!Array.isArray(keys)) throw new Error('The issuer shows no list of keys')
  const usable = keys.filter(isPublicKey)
  return { keys: usable, ignored: keys.length - usable.length }
}

function isPublicKey(key: unknown): key is JWK {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JWK, format: 'jwk' }) // it throws for all else
    return (asymmetricKeyDetails?.modulusLength ?? leastModulus) >= leastModulus
  } catch {
    return false
  }
}

/** Returns the text of the issuer's key set (RFC 7517, section 5). @throws Error when it can't be read in time */
async function keysText({
  issuer,
  jwksUrl,
  readWithinMs = usuallyReadWithin,
}: TokenSettings): Promise<string> {
  const signal = AbortSignal.timeout(readWithinMs)
  if (jwksUrl !== undefined) return textAt(jwksUrl, signal)
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  // OpenID Connect Discovery 1.0, section 4, and RFC 8414, section 3
  const place = `${origin}${path}/.well-known/openid-configuration`
  const text = await textAt(place, signal).catch(() =>
    textAt(`${origin}/.well-known/oauth-authorization-server${path}`, signal),
  )
  const { issuer: namedIssuer, jwks_uri: url } = JSON.parse(text)
  if (namedIssuer !== issuer)
    throw new Error(`The metadata are those of ${namedIssuer}, and not of ${issuer}`)
  const isSafe = URL.parse(url)?.protocol === 'https:' || URL.parse(url)?.origin === origin
  if (!isSafe) throw new Error(`The keys must be at an https URL, and not at ${url}`)
  return textAt(url, signal)
}

/** Reads a text from a URL, up to a bound. It follows no redirect. */
async function textAt(url: string, signal: AbortSignal): Promise<string> {
  const reply = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  if (!reply.ok) throw new Error(`${url} answers with the status ${reply.status}`)
  const { bytes, isCut } = await readSome(reply, mostText, signal)
  if (isCut) throw new Error(`${url} answers with more than ${mostText} bytes, or not in time`)
  return bytes.toString()
}
