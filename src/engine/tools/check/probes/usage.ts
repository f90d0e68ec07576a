import { setTimeout as sleep } from 'node:timers/promises'
import { changedByUse, credential, usage } from '../../records/conventions.ts'
import type { Endpoint, Interface } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { type Life, livesOf } from './issuing.ts'
import { listOf } from './pages.ts'
import { endOf, quotasFor, windowsIn } from './quotas.ts'

/** How long a use may take to be shown, and how often it is looked for meanwhile, in ms. */
const shownWithin = 15_000
const lookEvery = 500
/** How long ago the last use may be, in ms: it is told to the minute. */
const recent = 120_000
/** The units of which a time may be a whole number, by its description, in ms. */
const units: Readonly<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 }

/** Checks that a caller is told what it was given, and its limits as the reply's header fields tell them. */
export async function probeUsage(session: Session): Promise<void> {
  const { costly, contract, limits } = session
  const { name: called, limit, remaining, reset } = usage.window
  for (const teller of contract.endpoints.filter(({ gives }) => usage.windows in (gives.properties ?? {})))
    for (const [plan, { custom }] of Object.entries(limits.plans)) {
      const quotas = quotasFor(limits.windows, index => 10 * (index + 1))
      const key = await session.keys.issue({ plan, scopes: contract.scopes, ...(custom && { quotas }) })
      for (let call = 0; call < 3; call++) await session.ask(costly, {}, { key })
      const exchange = await session.ask(teller, {}, { key })
      const body = recordIn(exchange.reply.body)
      for (const [name, due] of Object.entries({
        [credential.plan]: plan,
        [credential.scopes]: contract.scopes,
      }))
        if (name in body) session.holdSame(exchange, `the ${name} that the caller gets`, body[name], due)
      const due = windowsIn(exchange.reply).map(item => ({
        [called]: item.name,
        [limit]: item.limit,
        [remaining]: item.left,
        [reset]: endOf(session, item.seconds),
      }))
      session.holdSame(exchange, usage.windows, body[usage.windows], due)
    }
}

/** Whether replies of an operation tell when a record was used. */
export const showsUse = ({ gives }: Endpoint, { shape }: Interface): boolean => {
  const { properties = {} } = gives.items ? shape(gives.items) : gives
  return Object.keys(properties).some(name => changedByUse.has(name))
}

/** The credential that requests are sent with is shown as used soon, while the service runs on. */
export async function probeShownUses(session: Session): Promise<void> {
  for (const life of livesOf(session)) await holdShown(life)
}

async function holdShown({ session, reader, list }: Life): Promise<void> {
  const { key } = session
  if (!reader || !list || !showsUse(reader, session.contract) || typeof key !== 'string') return
  const isOwn = (item: object) => {
    const begins = String(recordIn(item)[credential.preview]).replace(/…$/, '')
    return begins !== '' && key.startsWith(begins)
  }
  const own = (await listOf(session, list).walk()).find(isOwn)
  session.holdOf(list, 'it does not show the credential in use', own !== undefined)
  if (!own) return
  for (const name of changedByUse) {
    const look = () => session.on(reader, own.id)
    let shown = await look()
    for (
      let waited = 0;
      recordIn(shown.reply.body)[name] === undefined && waited < shownWithin;
      waited += lookEvery
    ) {
      await sleep(lookEvery)
      shown = await look()
    }
    const usedAt = recordIn(shown.reply.body)[name]
    const ago = session.clock.now().getTime() - Date.parse(String(usedAt))
    session.hold(shown, `${name} of the credential in use is ${usedAt}`, ago >= 0 && ago < recent)
    const { description } = session.contract.shape(reader.gives.properties?.[name])
    const [, unit = ''] = /\bto the (second|minute|hour)\b/.exec(String(description)) ?? []
    const isWhole = !(Date.parse(String(usedAt)) % (units[unit] ?? 1) > 0)
    session.hold(shown, `${name} is ${usedAt}, and its description says to the ${unit}`, isWhole)
  }
}
