import { codeIn, codes, body as limits, pointersIn } from '../conventions.ts'
import { type Endpoint, shapeOf } from '../interface.ts'
import { type Exchange, keyHeader, type Session } from '../session.ts'
import { isEncoded, readingsOf } from '../strict.ts'
import { holdError, isRefused } from './answers.ts'

/** Sends an operation the corpus of what lenient readers let pass, and all faults of a request at once. */
export async function probeReading(session: Session, endpoint: Endpoint) {
  const taken = await session.taken(endpoint)
  const request = {
    ...taken.request,
    headers: { ...taken.request.headers, ...keyHeader(session.contract, session.key) },
  }
  for (const reading of readingsOf(session.drawing(endpoint), endpoint, request)) {
    if (!isEncoded(reading.request.url.split('?')[0] ?? '')) {
      const sent = { request: reading.request, reply: await session.world.send(reading.request) }
      holdError(session, `${endpoint.id}: ${reading.name}`, sent, 400, codes.invalid)
      continue
    }
    const exchange = await session.sendRaw(endpoint, reading.request, taken.draft)
    const { status, body } = exchange.reply
    if (reading.due === 'read') {
      const isRead = status < 500 && ![400, 413, 415].includes(status)
      session.hold(exchange, `${reading.name} is answered ${status}`, isRead)
    } else {
      const [due, code] =
        reading.due === 'refused' ? ([400, codes.invalid] as const) : ([413, codes.tooLarge] as const)
      const isRight = isRefused(session, exchange, due, code)
      session.hold(
        exchange,
        `${reading.name} is answered ${status} ${codeIn(body) ?? ''}, and not ${due}`,
        isRight,
      )
      if (isRight && reading.at !== undefined) holdPointer(session, exchange, reading.name, reading.at)
    }
  }
  await probeAll(session, endpoint, taken)
}

function holdPointer(session: Session, exchange: Exchange, name: string, at: string): void {
  const own = pointersIn(exchange.reply.body)
  const isNamed = own.some(
    pointer => pointer === at || pointer.startsWith(`${at}/`) || `/body${pointer}` === at,
  )
  session.hold(exchange, `the refusal of ${name} names ${own.join(' ') || 'nothing'}, and not ${at}`, isNamed)
}

/** Several faults are told at once, up to so many of them. */
async function probeAll(session: Session, endpoint: Endpoint, { request, draft }: Exchange) {
  const { type } = shapeOf(session.contract.model, endpoint.request.properties.body ?? {})
  if (type !== 'object') return
  const members = Object.entries(JSON.parse(request.body ?? '{}') as object) // of a body that was drawn as an object
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  /** Names that are not declared, each so many times: to be there twice is a fault of its own, before all others. */
  const ask = async (count: number, times = 1) => {
    const unknown = Array.from({ length: count * times }, (_, index) => `"unknown${index % count}":0`)
    const body = `{${[...members, ...unknown].join()}}`
    const headers = { ...request.headers, ...keyHeader(session.contract, session.key) }
    const exchange = await session.sendRaw(endpoint, { ...request, headers, body }, draft)
    const due = Math.min(count, limits.details)
    const told = pointersIn(exchange.reply.body).length
    session.hold(exchange, `of ${count} faults of a request ${told} are told, and not ${due}`, told === due)
  }
  await ask(3)
  await ask(limits.details + 1)
  await ask(3, 2)
  await ask(limits.details + 1, 2)
}
