import { jwtVerify } from 'jose'
import type { Checker } from 'spec-served'

/** Readers' cards: tokens that the desk signs with the secret of the setting CARD_SECRET. */
export const cards: Checker = {
  async find({ value }) {
    const { CARD_SECRET } = process.env
    if (!CARD_SECRET) throw new Error('CARD_SECRET is not set: write the secret of the cards into .env')
    const read = await jwtVerify(value, new TextEncoder().encode(CARD_SECRET)).catch(() => undefined)
    const reader = read?.payload.sub
    if (reader === undefined) return { fault: 'is no card of this library' }
    return { id: reader, scopes: [], plan: '', quotas: null, bannedUntil: null }
  },
}
