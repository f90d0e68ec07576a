import type { RequestTemplate } from './load.ts'

/** Makes a function that writes out the next request, as it stands on the wire. */
export function createRenderer(
  { method, path, headers = {}, body, ids: [least, greatest] = [1, 100_000] }: RequestTemplate,
  random = Math.random,
): () => string {
  const fields = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return () => {
    const id = String(least + Math.floor(random() * (greatest - least + 1)))
    const text = body?.replaceAll('{id}', id)
    const length = text === undefined ? '' : `Content-Length: ${text.length}\r\n`
    return `${method} ${path.replaceAll('{id}', id)} HTTP/1.1\r\n${fields.join('')}${length}\r\n${text ?? ''}`
  }
}
