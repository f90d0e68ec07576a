import { served } from '../basics/served.js'
import { count } from '../basics/words.js'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30
const checkLength = 6

/**
 * Returns the key in a text that was pasted with what stands around it, such as quotes, `Bearer` or the name of its field.
 * @param {string} text
 * @param {string} scheme the name of the security scheme
 */
export function keyIn(text, scheme) {
  const { key } = served
  const bare = text.trim()
  if (key?.scheme !== scheme) return bare
  const start = bare.indexOf(key.prefix)
  if (start < 0 || /\w/.test(bare.charAt(start - 1))) return bare
  const [found = ''] = /^[0-9A-Za-z]*/.exec(bare.slice(start + key.prefix.length)) ?? []
  const rest = bare.slice(start + key.prefix.length + found.length)
  return /^["'`,;}\s]*$/.test(rest) ? key.prefix + found : bare
}

/**
 * Returns why a text can't be a key of this service: its form, or its check digits, are wrong. Only a service whose keys
 * the engine makes has check digits.
 * @param {string} text
 * @param {string} scheme the name of the security scheme
 */
export function faultOfKey(text, scheme) {
  const { key } = served
  if (key?.scheme !== scheme) return undefined
  const digits = text.slice(key.prefix.length)
  const length = secretLength + checkLength
  if (!text.startsWith(key.prefix) || !/^[0-9A-Za-z]*$/.test(digits))
    return `This is no key: a key is ${key.prefix} followed by ${length} letters and digits.`
  if (digits.length !== length)
    return `The key is not whole: it has ${count(digits.length, 'character')} after ${key.prefix}, and ${length} belong there.`
  return checkDigitsOf(digits.slice(0, secretLength)) === digits.slice(secretLength)
    ? undefined
    : 'The check digits of the key do not fit: a character is wrong. Copy the key again.'
}

/**
 * The CRC-32 (ISO 3309) of a text in ASCII, in base 62.
 * @param {string} text
 */
function checkDigitsOf(text) {
  let crc = 0xffffffff
  for (const character of text) {
    crc ^= character.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let place = 0; place < checkLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
