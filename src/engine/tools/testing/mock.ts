import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Seed } from '../mock/seed.ts'

/** A mock of a service, in the process of its tests. */
export interface Mock extends AsyncDisposable {
  /**
   * Answers a request as the document says, as `fetch` of the Web does. The origin of its URL does not matter. A path without
   * an origin is taken, too.
   * @throws TypeError for a request that can't be made; AbortError where its signal ends it
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Brings the records of the start back. */
  reset(): void
  close(): Promise<void>
}

/** The choices for a mock; each is that of `spec-served mock`. */
export interface MockSettings {
  /** the records at the start, by the paths of their lists, in place of the document's examples */
  seed?: Seed
  /** the only credentials that are right, besides issued ones; any is without it */
  credentials?: readonly string[]
  /** whether each reply is an example, and nothing is kept */
  stateless?: boolean
}

/** Statuses whose replies have no body (Fetch Standard, 2.2.3). */
const withoutBody = new Set([204, 205, 304])

/**
 * Makes a mock of a document (OpenAPI 3.0 to 3.2) that listens nowhere and counts no limits. Mock Service Worker takes it as
 * `http.all('https://api.example/*', ({ request }) => mock.fetch(request))`.
 * @param document its value, or the file that has it
 * @throws Error for a document that can't be served, and for a seed that it does not take
 */
export async function createMock(
  document: string | URL | Readonly<Record<string, unknown>>,
  { seed, credentials = [], stateless = false }: MockSettings = {},
): Promise<Mock> {
  // The readers of documents are no part of what other tests load.
  const [
    { readWithOverlays },
    { readValue },
    { modelOf },
    { createKeeper },
    { mockContract, serveContract },
  ] = await Promise.all([
    import('../project-document.ts'),
    import('spec-served-document/reading/read'),
    import('spec-served-document/model'),
    import('../mock/keeper.ts'),
    import('../mock/serve.ts'),
  ])
  const isFile = typeof document === 'string' || document instanceof URL
  const read = isFile
    ? await readWithOverlays(document instanceof URL ? fileURLToPath(document) : document)
    : await readValue(structuredClone(document), 'document')
  const text = read.overlaid || JSON.stringify(document)
  const contract = mockContract(text, modelOf(read.document), false)
  const keeper = stateless
    ? undefined
    : createKeeper(contract, { secrets: credentials, ...(seed && { seed }) })
  const app = await serveContract(contract, { keeper, maxWaitMs: 60_000 })
  const close = () => app.close()

  async function answer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input instanceof Request ? input : new URL(input, 'http://localhost'), init)
    const { pathname, search } = new URL(request.url)
    const payload = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
    request.signal.throwIfAborted()
    const reply = await app.inject({
      method: request.method as 'GET', // Fastify's types name the usual methods
      url: `${pathname}${search}`,
      headers: { host: new URL(request.url).host, ...Object.fromEntries(request.headers) },
      payloadAsStream: true,
      signal: request.signal,
      ...(payload && { payload }),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(reply.headers))
      for (const line of [value ?? []].flat()) headers.append(name, String(line))
    const isEmpty = request.method === 'HEAD' || withoutBody.has(reply.statusCode)
    const stream = reply.stream()
    if (isEmpty) stream.resume()
    const body = isEmpty ? null : (Readable.toWeb(stream) as ReadableStream<Uint8Array>) // the same class
    return new Response(body, { status: reply.statusCode, statusText: reply.statusMessage, headers })
  }
  return { fetch: answer, reset: () => keeper?.reset(), close, [Symbol.asyncDispose]: close }
}
