// Readers for the texts of environment variables. Each throws an Error whose message ends the sentence "NAME …".

import { closeSync, openSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostsIn } from '../database/hosts.ts'
import { readRedisPlace, redisUrlsIn, unixForm } from '../limits/redis-place.ts'

/** A whole number, from `min` to `max`. */
export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  }
}

/** A share of a whole. */
export function share(text: string): number {
  if (/^(0|1|0\.\d{1,9}|1\.0+)$/.test(text)) return Number(text)
  throw new Error('must be a number from 0 to 1, such as 0.001')
}

/** The number of processes that serve. */
export function workers(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= 256) return Number(text)
  throw new Error('must be auto or a whole number from 1 to 256')
}

export function oneOf<const T extends string>(...values: T[]) {
  return (text: string): T => {
    const value = values.find(choice => choice === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }
}

const encoded = 'must have its user and password percent-encoded, such as %23 for #, %2F for / and %40 for @'

/** Whether a URL was cut within its password, by a character that should be encoded. */
function hasStrayAt({ username, pathname, search, hash }: URL): boolean {
  return (pathname + hash + (username === '' ? search : '')).includes('@')
}

/** Reads a switch: on or off. */
export const switched = (text: string): boolean => oneOf('on', 'off')(text) === 'on'

export function url(...protocols: string[]) {
  return (text: string): string => {
    const isKnown = protocols.some(name => text.toLowerCase().startsWith(`${name}//`))
    const parsed = URL.parse(text)
    const schemes = protocols.map(name => `${name}//`).join(' or ')
    if (isKnown && (parsed ? hasStrayAt(parsed) : text.includes('@'))) throw new Error(encoded)
    if (!isKnown || !parsed) throw new Error(`must be a valid URL that begins with ${schemes}`)
    return text
  }
}

/** A URL with TLS, or one on this machine. */
export function secureUrl(text: string): string {
  const { protocol, hostname, search = '', hash = '', username = '' } = URL.parse(text) ?? {}
  const isLocal = protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname ?? '')
  if ((protocol === 'https:' || isLocal) && search + hash + username === '') return text
  throw new Error('must be a URL that begins with https:// (or http:// on this machine), without a query')
}

/** Algorithms of signatures with a public key (RFC 7518, RFC 8037, RFC 9864). */
export const signatureAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
]

/** A text without spaces. */
export function word(text: string): string {
  if (/^\S+$/.test(text)) return text
  throw new Error('must be a text without spaces')
}

/** Reads pairs NAME=VALUE, separated by commas. A name may have a = of its own. */
export function pairs(text: string): Readonly<Record<string, string>> {
  const read = text.split(',').map(pair => /^(\S.*)=([^=]+)$/.exec(pair.trim()))
  if (read.includes(null)) throw new Error('must be a list of NAME=VALUE, separated by commas')
  return Object.fromEntries(read.map(match => [match?.[1] ?? '', match?.[2] ?? '']))
}

/** Reads several values, separated by commas. */
export function list<T>(read: (text: string) => T) {
  return (text: string): readonly T[] => text.split(',').map(part => read(part.trim()))
}

/** A secret that is long enough not to be guessed. */
export function pepper(text: string): string {
  if (text.length < 32) throw new Error('must have 32 characters or more')
  return text
}

/** PostgreSQL: a host, or several of which one is the primary. */
export function databaseUrl(text: string): string {
  const check = url('postgres:', 'postgresql:')
  if (URL.canParse(text) || !text.includes(',')) check(text)
  hostsIn(text).forEach(check)
  const mode = URL.parse(text)?.searchParams.get('sslmode')
  if (mode && !sslModes.includes(mode))
    throw new Error(`must have an sslmode of ${sslModes.join(', ')}, not ${mode}`)
  return text
}

/** Source: the modes of libpq that pg knows, and its own `no-verify` (pg-connection-string). */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Redis or Valkey: a server, the nodes of a Cluster, Sentinels, or a socket. */
export function redisUrls(text: string): string {
  if (!unixForm.test(text)) redisUrlsIn(text).forEach(url('redis:', 'rediss:'))
  readRedisPlace(text)
  return text
}

/** Removes the secrets from a list of URLs. A URL that can't be read is removed, because its secrets can't be found. */
export function withoutSecrets(text: string): string | undefined {
  const shown = text.split(',').map(part => {
    const parsed = URL.parse(part)
    if (!parsed || parsed.host === '' || hasStrayAt(parsed)) return undefined
    const { protocol, username, password, host, pathname } = parsed
    // A user without a password may be a token.
    const user = password === '' ? username && '***@' : `${username}:***@`
    return `${protocol}//${user}${host}${pathname}`
  })
  return shown.includes(undefined) ? undefined : shown.join(',')
}

/** Origins of pages, or all. */
export function origins(text: string): '*' | readonly string[] {
  if (text === '*') return '*'
  const names = text.split(',').map(origin => origin.trim())
  if (names.every(origin => URL.parse(origin)?.origin === origin)) return names
  throw new Error('must be * or a list of origins (https://shop.example)')
}

/** An origin, and the path below it that a proxy takes away. */
export function httpPlace(text: string): string {
  const { origin, pathname = '' } = URL.parse(text) ?? {}
  const path = pathname === '/' ? '' : pathname
  if (/^https?:/.test(text) && text === `${origin}${path}` && /^(\/[\w.~-]+)*$/.test(path)) return text
  throw new Error('must be an origin (https://api.example.com) in lower case, with a path (/service) at most')
}

/** The proxies that may set a request's address and protocol: none, all, the nearest N, or a list. */
export function trustProxy(text: string): boolean | number | string[] {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const addresses = text.split(',').map(address => address.trim())
  if (addresses.every(isAddressOrRange)) return addresses
  throw new Error('must be true, false, a number of proxies, or a list of addresses or ranges (10.0.0.0/8)')
}

function isAddressOrRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)]
  if (bits === undefined || rest.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits)
}

export const milliseconds = integer(1, 600_000)

/** Longest secret in a file, in bytes. More is another file, or one that never ends. */
const longest = 65_536

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this process may not read it',
  EPERM: 'this process may not read it',
  EISDIR: 'it is a directory',
}

/** Reads a secret from a file, without line ends after it. @throws Error that ends the sentence "NAME_FILE …" */
export function readSecretFile(file: string): string {
  const bytes = Buffer.alloc(longest + 1)
  const refuse = (reason: string, cause?: unknown) => {
    throw new Error(`names ${JSON.stringify(file)}, which ${reason}`, { cause })
  }
  let length = 0
  try {
    const descriptor = openSync(file, 'r')
    for (let read = -1; read !== 0 && length <= longest; length += read)
      read = readSync(descriptor, bytes, { offset: length })
    closeSync(descriptor)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException // the system throws these errors
    refuse(`can't be read: ${reasons[code] ?? message}`, error)
  }
  if (length > longest) refuse(`is longer than ${longest} bytes`)
  const text = bytes.toString('utf8', 0, length).replace(/[\r\n]+$/, '')
  if (text === '') refuse('is empty')
  return text
}
