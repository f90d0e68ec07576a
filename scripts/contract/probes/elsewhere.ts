import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { readValue } from '../../../src/document/read.ts'
import { sendText } from '../bare.ts'
import { codeIn, codes, fields } from '../conventions.ts'
import type { Report } from '../report.ts'
import { keyHeader, type Session } from '../session.ts'
import type { WireReply } from '../world.ts'
import { probeMethods } from './methods.ts'
import { probeTargets } from './targets.ts'

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
  for (const path of [
    '/there/is/nothing/here',
    `${first.path}/`,
    `/${first.path}`,
    `${first.path};a=1`,
    first.path.toUpperCase(),
  ])
    hold(`the unknown path ${path}`, await ask('GET', path), 404, codes.notFound)
  await probeMethods(session, report)
  await probeTargets(session, report)
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
