import { isDeepStrictEqual } from 'node:util'
import { docsAddresses, someOrigin } from 'spec-served-document/contract/addresses'
import { readValue } from 'spec-served-document/reading/read'
import { parse } from 'yaml'
import {
  codes,
  createdAt,
  credential,
  fields,
  health,
  parameters,
  saneRequestId,
  usage,
} from '../../records/conventions.ts'
import type { Session } from '../session.ts'

/**
 * Sends what belongs to no operation: unknown paths, request ids. The answer is the document's error all the same, and
 * nothing but the document's operations is there.
 */
export async function probeElsewhere(session: Session) {
  const { contract, key, holdOf } = session
  const ask = (url: string, more = {}) => session.send('GET', url, { ...session.keyHeader(key), ...more })
  const { path = '' } = contract.endpoints[0] ?? {}
  const givenIds: unknown[] = []
  for (let time = 0; time < 5; time++) givenIds.push((await ask(path)).reply.headers[fields.requestId])
  const isOwn =
    new Set(givenIds).size === givenIds.length && givenIds.every(id => saneRequestId.test(String(id)))
  holdOf(undefined, `requests without an id get ${givenIds.join(', ')}`, isOwn)
  for (const url of ['/there/is/nothing/here', `${path}/`, `/${path}`, `${path};a=1`, path.toUpperCase()])
    session.holdError(`the unknown path ${url}`, await ask(url), codes.notFound)
  // No parameter of a path is empty.
  const paths = new Set(contract.endpoints.map(endpoint => endpoint.path))
  for (const url of new Set([...paths].map(template => template.replace(/\{[^{}]+\}/g, ''))))
    if (url !== '/' && !paths.has(url))
      session.holdError(`the path ${url} without its parameter`, await ask(url), codes.notFound)
  const ids = { ['a'.repeat(128)]: true, ['a'.repeat(129)]: false, 'no word': false }
  for (const [id, isTaken] of Object.entries(ids)) {
    const sent = await ask(path, { [fields.requestId]: id })
    const isRight = (sent.reply.headers[fields.requestId] === id) === isTaken
    holdOf(undefined, `the request id ${id} is ${isTaken ? 'not ' : ''}sent back`, isRight, sent)
  }
}

/** Sends malformed requests: one that is not HTTP, one that is too long, and some that do not end. */
export async function probeBroken({ contract, world, key, keyHeader, holdError }: Session) {
  const begun = 'GET / HTTP/1.1\r\nHost: a\r\n'
  const broken = [
    {
      what: 'too long header fields',
      text: `${begun}X: ${'a'.repeat(20_000)}\r\n\r\n`,
      due: codes.fieldsTooLarge,
    },
    { what: 'a malformed HTTP request', text: 'HELLO\r\n\r\n', due: codes.invalid },
    { what: 'a request that does not arrive in time', text: begun, due: codes.timeout },
  ]
  const maker = contract.endpoints.find(
    ({ path, mediaTypes }) => mediaTypes.length > 0 && !path.includes('{'),
  )
  if (maker) {
    const headers = { ...keyHeader(key), 'content-type': maker.mediaTypes[0], 'content-length': 99 }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const text = `${maker.method} ${maker.path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n{`
    broken.push({ what: 'a body that does not arrive in time', text, due: codes.timeout })
  }
  for (const { what, text, due } of broken) holdError(what, { reply: await world.sendText(text) }, due)
}

/** Checks that the document has the names that the check goes by. Under other names, probes would find nothing. */
export async function probeNames({ contract, holdOf }: Session) {
  const text = JSON.stringify(contract.model.document).toLowerCase()
  const { window, use, ...usageNames } = usage
  const { states, ...ofHealth } = health
  const groups = [fields, parameters, credential, usageNames, window, use, ofHealth, states, [createdAt]]
  const all = [...groups, Object.values(codes).map(({ code }) => code)].flatMap(group => Object.values(group))
  for (const name of all) {
    const isThere = text.includes(`"${String(name).toLowerCase()}"`)
    holdOf(undefined, `the document has no ${name}, by which the check goes (conventions.ts)`, isThere)
  }
}

/** The document that is served is the one of the service, but for the origin that it names. */
export async function probeServedDocument(session: Session) {
  // The served document may be written in another form that says the same.
  const inOneForm = async (value: unknown) => {
    const { servers, ...rest } = (await readValue(value, 'what is served')).document
    return { servers, rest }
  }
  const { rest: due } = await inOneForm(session.contract.model.document)
  const copies: unknown[] = []
  for (const format of ['json', 'yaml']) {
    const sent = await session.send('GET', `/openapi.${format}`)
    const { status, text } = sent.reply
    const served = status === 200 ? await inOneForm(parse(text)).catch(() => undefined) : undefined
    const isRight = served?.servers !== undefined && isDeepStrictEqual(served.rest, due)
    session.holdOf(undefined, `/openapi.${format} is not the document`, isRight, sent)
    copies.push(served)
  }
  const isSame = isDeepStrictEqual(copies[0], copies[1])
  session.holdOf(undefined, '/openapi.json says other than /openapi.yaml', isSame)
  if (session.world.hands.settings) await holdPlace(session)
}

/** The document leads back to where it was asked for, in each of its forms, unless an operator has told another address. */
async function holdPlace(session: Session): Promise<void> {
  const host = 'shop.example:81'
  const { json, yaml, llms } = docsAddresses(session.contract.model)
  for (const address of [json, yaml, llms]) {
    const sent = await session.send('GET', address, { host })
    const { status, text } = sent.reply
    const isThere = text.includes(`http://${host}`) && !text.includes(someOrigin)
    session.holdOf(
      undefined,
      `${address}, asked for at ${host}, leads elsewhere`,
      isThere || status === 404,
      sent,
    )
  }
}
