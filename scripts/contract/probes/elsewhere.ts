import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { readValue } from '../../document/reading/read.ts'
import {
  codes,
  createdAt,
  credential,
  fields,
  health,
  parameters,
  saneRequestId,
  usage,
} from '../conventions.ts'
import { keyHeader, type Session } from '../session.ts'
import { holdError } from './answers.ts'

/**
 * Sends what belongs to no operation: unknown paths, request ids. The answer is the document's error all the same, and nothing but the document's operations is there.
 */
export async function probeElsewhere(session: Session) {
  const { contract, world, key, holdOf } = session
  const ask = (method: string, url: string, more: Record<string, string> = {}) => {
    const request = { method, url, headers: { ...keyHeader(contract, key), ...more } }
    return world.send(request).then(reply => ({ request, reply }))
  }
  const { path = '' } = contract.endpoints[0] ?? {}
  const given: unknown[] = []
  for (let time = 0; time < 5; time++) given.push((await ask('GET', path)).reply.headers[fields.requestId])
  const isOwn = new Set(given).size === given.length && given.every(id => saneRequestId.test(String(id)))
  holdOf(undefined, `requests without an id get ${given.join(', ')}`, isOwn)
  const unknown = ['/there/is/nothing/here', `${path}/`, `/${path}`, `${path};a=1`, path.toUpperCase()]
  for (const path of unknown)
    holdError(session, `the unknown path ${path}`, await ask('GET', path), 404, codes.notFound)
  const ids = { ['a'.repeat(128)]: true, ['a'.repeat(129)]: false, 'no word': false }
  for (const [id, isTaken] of Object.entries(ids)) {
    const sent = await ask('GET', path, { [fields.requestId]: id })
    const isRight = (sent.reply.headers[fields.requestId] === id) === isTaken
    session.holdOf(undefined, `the request id ${id} is ${isTaken ? 'not ' : ''}taken over`, isRight, sent)
  }
}

/** What is no request, one that is too long, and one that does not come to its end. */
export async function probeBroken(session: Session) {
  const ask = (text: string) => session.world.sendText(text).then(reply => ({ reply }))
  const long = await ask(
    `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(20_000)}\r\nConnection: close\r\n\r\n`,
  )
  holdError(session, 'too long header fields', long, 431, codes.fieldsTooLarge)
  holdError(session, 'what is no HTTP', await ask('no HTTP\r\n\r\n'), 400, codes.invalid)
  const slow = await ask('GET / HTTP/1.1\r\nHost: a\r\n')
  holdError(session, 'a request that does not arrive in time', slow, 408, codes.timeout)
}

/** What the check goes by is in the document, under the name that it knows: probes would find nothing by another one. */
export async function probeNames({ contract, holdOf }: Session) {
  const text = JSON.stringify(contract.model.document).toLowerCase()
  const { window, use, ...told } = usage
  const { states, ...ofHealth } = health
  const groups = {
    fields,
    parameters,
    credential,
    codes,
    told,
    window,
    use,
    ofHealth,
    states,
    createdAt: { createdAt },
  }
  for (const names of Object.values(groups))
    for (const name of Object.values(names)) {
      const isThere = text.includes(`"${name.toLowerCase()}"`)
      holdOf(undefined, `the document has no ${name}, by which the check goes (conventions.ts)`, isThere)
    }
}

/** The document that is served is the one of the service, but for the origin that it names. */
export async function probeServedDocument(session: Session) {
  // What is served may be written in another form that says the same.
  const inOneForm = async (value: unknown) => {
    const { servers, ...rest } = (await readValue(value, 'what is served')).document
    return { servers, rest }
  }
  const { rest: due } = await inOneForm(session.contract.model.document)
  const copies: unknown[] = []
  for (const format of ['json', 'yaml']) {
    const request = { method: 'GET', url: `/openapi.${format}`, headers: {} }
    const reply = await session.world.send(request)
    const served =
      reply.status === 200 ? await inOneForm(parse(reply.text)).catch(() => undefined) : undefined
    const isRight = served?.servers !== undefined && isDeepStrictEqual(served.rest, due)
    session.holdOf(undefined, `/openapi.${format} is not the document`, isRight, { request, reply })
    copies.push(served)
  }
  session.holdOf(
    undefined,
    '/openapi.json says other than /openapi.yaml',
    isDeepStrictEqual(copies[0], copies[1]),
  )
}
