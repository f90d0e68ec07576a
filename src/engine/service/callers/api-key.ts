import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30
const checksumLength = 6

/** The form of a service's API keys: a prefix from its name, 30 random characters (base 62), a checksum of six. */
export type KeyForm = ReturnType<typeof keyForm>

/** @param name of the service; the keys of `petstore` begin with `pet_live_` */
export function keyForm(name: string) {
  const prefix = `${name.slice(0, 3)}_live_`
  const form = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`)
  const keyAnywhere = new RegExp(
    [...prefix].map(character => encodable(character, hexPattern(character))).join('') +
      `${encodable('[0-9A-Za-z]', '(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])')}{${secretLength + checksumLength}}`,
    'g',
  )
  return {
    /** what each key begins with */
    prefix,
    /** Makes a new API key. Afterwards only its owner has the text. */
    mint(): string {
      const random = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
      return prefix + random + checksum(random)
    },
    /** Whether a text has the form of an API key and a valid checksum. So a mistyped key costs no query. */
    fits(text: string): boolean {
      const [, random, check] = form.exec(text) ?? []
      return random !== undefined && checksum(random) === check
    },
    /** The part of a key that may be shown, to recognise it. */
    preview: (key: string): string => `${key.slice(0, prefix.length + 4)}…`,
    /** Removes everything that has the form of a key from a text. */
    redact(text: string): string {
      if (!text.includes(prefix) && !text.includes('%')) return text // the fast path for nearly all log lines, at a tenth of the cost
      return text.replace(keyAnywhere, `${prefix}[redacted]`)
    },
  }
}

/** CRC-32 of the random part in base 62. It detects any mistyped character, and proves nothing. */
function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

/** A pattern for a character as it is or percent-encoded, once or several times over (RFC 3986, section 2.1). */
const encodable = (character: string, code: string) => `(?:${character}|%(?:25)*${code})`

function hexPattern(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.replace(/[a-f]/g, letter => `[${letter}${letter.toUpperCase()}]`)
}
