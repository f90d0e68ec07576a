import { DatabaseUnavailable } from 'spec-served/internal/database/failures'
import { health, readiness } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'

const { states } = health
const [well, , broken] = states
type State = (typeof states)[number]

/**
 * Checks what a service says of its health. The version is the document's. The whole is as bad as its worst dependency.
 * While its database fails it says so, and when that is back it says that.
 * @param due its state as it was started
 */
export async function probeHealth(session: Session, endpoint: Endpoint, due: State = well): Promise<void> {
  const { contract } = session
  const ask = async (when: string, state: State) => {
    const exchange = await session.ask(endpoint, {}, { key: null })
    const { status, body } = exchange.reply
    const { [health.status]: whole, [health.version]: version, [health.dependencies]: parts } = recordIn(body)
    const partStates = (Array.isArray(parts) ? parts : []).map(part => recordIn(part)[health.status])
    const worst = Math.max(0, ...states.map((level, index) => (partStates.includes(level) ? index : 0)))
    const hold = (what: string, holds: boolean) => session.hold(exchange, `${when}, ${what}`, holds)
    hold(`it is reported as ${whole}, and it is ${state}`, whole === state)
    const message = `what it depends on is ${states[worst]} at worst, and the whole is ${whole}`
    hold(message, whole === states[worst])
    hold(`it is answered ${status}`, (status === endpoint.success) === (state !== broken))
    const released = contract.model.document.info.version
    hold(`its ${health.version} is ${version}, and the document's ${released}`, version === released)
    // Load balancers ask there, where the service has such an address and the document none of its own.
    const ready = await session.send('GET', readiness)
    const isThere = ready.reply.status !== 404 && !contract.endpointFor('GET', readiness)
    const isRight = !isThere || ready.reply.status < 300 === (state !== broken)
    session.holdOf(undefined, `${when}, GET ${readiness} is answered ${ready.reply.status}`, isRight, ready)
  }
  await ask('in the usual state', due)
  session.database.fail(new DatabaseUnavailable('Cut by the check'))
  await ask('while its database fails', broken)
  await ask('while its database still fails', broken)
  session.database.fail(undefined)
  await ask('when its database is back', due)
}
