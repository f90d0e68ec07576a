import type { RequestTemplate } from './load.ts'

/** How many requests have been sent with keys in turn, so that the next run goes on where the last one stopped. */
export interface Turn {
  sent: number
}

/** Makes a function that writes out the next request, as it stands on the wire. */
export function createRenderer(
  { method, path, headers = {}, body, ids = [1, 100_000], keys, inTurn }: RequestTemplate,
  turn: Turn,
  random = Math.random,
): () => string {
  const fields = Object.entries({ Host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n'
  const begin = `${method} ${path} HTTP/1.1\r\n${fields.join('')}${type}`
  const [least, greatest] = ids
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))

  const keyField = () => {
    if (!keys) return ''
    const index =
      inTurn === undefined ? draw(0, keys.length - 1) : Math.floor(turn.sent++ / inTurn) % keys.length
    return `X-API-Key: ${keys[index]}\r\n`
  }
  const finish = (head: string, text: string | undefined) =>
    text === undefined
      ? `${head}${keyField()}\r\n`
      : `${head}${keyField()}Content-Length: ${text.length}\r\n\r\n${text}`
  if (!/\{(id|address)\}/.test(begin + body)) return () => finish(begin, body)
  return () => {
    const id = draw(least, greatest)
    const fill = (text: string) => text.replaceAll('{id}', String(id)).replaceAll('{address}', addressOf(id))
    return finish(fill(begin), body && fill(body))
  }
}

/** An IPv4 address of a private network for each number up to 2^24. */
const addressOf = (id: number) => `10.${(id >> 16) & 255}.${(id >> 8) & 255}.${id & 255}`
