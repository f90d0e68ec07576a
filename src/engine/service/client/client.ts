import createFetchClient, {
  type ClientOptions,
  type ClientPathsWithMethod,
  type Client as FetchClient,
  type FetchOptions,
  type FetchResponse,
  type ParseAs,
} from 'openapi-fetch'
import {
  type Forms,
  isJson,
  readReply,
  typeOf,
  type Writing,
  withoutReserved,
  writeBody,
  writeCookies,
  writeHeaders,
  writePath,
  writeQuery,
} from 'spec-served-document/formats/writing'
import { type Place, type Places, parseExactly, stringifyExactly, toTexts, toValues } from './places.ts'
import { isOfEvents, readEvent, type ServerSentEvent, StreamCut, textsIn } from './sequences.ts'

/** The items of a stream of events: events, or their data, which are texts or JSON. */
type ItemsOfEvents = 'events' | 'texts' | 'values'

/** The facts that a client needs besides the types. */
export interface Facts {
  /** the operations that take an Idempotency-Key, such as `POST /pets` */
  repeatable: readonly string[]
  /** how requests are written that are not written as usual, by operations such as `POST /pets` */
  writing?: Readonly<Record<string, Writing>>
  /** where dates and whole numbers of 64 bits stand, if they are no plain JSON */
  places?: Places
  /** the operations that answer sequences, such as `POST /answers`, with their media types, and what events are there */
  sequences?: Readonly<Record<string, Readonly<Record<string, ItemsOfEvents>>>>
  /** the operations that answer HTML, such as `GET /report`; undefined: not known */
  html?: readonly string[]
  /** the path of the document's server, and of those that operations have of their own */
  servers?: { path: string; others: Readonly<Record<string, string>> }
}

/** A request that is sent again. */
export interface Retry {
  request: Request
  /** undefined where none came */
  response: Response | undefined
  /** how long it waits before that, in ms */
  waitMs: number
}

export interface Options extends ClientOptions {
  /** How often a request is sent again at most; 4 by default, 0 for never. */
  maxRetries?: number
  /** A reply that asks to wait longer than this is given back instead, in ms; a minute by default. */
  maxWaitMs?: number
  /** Called before each retry. */
  onRetry?: (retry: Retry) => void
}

/** The paths whose GET answers a list. */
type ListPath<Paths> = {
  [Path in keyof Paths]: [ItemOf<Paths[Path]>] extends [never] ? never : Path
}[keyof Paths] &
  string

type ItemOf<Path> = Path extends {
  get: { responses: { 200: { content: { 'application/json': readonly (infer Item)[] } } } }
}
  ? Item
  : never

type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace'

/** The media types that an operation takes a body in. */
type TypesOf<Operation> = Operation extends { requestBody?: { content: infer Content } }
  ? Concrete<keyof Content>
  : never
type Concrete<Name> = Name extends '*/*'
  ? `${string}/${string}`
  : Name extends `${infer Type}/*`
    ? `${Type}/${string}`
    : Name

type OperationOf<Item, M extends Method> =
  Item extends Record<M, infer Operation extends Record<string, unknown>> ? Operation : never

/** The options that `fetch` and openapi-fetch take with a call, whatever its operation. */
type Sending = Omit<FetchOptions<unknown>, 'params' | 'body' | 'parseAs' | 'method'>
/**
 * The options of a call: the parameters of its operation by their places, its body, and those of `fetch`. Of several media types
 * the first is sent unless `contentType` names another.
 */
type Init<Operation> = Sending & { contentType?: TypesOf<Operation> } & ParametersOf<Operation> &
  BodyOf<Operation>
type ParametersOf<Operation> = Operation extends { parameters: infer Parameters }
  ? Pick<Parameters, PlaceOfParameters & keyof Parameters>
  : unknown
type PlaceOfParameters = 'path' | 'query' | 'header' | 'cookie'
type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? [Content[keyof Content]] extends [never]
    ? { body?: undefined }
    : { body: Content[keyof Content] }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: Content[keyof Content] }
    : { body?: undefined }
