import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Checker } from '../access/security.ts'
import type { KnownKey } from '../storage/api-keys.ts'
import type { KeyCache } from '../storage/key-cache.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30
const checksumLength = 6

/** How a service's API keys look: a prefix by its name, 30 random characters of base 62, and their checksum in six. */
export type KeyForm = ReturnType<typeof keyForm>

/** @param name of the service: the keys of `petstore` begin with `pet_live_` */
export function keyForm(name: string) {
  const prefix = `${name.slice(0, 3)}_live_`
  const form = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`)
  const keyAnywhere = new RegExp(
    [...prefix].map(character => encodable(character, hexPattern(character))).join('') +
      `${encodable('[0-9A-Za-z]', '(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])')}{${secretLength + checksumLength}}`,
    'g',
  )
  return {
    /** A new API key: the only time that its text exists outside of its owner's hands. */
    mint(): string {
      const random = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
      return prefix + random + checksum(random)
    },
    /** Whether a text has the form of an API key and its checksum: a mistyped key is found out without a query. */
    fits(text: string): boolean {
      const [, random, check] = form.exec(text) ?? []
      return random !== undefined && checksum(random) === check
    },
    /** What may be shown of a key, to recognise it by. */
    preview: (key: string): string => `${key.slice(0, prefix.length + 4)}…`,
    /** A text in which nothing stands any more that has the form of a key. */
    redact(text: string): string {
      if (!text.includes(prefix) && !text.includes('%')) return text // nearly all lines of a log, at a tenth of the cost
      return text.replace(keyAnywhere, `${prefix}[redacted]`)
    },
  }
}

/** CRC-32 of the random part in base 62: finds every mistyped character, and proves nothing. */
function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

/** A character as it is or percent-encoded, once or several times over (RFC 3986, section 2.1). */
const encodable = (character: string, code: string) => `(?:${character}|%(?:25)*${code})`

function hexPattern(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.replace(/[a-f]/g, letter => `[${letter}${letter.toUpperCase()}]`)
}

/** The SHA-256 under which a key is stored, in hexadecimal. Keys are random, so neither salt nor stretching adds anything. */
export const hashKey = (key: string): string => hash('sha256', key)

/** Checks API keys; what is known of a key says who holds it. One that is malformed or mistyped costs no query. */
export function createKeyChecker(keys: KeyCache, now: () => Date, form: KeyForm): Checker {
  /** What is wrong with a key, as the end of a sentence; undefined when it is valid. */
  function faultOf({ disabled, expires_at: end }: KnownKey): string | undefined {
    if (disabled) return 'is disabled'
    return end && end <= now() ? 'has expired' : undefined
  }
  return {
    async find({ value: text }, from) {
      if (!form.fits(text)) return { fault: 'is not well-formed' }
      const key = await keys.find(hashKey(text), from)
      if (!key) return { fault: 'is not known' }
      const fault = faultOf(key)
      if (fault !== undefined) return { fault }
      keys.use(key)
      return key
    },
    recall({ value: text }) {
      const key = form.fits(text) ? keys.recall(hashKey(text)) : undefined
      return key && faultOf(key) === undefined ? key : undefined
    },
    forget: id => keys.forget([Number(id)]),
  }
}
