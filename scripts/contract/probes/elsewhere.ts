import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { readValue } from '../../../src/document/read.ts'
import { codeIn, codes, fields } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Report } from '../report.ts'
import { keyHeader, type Session } from '../session.ts'
import type { WireReply } from '../world.ts'

/**
 * Sends what belongs to no operation: unknown paths, methods that a path lacks, requests too long, too slow or broken.
 * The answer is the document's error all the same, and nothing but the document's operations is there.
 */
export async function probeElsewhere(session: Session, report: Report) {
  const { contract, world, key } = session
  const headers = keyHeader(contract, key)
  const ask = (method: string, url: string, more: Record<string, string> = {}) =>
    world.send({ method, url, headers: { ...headers, ...more } })
  const [first] = contract.endpoints
  if (!first) return
  const hold = (what: string, reply: WireReply, status: number, code: string) => {
    for (const fault of [...session.examineError(reply), ...world.takeLog()])
      report.add(undefined, `${what}: ${fault}`)
    const own = codeIn(reply.body)
    if (reply.status !== status || own !== code)
      report.add(undefined, `${what} is answered ${reply.status} ${own}, and not ${status} ${code}`)
  }
  for (const path of ['/there/is/nothing/here', `${first.path}/`, `/${first.path}`, first.path.toUpperCase()])
    hold(`the unknown path ${path}`, await ask('GET', path), 404, codes.notFound)
  // A concrete path is its own, whatever templates take it too (OpenAPI 3.0.3, Paths Object).
  for (const [path, endpoints] of Map.groupBy(contract.endpoints, ({ path }) => path))
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'])
      if (!endpoints.some(endpoint => endpoint.method === method)) {
        const reply = await ask(method, path.replace(/\{\w+\}/g, '1'))
        hold(`${method} ${path}`, reply, 405, codes.method)
        const own = endpoints.map(endpoint => endpoint.method)
        const due = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
        if (!isDeepStrictEqual(allowedBy(reply), new Set(due)))
          report.add(
            undefined,
            `${method} ${path}: Allow is ${reply.headers.allow}, and not ${due.join(', ')}`,
          )
      }
  for (const [id, isTaken] of [
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['no word', false],
  ] as const) {
    const { headers } = await ask('GET', first.path, { [fields.requestId]: id })
    if ((headers[fields.requestId] === id) !== isTaken)
      report.add(undefined, `the request id ${id} is ${isTaken ? 'not ' : ''}taken over`)
  }
  const long = await ask('GET', first.path, { 'x-long': 'a'.repeat(20_000) })
  hold('too long header fields', long, 431, codes.fieldsTooLarge)
  hold('what is no HTTP', await sendText(world.port, 'no HTTP\r\n\r\n'), 400, codes.invalid)
  const slow = await sendText(world.port, `${first.method} ${first.path} HTTP/1.1\r\nHost: a\r\n`)
  hold('a request that does not arrive in time', slow, 408, codes.timeout)
}

const allowedBy = ({ headers }: WireReply) => new Set((headers.allow ?? '').split(', '))

/** Sends a text over a bare connection and reads what comes until it is closed. */
function sendText(port: number, text: string): Promise<WireReply> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(10_000, () => socket.destroy(new Error('No answer in 10 seconds')))
    socket.on('data', chunk => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n')
      const [line = '', ...fields] = head.split('\r\n')
      const headers = fields.map(field => [
        field.split(': ')[0]?.toLowerCase(),
        field.slice(field.indexOf(': ') + 2),
      ])
      resolve({
        status: Number(line.split(' ')[1]),
        headers: Object.fromEntries(headers),
        text: body,
        length: body.length,
        body: body === '' ? undefined : JSON.parse(body),
      })
    })
  })
}

/** The document that is served is the one of the service, but for the origin that it names. */
export async function probeServedDocument(session: Session, report: Report) {
  // What is served may be written in another form that says the same.
  const inOneForm = async (value: unknown) => {
    const { servers, ...rest } = (await readValue(value, 'what is served')).document
    return { servers, rest }
  }
  const { rest: due } = await inOneForm(session.contract.model.document)
  for (const format of ['json', 'yaml']) {
    const { status, text } = await session.world.send({
      method: 'GET',
      url: `/openapi.${format}`,
      headers: {},
    })
    const served = status === 200 ? await inOneForm(parse(text)).catch(() => undefined) : undefined
    if (!served?.servers || !isDeepStrictEqual(served.rest, due))
      report.add(undefined, `/openapi.${format} is not the document`)
  }
}

/** What a service says of itself while something that it shares is away: operations that need no key. */
export async function probeDegraded(session: Session, endpoints: readonly Endpoint[], report: Report) {
  for (const endpoint of endpoints)
    if (!endpoint.secured) report.hold(await session.exchange(endpoint, session.draw(endpoint)), '', true)
}