// Without required properties nothing has to be given.
type OptionsOf<All> = Record<never, never> extends All ? [All?] : [All]

type Call<Paths extends object, M extends Method> = <
  Path extends ClientPathsWithMethod<FetchClient<Paths>, M>,
  As extends ParseAs | undefined = undefined,
>(
  path: Path,
  ...init: OptionsOf<Init<OperationOf<Paths[Path], M>> & { parseAs?: As }>
) => Promise<Reply<OperationOf<Paths[Path], M>, As>>

/** The data of a success, or the error of any other reply. */
type Reply<Operation extends Record<string, unknown>, As> =
  FetchResponse<Operation, { parseAs: As }, `${string}/${string}`> extends infer Either
    ? Either extends { error: infer Failure }
      ? { data?: never; error: ErrorOf<Failure>; response: Response }
      : Either
    : never
/** A refusal that the document gives no body has an error, too. */
type ErrorOf<Failure> = [Failure] extends [never]
  ? RequestFailed<never>
  : Failure extends undefined
    ? RequestFailed<never>
    : Failure

/** The operations of a method that has no call of its own, as if they were POST. */
type Further<Paths, Name> = {
  [Path in keyof Paths as FurtherOf<Paths[Path], Name> extends never ? never : Path]: {
    post: FurtherOf<Paths[Path], Name>
  }
}
type FurtherOf<Item, Name> = Name extends 'QUERY'
  ? Item extends { query: infer Operation }
    ? Operation
    : never
  : Item extends { additionalOperations: { [Own in Name & string]: infer Operation } }
    ? Operation
    : never

/** The paths with an operation that answers a sequence of items. */
type StreamPath<Paths> = {
  [Path in keyof Paths]: [Streaming<Paths[Path]>] extends [never] ? never : Path
}[keyof Paths] &
  string
/** The operations of a path that answer sequences. */
type Streaming<Item> = {
  [M in (Method | 'query') & keyof Item]: [Streamed<Item[M]>] extends [never] ? never : Item[M]
}[(Method | 'query') & keyof Item]
/** The items of the sequences that an operation answers. */
type Streamed<Operation> = Operation extends { responses: infer Responses }
  ? Success<Responses> extends infer Successful
    ? Successful extends { content: infer Content }
      ? { [Type in keyof Content]: ItemsIn<Type, Content[Type]> }[keyof Content]
      : never
    : never
  : never
type Success<Responses> = Responses[(200 | 201 | 202 | '2XX') & keyof Responses]
type ItemsIn<Type, Content> = Type extends 'application/json'
  ? never
  : Content extends readonly (infer Item)[]
    ? Item
    : Type extends `text/event-stream${string}`
      ? ServerSentEvent & { data: string }
      : Type extends `${string}${'jsonl' | 'ndjson' | 'json-seq'}${string}`
        ? Content
        : never
/** The options of a stream: the same as of a call, by each of the operations of its path that answer sequences. */
type StreamInit<Operation> = Operation extends unknown ? Init<Operation> : never

/**
 * The calls of a service, and lists and sequences item by item. All take the same options: `path`, `query`, `header` and `cookie`
 * for the parameters, `body`, and those of `fetch`. Another option is refused with a `TypeError`, and nothing is sent.
 */
