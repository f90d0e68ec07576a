import { createHmac } from 'node:crypto'

/** How hashes of keys are stored: as they are, or sealed with a pepper that the database does not know. */
export interface Seal {
  /** what every hash that is sealed with its pepper begins with; undefined: there is none */
  mark: string | undefined
  /** The form in which a hash is stored. */
  stored(hash: string): string
  /** Every form in which a hash may have been stored, by this process or before there was a pepper. */
  forms(hash: string): readonly string[]
}

/** What every sealed hash begins with, whatever the pepper; one that is not sealed is hexadecimal. */
export const sealed = 'hmac-sha256:'

/**
 * Seals with HMAC-SHA-256 over the SHA-256 of a key (RFC 2104), so that hashes can be sealed when nobody has the keys.
 * A sealed hash names its pepper by the beginning of an HMAC of no key's hash, so that another one is found out.
 */
export function createSeal(pepper?: string): Seal {
  if (pepper === undefined) return { mark: undefined, stored: hash => hash, forms: hash => [hash] }
  const hmac = (text: string) => createHmac('sha256', pepper).update(text).digest('hex')
  const mark = `${sealed}${hmac('name of the pepper').slice(0, 8)}:`
  const stored = (hash: string) => mark + hmac(hash)
  return { mark, stored, forms: hash => [stored(hash), hash] }
}

export const unsealed = createSeal()
