import type { Endpoint } from '../../records/interface.ts'
import { itemsIn } from '../items.ts'
import { sizeOf } from '../promises.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'

/** The number of records that a list has at least, where the check may make some. */
const enough = 3

/** Asks a list for fewer items than there are. */
export async function probeSizes(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract, world } = session
  const kind = contract.kinds.find(({ list }) => list === endpoint)
  const parameter = sizeOf(contract, endpoint)
  if (!kind || !parameter) return
  if (world.hands.writes) for (let made = 0; made < enough; made++) await session.make(kind.parameter)
  const { minimum = 1 } = contract.shape(parameter.schema)
  const limit = Math.max(1, Number(minimum))
  const { query } = session.least(endpoint)
  const exchange = await session.ask(endpoint, { query: { ...query, [parameter.name]: limit } })
  const { status, body } = exchange.reply
  if (status !== 200) throw new LeftOut(`${endpoint.id} with ${parameter.name} is answered ${status}`)
  const length = itemsIn(body, endpoint.path)?.length
  const what = `${parameter.name}=${limit} gives a list of ${length} items`
  session.hold(exchange, what, length === undefined || length <= limit)
}