export type Client<Paths extends object> = Pick<FetchClient<Paths>, 'use' | 'eject'> & {
  [M in Method as Uppercase<M>]: Call<Paths, M>
} & {
  /**
   * The items of a list, page after page: `for await (const pet of client.items('/pets', { query: { limit: 50 } }))`.
   * @throws RequestFailed at the first page that is refused
   */
  items<Path extends ListPath<Paths>>(
    path: Path,
    ...init: OptionsOf<Init<OperationOf<Paths[Path], 'get'>>>
  ): AsyncGenerator<ItemOf<Paths[Path]>, void, undefined>
  /**
   * The items of a sequence, as they come: `for await (const event of client.stream('/events'))`, or
   * `client.stream('/answers', { body })` of an operation that takes a body. A stream of events that is cut goes on behind the
   * last one that had an `id`, where the request may be sent again (`Last-Event-ID`).
   * @throws RequestFailed where the request is refused
   * @throws StreamCut where it breaks off before its end
   */
  stream<Path extends StreamPath<Paths>>(
    path: Path,
    ...init: OptionsOf<StreamInit<Streaming<Paths[Path]>>>
  ): AsyncGenerator<Streamed<Streaming<Paths[Path]>>, void, undefined>
  /** Calls of a method that has no call of its own here: `client.of('QUERY')('/pets', { body })`. */
  of<Name extends string>(method: Name): Call<Further<Paths, Name>, 'post'>
}

/** The reply that a request was refused with; `code` says why. */
export class RequestFailed<Code extends string = string> extends Error {
  override name = 'RequestFailed'
  readonly code: Code | undefined
  readonly status: number
  /** the identifier to name when asking for help */
  readonly requestId: string | null
  /** the reply's body, whatever it is */
  readonly body: unknown

  constructor(body: unknown, response: Response) {
    const { code, message } = (typeof body === 'object' && body !== null ? body : {}) as {
      code?: Code // as the document says
      message?: unknown
    }
    super(
      `${response.status}${code === undefined ? '' : ` ${code}`}: ${String(message ?? response.statusText)}`,
    )
    this.code = code
    this.status = response.status
    this.requestId = response.headers.get('X-Request-Id')
    this.body = body
  }
}

/**
 * Returns the data of a call.
 * @throws RequestFailed for a refusal
 */
export function need<Data, Failure>(result: { data?: Data; error?: Failure; response: Response }): Data {
  if (result instanceof Promise) throw new TypeError('need takes the result of a call: write need(await …).')
  if (result.response.ok) return result.data as Data // a success without a body has none
  if (result.error instanceof RequestFailed) throw result.error
  throw new RequestFailed<CodeOf<Failure>>(result.error, result.response)
}

type CodeOf<Failure> = Failure extends { code: infer Code extends string } ? Code : string

/**
 * A client for a service, typed by its document. It repeats a request that was not done, or is safe to repeat. It
 * waits as `Retry-After` says, or for a pause that doubles. Each call of an operation that takes an Idempotency-Key
 * gets one, so that repeating it is safe, too.
 * @throws TypeError for an option that does not exist
 */
