import { isDeepStrictEqual } from 'node:util'
import { codes } from '../../records/conventions.ts'
import type { Session } from '../session.ts'
import { allowedBy, methodsOf } from './methods.ts'

/** Host fields: names and addresses, and texts that are neither (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const hosts = ['a', 'example.com:80', '127.0.0.1', '[::1]:3000', 'a:'] as const
const noHosts = ['', 'a b', 'a/b', 'a:b', 'a@b', '[::1', 'a,b?'] as const

/**
 * Sends requests with an unusual target or Host. Each form that HTTP/1.1 has for the same target is answered as the
 * usual one. A target or Host without a meaning is refused (RFC 9112, section 3.2).
 */
export async function probeTargets(session: Session): Promise<void> {
  const { contract, world, key } = session
  const read = contract.free ?? contract.costly
  if (!read) return
  const { path, success } = read
  const credentials = Object.entries(session.keyHeader(key)).map(([name, value]) => `${name}: ${value}`)
  const ask = (requestLine: string, fields: readonly string[] = ['Host: a']) =>
    world.sendText(`${[requestLine, ...fields, ...credentials, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  const isRead = async (title: string, requestLine: string, fields?: readonly string[]) => {
    const reply = await ask(requestLine, fields)
    const isRight = reply.status === success
    session.holdOf(undefined, `${title} is answered ${reply.status} instead of ${success}`, isRight, {
      reply,
    })
  }
  const isRefused = async (title: string, requestLine: string, fields?: readonly string[]) =>
    session.holdError(title, { reply: await ask(requestLine, fields) }, codes.invalid)
  const line = `GET ${path} HTTP/1.1`
  for (const host of hosts) await isRead(`Host: ${host}`, line, [`Host: ${host}`])
  for (const host of noHosts) await isRefused(`Host: ${host}`, line, [`Host: ${host}`])
  await isRefused('a request without Host', line, [])
  await isRefused('a request with Host twice', line, ['Host: a', 'Host: a'])
  await isRefused('a request with Host twice, one of them broken', line, ['Host: a', 'host: a b'])
  // Other expectations than 100-continue may be ignored (RFC 9110, section 10.1.1), and the guide knows no 417.
  await isRead('an unknown expectation', line, ['Host: a', 'Expect: nothing'])
  await isRead('a request of HTTP/1.0 without Host', `GET ${path} HTTP/1.0`, [])

  for (const origin of ['http://a', 'http://example.com:8080', 'HTTP://A', 'https://a'])
    await isRead(`the target ${origin}${path}`, `GET ${origin}${path} HTTP/1.1`, ['Host: other'])
  await isRefused('a target in absolute form with a broken host', `GET http://a@b${path} HTTP/1.1`)
  for (const target of ['*', path.slice(1), `${path}#a`, `${path}?a=#`, `ftp://a${path}`])
    await isRefused(`the target ${target}`, `GET ${target} HTTP/1.1`)
  await isRefused('a target with characters that no URL has', `GET ${path}?a=\u00e9 HTTP/1.1`)

  const server = await ask('OPTIONS * HTTP/1.1')
  const due = methodsOf(contract.endpoints)
  const { status, headers } = server
  const isRight = status === 204 && isDeepStrictEqual(allowedBy(server), new Set(due))
  const what = `OPTIONS * is answered ${status} with Allow ${headers.allow} instead of 204 with ${due}`
  session.holdOf(undefined, what, isRight, { reply: server })
}
