import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The data that a client has sent, and maybe read, when its connection is reset. */
export interface ResetState {
  name: string
  bytes: string
  /** Whether it waits for the first bytes of the reply, and reads no more than these. */
  isAnswered: boolean
}

/** Each state of a request on the API port, or, with the path of the metrics, on theirs. */
export function resetStates(key: string, path = '/pets?limit=1', longPath = '/openapi.json'): ResetState[] {
  const head = (line: string, ...fields: string[]) =>
    [`${line} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...fields, '', ''].join('\r\n')
  const get = head(`GET ${path}`)
  const upload = head('POST /categories', 'Content-Type: application/json', 'Content-Length: 99')
  const upgrade = head(`GET ${path}`, 'Connection: Upgrade', 'Upgrade: websocket')
  const state = (name: string, bytes: string, isAnswered = false) => ({ name, bytes, isAnswered })
  return [
    state('before the head', ''),
    state('in the head', get.slice(0, 20)),
    state('in the body', `${upload}{"name`),
    state('CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'),
    state('CONNECT, answered', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', true),
    state('CONNECT after requests', `${get.repeat(3)}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`),
    state('Upgrade', upgrade),
    state('Upgrade, answered', upgrade, true),
    state('a malformed request', 'HELLO\r\n\r\n'),
    state('a malformed request, answered', 'HELLO\r\n\r\n', true),
    state('another version of HTTP', `GET ${path} HTTP/2.0\r\n\r\n`, true),
    state('waiting for replies', get.repeat(10)),
    state('while replies are sent', head(`GET ${longPath}`).repeat(20), true),
    state('after a reply, idle', get, true),
    state('after the last reply', head(`GET ${path}`, 'Connection: close'), true),
    state('after a half-close', get),
  ]
}

/** Opens a connection and brings it to a state. */
export async function reach(port: number, { name, bytes, isAnswered }: ResetState): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {}) // the server may end it first
  await once(socket, 'connect')
  const arrived = isAnswered ? Promise.race([once(socket, 'data'), once(socket, 'close')]) : undefined
  if (bytes !== '') await new Promise(resolve => socket.write(bytes, resolve))
  if (name === 'after a half-close') socket.end()
  await arrived
  socket.pause()
  return socket
}

/**
 * Resets connections in each state: some once that is reached, some once the server has read what came before.
 * @param seen resolves once the server has had a turn
 */
export async function resetInEach(
  port: number,
  states: readonly ResetState[],
  seen: () => Promise<unknown>,
): Promise<void> {
  await Promise.all(states.map(async state => (await reach(port, state)).resetAndDestroy()))
  const sockets = await Promise.all(states.map(state => reach(port, state)))
  await seen()
  for (const socket of sockets) socket.resetAndDestroy()
  await seen()
}
