import { setTimeout as sleep } from 'node:timers/promises'
import { changeCounts, codeIn, codes, credential } from '../../records/conventions.ts'
import type { Session } from '../session.ts'
import { need } from '../world.ts'
import {
  change,
  changerOf,
  type Issued,
  issue,
  type Life,
  livesOf,
  newSecret,
  overlapsOf,
  use,
} from './issuing.ts'
import { quotasFor } from './quotas.ts'

/** How often a secret is replaced twice at once: whether the service meets both in one turn is chance. */
const rounds = 5
const day = 86_400_000

/** A change of a credential counts at each server soon. Of two replacements at once, one comes after the other. */
export async function probeSharing(session: Session): Promise<void> {
  for (const life of livesOf(session)) {
    session.clock.advance(day) // before it so many requests without a key have come that their address may be banned
    await session.probe('credentials at once: replacements', () => replaceTogether(life))
    await session.probe('credentials at once: servers', () => useElsewhere(life))
  }
  if (session.contract.limits) await session.probe('credentials at once: bans', () => banElsewhere(session))
}

/** Both new secrets are valid, as the one before is beside the next one. The secret before them is not. */
async function replaceTogether(life: Life): Promise<void> {
  const { session, parameter } = life
  const body = { [credential.overlapHours]: overlapsOf(life)[0] }
  const endpoint = changerOf(life, 'POST', body)
  for (let round = 0; round < rounds; round++) {
    const { id, secret } = await issue(life)
    const draft = { ...session.least(endpoint, body), path: { [parameter]: id }, header: {} }
    const sent = await session.together([draft, draft].map(item => ({ endpoint, draft: item })))
    if (sent.some(({ reply }) => reply.status >= 300)) continue
    for (const issuedSecret of sent.map(item => newSecret(session, item)))
      await use(life, issuedSecret, true, 'of one of two replacements at once')
    await use(life, secret, false, 'that was replaced twice at once')
  }
}

/** A credential that was used at a server before is refused there soon after another server has changed it. */
async function useElsewhere(life: Life): Promise<void> {
  const { session } = life
  const twin = await need(session.world, 'twin')()
  const hold = async ({ secret }: Issued, status: number, when: string) => {
    session.clock.advance(changeCounts * 1_000)
    const draft = session.least(session.costly)
    const key = session.keyHeader(secret)
    for (const exchange of await session.together([{ endpoint: session.costly, draft }], key, [twin]))
      session.holdStatus(exchange, `a credential that another server has ${when}`, status)
  }
  try {
    const issued = await issue(life)
    await hold(issued, session.costly.success, 'issued')
    await change(life, issued, 'PATCH', { [credential.disabled]: true })
    await hold(issued, 401, 'disabled')
    await change(life, issued, 'PATCH', { [credential.disabled]: false })
    await hold(issued, session.costly.success, 'enabled')
    await change(life, issued, 'DELETE', {})
    await hold(issued, 401, 'removed')
  } finally {
    await twin.close()
  }
}

/** A caller who is banned at one server is refused soon at another, which has served the same caller before. */
async function banElsewhere(session: Session): Promise<void> {
  const { clock, costly, limits } = session
  const twin = await need(session.world, 'twin')()
  const quotas = quotasFor(limits.windows, () => 1)
  const allowed = Number(limits.plans[limits.anonymous]?.[limits.windows[0]?.name ?? ''])
  const banned = [
    { key: await session.newKey(quotas), who: 'a key', refusal: codes.keyBanned, requests: 1 },
    { key: null, who: 'an address', refusal: codes.addressBanned, requests: allowed },
  ]
  try {
    for (const { key, who, refusal, requests } of banned) {
      const ask = () => session.ask(costly, {}, { key })
      const first = await ask()
      await twin.send(first.request)
      for (let sent = 1; sent < requests + limits.ban.refusals; sent++) await ask()
      clock.advance(changeCounts * 1_000)
      let exchange = first
      // These are fewer requests than the other server would have to refuse to ban the caller by itself.
      for (let waited = 0; waited <= changeCounts; waited++) {
        if (waited > 0) await sleep(1_000)
        exchange = { ...first, reply: await twin.send(first.request) }
        if (codeIn(exchange.reply.body) === refusal.code) break
      }
      session.holdRefusal(exchange, `${who} that another server has banned`, refusal)
    }
  } finally {
    clock.advance(limits.ban.seconds * 1_000)
    await twin.close()
  }
}