export function connect<Paths extends object>(
  { repeatable, writing = {}, sequences = {}, html, places, servers }: Facts,
  {
    maxRetries = 4,
    maxWaitMs = 60_000,
    onRetry = () => {},
    fetch = globalThis.fetch,
    ...options
  }: Options = {},
): Client<Paths> {
  refuseUnknown('A client', options, optionsOfClients)
  const client = createFetchClient<Paths>({
    ...options,
    fetch: sent => sendWithRetries(sent, { maxRetries, maxWaitMs, onRetry, fetch }),
  })
  const takesKey = new Set(repeatable)
  /** the texts of refusals, which openapi-fetch would round */
  const refusals = new WeakMap<Response, string>()
  if (places)
    client.use({
      async onResponse({ response }) {
        if (!response.ok) refusals.set(response, await response.clone().text())
      },
    })
  client.use({
    onRequest({ request: built, schemaPath, params }) {
      const operation = `${built.method} ${schemaPath}`
      if (takesKey.has(operation) && !built.headers.has('Idempotency-Key'))
        built.headers.set('Idempotency-Key', crypto.randomUUID())
      const cookies = writeCookies(params.cookie ?? {}, writing[operation]?.cookie)
      if (cookies !== '')
        built.headers.set('Cookie', [built.headers.get('Cookie') ?? [], cookies].flat().join('; '))
    },
  })

  // The compiler can't follow the types of all paths at once. `Client` gives them back.
  const request = client.request as unknown as (method: string, path: string, init: object) => Promise<Result>

  /**
   * Sends a request as the document has it written; what the caller says of that itself comes first.
   * @throws TypeError for an option that does not exist
   */
  async function call(method: string, path: string, given: AnyInit = {}): Promise<Result> {
    const operation = `${method} ${path}`
    refuseUnknown(operation, given, optionsOfCalls)
    if (fetch === globalThis.fetch && !given.fetch) refuseUnreachable(given.baseUrl ?? options.baseUrl)
    const { contentType, path: inPath, query, header, cookie, ...init } = given
    const forms = writing[operation] ?? {}
    const types = forms.body ?? {}
    const headers = init.headers instanceof Headers ? Object.fromEntries(init.headers) : { ...init.headers }
    const named = Object.keys(headers).find(name => name.toLowerCase() === 'content-type') ?? ''
    const { [named]: typeGiven, ...others } = headers
    const type = contentType ?? typeGiven ?? Object.keys(types)[0] ?? 'application/json'
    const body = init.body === undefined ? undefined : bodyOf(operation, init.body, type, types[type])
    const said = { path: inPath, query, header, cookie }
    const params = (places ? toTexts(said) : said) as typeof said // its parts stay what they are
    const result = await request(method, path, {
      pathSerializer:
        options.pathSerializer ?? ((text: string, values: object) => writePath(text, values, forms.path)),
      querySerializer:
        options.querySerializer ?? ((values: object) => withoutReserved(writeQuery(values, forms.query))),
      bodySerializer: options.bodySerializer ?? (() => body),
      parseAs: 'stream',
      ...(servers?.others[operation] !== undefined && {
        baseUrl: besides(servers.path, servers.others[operation]),
      }),
      ...init,
      params: { ...params, path: params.path ?? {}, header: writeHeaders(params.header ?? {}, forms.header) },
      headers: { ...others, ...(body !== undefined && { 'Content-Type': typeOf(body, type, init.body) }) },
    })
    const { response } = result
    if (!response.ok) return refused({ ...result, ...refusalIn(operation, result) })
    if (init.parseAs !== undefined) return result
    const replied = response.headers.get('Content-Type')
    if (html && /^text\/html\b/i.test(replied ?? '') && !html.includes(operation)) {
      await response.body?.cancel()
      throw new TypeError(
        `${operation} was answered ${response.status} with HTML, which the service does not send there: see whether baseUrl leads to a proxy or a page for a login (${response.url}).`,
      )
    }
    const read = await readReply(result.data, replied, places && parseExactly).catch((cause: unknown) => {
      init.signal?.throwIfAborted()
      const reason = cause instanceof Error ? cause.message : String(cause)
      const text = `${operation} was answered ${response.status}, and the reply can’t be read to its end (${reason}): a proxy may have cut it. See what the operation has done before you send it again.`
      throw cause instanceof SyntaxError ? new SyntaxError(text, { cause }) : new TypeError(text, { cause })
    })
    return { ...result, data: places ? toValues(places, read, ...placesOf(operation, response)) : read }
  }

  /** The base URL of an operation that has a server of its own: its path in the place of the other. */
  function besides(path: string, query: string): string {
    const base = (options.baseUrl ?? '').replace(/\/+$/, '')
    const above = base.endsWith(path) ? base.slice(0, base.length - path.length) : URL.parse(base)?.origin
    return `${above ?? ''}${query}`
  }

  function bodyOf(operation: string, value: unknown, type: string, forms?: Forms): unknown {
    if (!places) return writeBody(value, type, forms)
    const isValue = !(value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    if (!isJson(type) || !isValue) return writeBody(toTexts(value), type, forms)
    return stringifyExactly(places, value, ...[places.bodies[operation] ?? []].flat())
  }

  function refusalIn(operation: string, { error, response }: Result): { error?: unknown } {
    const text = refusals.get(response)
    if (!places || text === undefined || typeof error !== 'object') return {}
    return { error: toValues(places, parseExactly(text), ...placesOf(operation, response)) }
  }

  function placesOf(operation: string, { status }: Response): Place[] {
    const statuses = places?.replies[operation] ?? {}
    return [statuses[status] ?? statuses[`${Math.floor(status / 100)}XX`] ?? statuses.default ?? []].flat()
  }

  async function* items(path: string, init: AnyInit = {}): AsyncGenerator<unknown, void, undefined> {
    let page = await call('GET', path, init)
    for (;;) {
      const list = need(page) ?? []
      if (!Array.isArray(list))
        throw new TypeError(
          `GET ${path} was answered with something else than a list: call GET, and not items.`,
        )
      yield* list
      const next = nextIn(page.response)
      if (next === undefined) return
      page = await call('GET', path, { ...init, query: {}, querySerializer: () => next })
    }
  }

  async function* stream(
    path: string,
    { headers, ...init }: AnyInit = {},
  ): AsyncGenerator<unknown, void, undefined> {
    const operations = Object.keys(sequences).filter(name => name.slice(name.indexOf(' ') + 1) === path)
    const takesBody = init.body !== undefined
    const fitting = operations.find(name => name.startsWith('GET ') !== takesBody)
    const operation = fitting ?? operations[0] ?? `GET ${path}`
    const [method = ''] = operation.split(' ')
    const types = sequences[operation] ?? {}
    const sent = new Headers(headers)
    if (!sent.has('Accept') && Object.keys(types).length > 0)
      sent.set('Accept', Object.keys(types).join(', '))
    const last: Last = { id: sent.get('Last-Event-ID') ?? undefined, retryMs: reconnectsAfter }
    for (let cuts = 0; ; cuts++) {
      if (last.id !== undefined) sent.set('Last-Event-ID', last.id)
      const reply = await call(method, path, { ...init, headers: sent, parseAs: 'stream' })
      try {
        for await (const item of itemsOf(operation, reply, types, last, init.signal)) {
          cuts = 0
          yield item
        }
        return
      } catch (error) {
        const isOver = last.id === undefined || !isRepeatable(method) || cuts >= maxRetries
        if (!(error instanceof StreamCut) || isOver)
          throw error instanceof StreamCut ? new StreamCut(error.cause, last.id) : error
      }
      await pause(last.retryMs, init.signal)
    }
  }

  /** @param last notes what events say of how to go on */
  async function* itemsOf(
    operation: string,
    reply: Result,
    types: Readonly<Record<string, ItemsOfEvents>>,
    last: Last,
    signal?: AbortSignal,
  ): AsyncGenerator<unknown, void, undefined> {
    const body = need(reply) as ReadableStream<Uint8Array> | undefined // as was asked for
    if (!body) return
    const type = reply.response.headers.get('Content-Type') ?? ''
    const [essence = ''] = type.split(';')
    if (isJson(essence) && !/seq/.test(essence)) {
      await body.cancel()
      throw new TypeError(
        `${operation} was answered with ${essence}, which is no sequence of items: call ${operation.split(' ')[0]} or items, and not stream.`,
      )
    }
    const parse = places ? parseExactly : JSON.parse
    const read = (item: unknown) =>
      places ? (toValues(places, [item], ...placesOf(operation, reply.response)) as unknown[])[0] : item
    const ofEvents = types[essence.trim().toLowerCase()] ?? 'events'
    for await (const text of textsIn(body, type, signal)) {
      if (!isOfEvents(type)) {
        yield read(parse(text))
        continue
      }
      const event = readEvent(text)
      last.id = event.id ?? last.id
      last.retryMs = event.retry ?? last.retryMs
      if (event.data === undefined) continue
      yield read(ofEvents === 'events' ? event : ofEvents === 'texts' ? event.data : parse(event.data))
    }
  }

  const of = (method: string) => (path: string, init?: AnyInit) => call(method, path, init)
  const calls = methods.map(method => [method, of(method)])
  const { use, eject } = client
  return { ...Object.fromEntries(calls), use, eject, items, stream, of } as unknown as Client<Paths> // likewise
}

/** How long a stream that was cut waits before it goes on, unless it says so itself, in ms. */
const reconnectsAfter = 1_000

/** How a stream goes on after a cut. */
interface Last {
  id: string | undefined
  retryMs: number
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

interface Result {
  data?: unknown
  error?: unknown
  response: Response
}

/** Gives a refusal without a body an error: it differs from a success by that alone. */
const refused = (result: Result): Result =>
  result.error ? result : { ...result, error: new RequestFailed(result.error, result.response) }

/** The parts that every request may have, whatever its operation. */
interface AnyInit extends Partial<Record<PlaceOfParameters, object>> {
  baseUrl?: string
  fetch?: Options['fetch']
  body?: unknown
  contentType?: string
  headers?: Headers | Record<string, string>
  parseAs?: string
  querySerializer?: () => string
  signal?: AbortSignal
}

/** The options of `fetch`, with those that Node, Next.js and Cloudflare add. */
const optionsOfFetch = (
  'cache credentials integrity keepalive mode priority redirect referrer referrerPolicy signal window duplex ' +
  'dispatcher next cf'
).split(' ')
/** The options of openapi-fetch for all calls and for each. */
const optionsOfBoth = 'baseUrl bodySerializer fetch headers pathSerializer querySerializer'.split(' ')
const optionsOfClients = [
  ...['maxRetries', 'maxWaitMs', 'onRetry', 'Request', 'requestInitExt'],
  ...optionsOfBoth,
  ...optionsOfFetch,
]
const optionsOfCalls = [
  ...['path', 'query', 'header', 'cookie', 'body', 'contentType', 'parseAs', 'middleware'],
  ...optionsOfBoth,
  ...optionsOfFetch,
]

/** @throws TypeError for an option that would have no effect */
function refuseUnknown(who: string, given: object, options: readonly string[]): void {
  const unknown = Object.keys(given).filter(name => !options.includes(name))
  if (unknown.length === 0) return
  const said = options.filter(name => !optionsOfFetch.includes(name)).join(', ')
  throw new TypeError(
    `${who} has no option ${unknown.join(', ')}: nothing was sent. The options are ${said}, and those of fetch, such as signal.`,
  )
}

/** @throws TypeError for a base URL that `fetch` can't call. In a page it may be relative. */
function refuseUnreachable(baseUrl = ''): void {
  const url = URL.parse(baseUrl)
  if (url ? /^https?:$/.test(url.protocol) : 'location' in globalThis) return
  const is = baseUrl === '' ? 'missing' : JSON.stringify(baseUrl)
  throw new TypeError(`baseUrl is ${is}, and must be a URL such as https://api.example: nothing was sent.`)
}

/** The query of the next page (RFC 8288). */
function nextIn({ headers, url }: Response): string | undefined {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>((?:\s*;[^;,"]*(?:"[^"]*")?)*)/g)
  for (const [, target = '', parameters = ''] of links)
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(parameters))
      return new URL(target, url).search.slice(1)
  return undefined
}

type Retrying = Required<Pick<Options, 'maxRetries' | 'maxWaitMs' | 'onRetry' | 'fetch'>>

async function sendWithRetries(
  first: Request,
  { maxRetries, maxWaitMs, onRetry, fetch }: Retrying,
): Promise<Response> {
  let request = first
  for (let attempt = 0; ; attempt++) {
    const again = attempt < maxRetries ? request.clone() : undefined // a body is read but once
    let response: Response | undefined
    try {
      response = await follow(request, fetch)
      if (!again || !mayRepeat(request, response)) return response
    } catch (error) {
      if (request.signal.aborted) throw error
      if (!again || !isSafeToRepeat(request)) throw unanswered(request, error)
    }
    const waitMs = waitBefore(response, attempt)
    if (response && waitMs > maxWaitMs) return response
    await response?.body?.cancel()
    onRetry({ request: again, response, waitMs })
    await pause(waitMs, again.signal)
    request = again
  }
}

/** An error of the network, with the address and what to do. */
function unanswered({ method, url }: Request, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error // of a `fetch` that the caller has given
  const { code = error.message, message = '' } = Object(error.cause) as { code?: string; message?: string } // Node's
  const reason = message.trim() || code
  const inPage =
    'document' in globalThis ? ', and whether the service allows this page to call it (CORS)' : ''
  return new TypeError(
    `${method} ${url} got no reply (${reason}): see whether baseUrl is right and the service runs${inPage}.`,
    { cause: error.cause ?? error },
  )
}

const redirects = new Set([301, 302, 303, 307, 308])
/** The most redirects that are followed, as by `fetch`. One more is the reply. */
const mostRedirects = 20
/** The header fields that another origin is sent: they say what is wanted, and not who asks. */
const forOthers = /^(?:accept|accept-language|content-language|content-type|range)$/i

/**
 * Sends a request, and follows redirects (RFC 9110, 15.4). Another origin than the service's does not get its credentials: `fetch`
 * itself would hold back `Authorization` alone. A page can't see where it is led to. There CORS asks the other origin first.
 */
async function follow(request: Request, fetch: Retrying['fetch']): Promise<Response> {
  if (request.redirect !== 'follow' || 'document' in globalThis) return fetch(request)
  let next = new Request(request, { redirect: 'manual' })
  for (let count = 0; ; count++) {
    const sent = next
    const again = sent.clone() // a body is read but once
    const response = await fetch(sent)
    const location = redirects.has(response.status) ? response.headers.get('Location') : null
    if (location === null || count === mostRedirects) return response
    await response.body?.cancel()
    next = await redirected(again, response.status, new URL(location, sent.url))
  }
}

/** Returns the request that a redirect asks for. */
async function redirected(request: Request, status: number, url: URL): Promise<Request> {
  const isOther = url.origin !== new URL(request.url).origin
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const becomesGet = isRead ? false : status === 303 || (status < 303 && request.method === 'POST')
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()])
    if ((isOther && !forOthers.test(name)) || (becomesGet && name.startsWith('content-')))
      headers.delete(name)
  const { signal } = request
  if (becomesGet) return new Request(url, { method: 'GET', headers, signal, redirect: 'manual' })
  const { method } = request
  const body = request.body ? await request.blob() : null // a stream would be sent without its length
  return new Request(url, { method, headers, signal, redirect: 'manual', body })
}

/** Whether a later try may do better: nothing was done, or doing it twice does no harm. */
function mayRepeat(request: Request, { status, headers }: Response): boolean {
  if (status === 429) return true
  if (status === 503 && headers.has('Retry-After')) return true
  if (status === 409) return headers.has('Retry-After') && request.headers.has('Idempotency-Key')
  return [502, 503, 504].includes(status) && isSafeToRepeat(request)
}

/** Whether a request may be repeated after a lost reply (RFC 9110, 9.2.2). If-Match would refuse its own change. */
function isSafeToRepeat({ method, headers }: Request): boolean {
  if (headers.has('Idempotency-Key')) return true
  return isRepeatable(method) || (['PUT', 'DELETE'].includes(method) && !headers.has('If-Match'))
}

/** Whether requests of a method change nothing (RFC 9110, 9.2.1). */
const isRepeatable = (method: string) => ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method)

/** In ms: what Retry-After says (RFC 9110, section 10.2.3), or a random part of a pause that doubles. */
function waitBefore(response: Response | undefined, attempt: number): number {
  const said = response?.headers.get('Retry-After')
  if (said) {
    const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1_000
    if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1_000)
  }
  return Math.random() * 200 * 2 ** attempt
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
