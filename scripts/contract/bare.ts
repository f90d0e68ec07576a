import { connect } from 'node:net'
import { parseJson, type WireReply } from './world.ts'

/**
 * Sends a text as it is over a connection of its own, and reads what comes until it is closed.
 * @param text with `Connection: close`, where it is HTTP
 */
export function sendText(port: number, text: string): Promise<WireReply> {
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
        body: parseJson(body),
      })
    })
  })
}
