import { setTimeout } from 'node:timers/promises'
import { type Answer, isDeclaredError } from '../support/http.ts'
import type { Service } from './service.ts'

/** How many orders the animal's stock is enough for. */
const stock = 1_000_000
/** How many orders are repeated at once. */
const repeatedAtOnce = 8

/** Places orders for one animal, and remembers which were acknowledged. */
export interface Orders {
  /**
   * Places orders from several callers at once until `stop` is called.
   * @param isPatient whether they repeat an order that was not placed, after Retry-After, before they place another
   */
  begin(callers: number, isPatient?: boolean): void
  stop(): Promise<void>
  /** Repeats unanswered orders, then counts. */
  settle(): Promise<{ acknowledged: number; lost: number; doubled: number; faults: string[] }>
  /** answers other than 201 by status, and those that were not in the document's form */
  refused: Map<number, number>
  foreign: string[]
  /** how many were broken off without an answer */
  broken(): number
  /** how many are acknowledged by now */
  placed(): number
}

export async function prepareOrders({ send }: Pick<Service, 'send'>): Promise<Orders> {
  const category = await made(send('POST', '/categories', { body: { name: `Kind ${crypto.randomUUID()}` } }))
  const pet = await made(send('POST', '/pets', { body: { name: 'Rex', categoryId: category } }))
  await send('PUT', `/store/inventory/${pet}`, { body: { quantity: stock } })

  const acknowledged = new Map<string, number>()
  const open = new Set<string>()
  const refused = new Map<number, number>()
  const foreign: string[] = []
  let broken = 0
  let stopped = true
  let callers: Promise<void>[] = []

  const order = (key: string) =>
    send('POST', '/store/orders', {
      body: { petId: pet, quantity: 1 },
      headers: { 'idempotency-key': key },
    })

  /**
   * @returns whether the order is placed; if not, whether it was sent, and the seconds until a retry, if the reply names
   *   them
   */
  async function place(key: string): Promise<{ isPlaced: boolean; isSent: boolean; retryAfter: number }> {
    let answer: Answer
    try {
      answer = await order(key)
    } catch (error) {
      broken++
      // If nobody listens, nothing was sent. Otherwise nobody knows whether the order was placed.
      const isSent = (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' // all that a request fails with are Errors
      return { isPlaced: false, isSent, retryAfter: 0 }
    }
    if (answer.status !== 201) {
      refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
      if (!isDeclaredError(answer)) foreign.push(`${answer.status} ${answer.text.slice(0, 200)}`)
      return { isPlaced: false, isSent: true, retryAfter: Number(answer.headers['retry-after'] ?? 0) }
    }
    const { id }: { id: number } = JSON.parse(answer.text)
    acknowledged.set(key, id)
    open.delete(key)
    return { isPlaced: true, isSent: true, retryAfter: 0 }
  }

  async function callOn(isPatient: boolean): Promise<void> {
    let key = crypto.randomUUID()
    while (!stopped) {
      open.add(key)
      const { isPlaced, isSent, retryAfter } = await place(key)
      if (!isPlaced) await setTimeout(isPatient ? Math.max(20, retryAfter * 1_000) : 20)
      if (isPlaced || (isSent && !isPatient)) key = crypto.randomUUID()
    }
  }

  return {
    refused,
    foreign,
    broken: () => broken,
    placed: () => acknowledged.size,
    begin(count, isPatient = false) {
      stopped = false
      callers = Array.from({ length: count }, () => callOn(isPatient))
    },
    async stop() {
      stopped = true
      await Promise.all(callers)
    },
    async settle() {
      const faults: string[] = []
      const left = [...open].values()
      const repeat = async () => {
        for (const key of left) {
          const end = performance.now() + 20_000
          while (!(await place(key)).isPlaced && performance.now() < end) await setTimeout(50)
          if (open.has(key)) faults.push(`the order ${key} could not be repeated within 20 s`)
        }
      }
      await Promise.all(Array.from({ length: repeatedAtOnce }, repeat))
      const ids = await orderIds(send, pet)
      const { quantity }: { quantity: number } = JSON.parse(
        (await send('GET', `/store/inventory/${pet}`)).text,
      )
      const { lost, doubled, ...counted } = tally([...acknowledged.values()], ids, quantity)
      faults.push(...counted.faults)
      if (foreign.length > 0) faults.push(`${foreign.length} answers are not the document's: ${foreign[0]}`)
      return { acknowledged: acknowledged.size, lost, doubled, faults }
    },
  }
}

/** Compares the orders that were acknowledged with those that are stored, and with what is left in stock. */
function tally(acknowledged: readonly number[], ids: readonly number[], quantity: number) {
  const stored = new Set(ids)
  const givenAgain = acknowledged.length - new Set(acknowledged).size // an identifier that is free again belonged to a lost order
  const lost = acknowledged.filter(id => !stored.has(id)).length + givenAgain
  const doubled = Math.max(0, ids.length - acknowledged.length)
  const faults: string[] = []
  if (lost > 0) faults.push(`${lost} acknowledged orders are lost`)
  if (doubled > 0) faults.push(`${doubled} orders are doubled`)
  if (quantity !== stock - ids.length)
    faults.push(`${quantity} are in stock, and ${stock - ids.length} should be`)
  return { lost, doubled, faults }
}

/** The identifiers of all orders for an animal. */
async function orderIds(send: Service['send'], pet: number): Promise<number[]> {
  const ids: number[] = []
  let path: string | undefined = `/store/orders?petId=${pet}&limit=100`
  while (path !== undefined) {
    const page: Answer = await send('GET', path)
    const orders: { id: number }[] = JSON.parse(page.text)
    ids.push(...orders.map(({ id }) => id))
    path = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1]
  }
  return ids
}

/** The identifier of a new record. */
export async function made(reply: Promise<Answer>): Promise<number> {
  const { status, text } = await reply
  if (status !== 201) throw new Error(`Not made: ${text}`)
  const { id }: { id: number } = JSON.parse(text)
  return id
}
