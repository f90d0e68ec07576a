import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { registerPage, withoutScript } from 'spec-served-docs'
import { docsAddresses, someOrigin, somePrefix } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { lookUp } from 'spec-served-document/pointer'
import type { Operation } from 'spec-served-document/types'
import { notKept } from '../http/every-request.ts'
import type { Place } from '../http/place.ts'
import { digest, sendSelected } from '../replies/etag.ts'
import { changesFeed } from './feed.ts'

const markdown = 'text/markdown; charset=utf-8' // RFC 7763
const calendar = 'text/calendar; charset=utf-8' // RFC 5545
const atom = 'application/atom+xml; charset=utf-8' // RFC 4287
const mediaTypes = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  llms: markdown,
}

export interface DocsOptions {
  /** the URL that the document names; absent: the origin that each request names */
  publicUrl?: string | undefined
  /** JavaScript that the page is to run, too */
  docsScript?: string | undefined
  /** the security scheme of the keys that the engine makes, and what they begin with; absent: it makes none */
  docsKey?: { scheme: string; prefix: string } | undefined
}

/** Serves the document as YAML, JSON and Markdown, Swagger UI with our plugin, and leads from `/` to that page. */
export async function docs(
  app: FastifyInstance,
  docsOptions: DocsOptions & { contract: Contract },
): Promise<void> {
  const { contract, publicUrl, docsScript, docsKey } = docsOptions
  const { changelog, model, texts } = contract
  const addresses = docsAddresses(model)
  const { page, json, yaml, operations, changes, feed, sunsets, icon, isHome } = addresses
  const renderer = lateRenderer(app, contract)
  const fingerprint = digest(JSON.stringify([model.document, publicUrl])).slice(0, 16)
  const document = `${json}?v=${fingerprint}`
  // There is one document: Swagger UI's own copies lead to it.
  const redirects: Record<string, string> = {
    [`${page}/json`]: json,
    [`${page}/yaml`]: yaml,
    [icon]: `${page}/static/theme/favicon.svg`,
  }
  app.addHook('preHandler', async (request, reply) => {
    renderer() // the page is not shown without the document
    reply.header('referrer-policy', 'no-referrer')
    const { url = '' } = request.routeOptions
    const target = redirects[url]
    if (target !== undefined) return reply.redirect(target)
    if (url === page || url === `${page}/`)
      placed(request, reply).header(
        'link',
        `<${app.prefixOf(request)}${document}>; rel=preload; as=fetch; crossorigin`,
      )
    return undefined
  })
  /** No shared cache keeps a reply with a prefix that the request named. */
  const placed = (request: FastifyRequest, reply: FastifyReply) =>
    publicUrl === undefined && app.prefixOf(request) !== ''
      ? reply.header('cache-control', 'private, no-cache')
      : reply
  const files = new RegExp(`"(${page}|\\.)/static/`, 'g')
  const ownFiles = `"${page.slice(1)}/static/`
  app.addHook('onSend', async (request, reply, payload) => {
    const target = reply.getHeader('location')
    if (typeof target === 'string' && target.startsWith('/'))
      reply.header('location', `${app.prefixOf(request)}${target}`)
    const { url } = request.routeOptions
    if (url === `${page}/static/theme/page.js` && !(payload instanceof Readable))
      return withBodies(String(payload))
    if (url !== page && url !== `${page}/`) return payload
    // Relative addresses of the page's files hold behind any prefix. Those of Swagger UI depend on the end of the query.
    const isBelow = request.url.split('?', 1)[0]?.endsWith('/')
    return typeof payload === 'string'
      ? withoutScript(
          payload.replaceAll(files, isBelow ? '"./static/' : ownFiles),
          `${isBelow ? '.' : page.slice(1)}/llms.txt`,
        )
      : payload
  })
  let script: Buffer | undefined
  const withBodies = (text: string) => {
    script ??= Buffer.from(`${text}(${JSON.stringify(texts.bodies ?? {})})\n`)
    return script
  }
  sendFiles(app)
  const options = { schema: { hide: true } }
  const send = (reply: FastifyReply, type: string, text: string | Buffer) =>
    reply.header('access-control-allow-origin', '*').type(type).send(text)

  for (const format of ['json', 'yaml', 'llms'] as const)
    app.get(addresses[format], options, async (request, reply) => {
      // A client chooses its Host: a shared cache must not give others a reply that names it.
      const lifetime = publicUrl === undefined ? 'private, no-cache' : lifetimeOf(request, fingerprint)
      const text = renderer().render(app.placeOf(request), format)
      return send(reply.header('cache-control', lifetime), mediaTypes[format], text)
    })
  app.get(icon, options, async () => {}) // it redirects
  app.get(changes, options, async (_request, reply) => send(reply, markdown, changelog))
  const releases = changesFeed(
    model.document.info.title,
    changelog,
    `../${page.slice(page.lastIndexOf('/') + 1)}`,
  )
  app.get(feed, options, async (_request, reply) => send(reply, atom, releases))
  app.get(sunsets, options, async (_request, reply) => send(reply, calendar, texts.sunsets))
  app.get<{ Params: { name: string } }>(`${operations}/:name`, options, async (request, reply) => {
    const [, id = ''] = /^(.+)\.md$/s.exec(request.params.name) ?? []
    const text = Object.hasOwn(texts.operations, id) ? texts.operations[id] : undefined
    if (text === undefined) return reply.callNotFound()
    const base = renderer().baseOf(app.placeOf(request))
    // A client chooses its Host: a shared cache must not give others a reply that names it.
    if (publicUrl === undefined) reply.header('cache-control', 'private, no-cache')
    const shown = withPrefix(text, app.prefixOf(request)).replaceAll(someOrigin, () => base)
    return send(reply, markdown, shown)
  })
  app.get<{ Params: { name: string } }>(`${addresses.releases}/:name`, options, async (request, reply) => {
    const release = contract.releases?.find(({ version }) => request.params.name === `${version}.yaml`)
    return release ? send(reply, mediaTypes.yaml, await release.read()) : reply.callNotFound()
  })
  if (isHome)
    app.get('/', options, async (request, reply) => {
      const prefix = app.prefixOf(request)
      const link = `<${prefix}${json}>; rel="service-desc", <${prefix}${page}>; rel="service-doc"` // RFC 8631
      return reply.header('Link', link).redirect(page)
    })
  await registerPage(app, { contract, addresses, document, key: docsKey, addition: docsScript })
}

/** Gives the links of a Markdown text a prefix. */
const withPrefix = (text: string, prefix: string) => text.replaceAll('](/', `](${prefix}/`)

/** Gives what the routes of a scope send strong ETags and codings, and keeps the files that @fastify/static reads. */
function sendFiles(scope: FastifyInstance): void {
  const files = new Map<string, { type: string; bytes: Buffer; etag: string }>()
  /** the ETags of texts that are made once */
  const etags = new WeakMap<Buffer, string>()
  const coded = new LRUCache<string, Buffer>({ max: 50 })
  const nameIn = ({ params }: FastifyRequest) => (params as { '*'?: string })['*'] // the router's

  scope.addHook('preHandler', async (request, reply) => {
    const name = nameIn(request)
    if (name === undefined) return undefined
    // @fastify/static would send its folder's index, and refuse other paths with 403.
    if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) return reply.callNotFound()
    const file = files.get(name)
    return file && reply.type(file.type).send(file.bytes)
  })

  scope.addHook('onSend', async (request, reply, payload) => {
    const isRead = payload instanceof Readable
    // @fastify/static sends nothing to HEAD.
    if (reply.statusCode !== 200 || (isRead && request.method === 'HEAD')) return payload
    let file = files.get(nameIn(request) ?? '')
    if (!file || file.bytes !== payload) {
      const content = isRead ? await buffer(payload) : (payload as string | Buffer) // it is serialised by now
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const etag = etags.get(bytes) ?? `"${digest(bytes)}"`
      etags.set(bytes, etag)
      file = { type: String(reply.getHeader('content-type')), bytes, etag }
      if (isRead) files.set(nameIn(request) ?? '', file)
    }
    for (const field of ['content-length', 'last-modified', 'accept-ranges']) reply.removeHeader(field)
    reply.header('etag', file.etag)
    if (isRead || reply.getHeader('cache-control') === notKept) reply.header('cache-control', 'no-cache')
    return sendSelected(request, reply, file.bytes, true, coded)
  })
}

/** Makes the texts after the start: the first callers come before the first readers. */
function lateRenderer(app: FastifyInstance, contract: Contract) {
  let made: ReturnType<typeof createRenderer> | undefined
  const renderer = () => (made ??= createRenderer(contract))
  app.addHook('onListen', async () => {
    try {
      renderer()
    } catch (err) {
      app.log.error({ err }, 'The docs can’t be shown.')
    }
  })
  return renderer
}

/** The most texts that are kept for the origins by which clients call the service. */
const keptTexts = 30

/** Prepares the making of the document as text for a place. Each is made once, while it is kept. */
function createRenderer(contract: Contract) {
  const document = structuredClone(contract.model.document)
  const origins = (document.servers ?? []).flatMap(({ variables }) => variables?.base_url ?? [])
  const defaultOrigin = origins[0]?.default ?? someOrigin
  for (const origin of origins) origin.default = someOrigin
  const url = contract.model.basePath || '/'
  const others = (document.servers ?? []).filter(server => server.url !== url)
  const { name } = document.servers?.find(server => server.url === url) ?? {}
  if (origins.length === 0)
    document.servers = [
      {
        url: `${somePrefix}${contract.model.basePath}`,
        ...(name !== undefined && { name }),
        description: 'The server that shows this.',
      },
      ...others,
    ]
  // An operation with servers of its own, or of its path, is served at the path of the first one.
  for (const { place, path, url: operationUrl } of contract.model.operations) {
    const operation = lookUp(document, place) as Operation // it is a copy of that document
    const served = operationUrl.slice(0, -path.length)
    const beside = operation.servers?.filter(server => server.url !== served)
    const shown = operation.servers?.find(server => server.url === served)
    if (beside) operation.servers = [{ ...shown, url: `${somePrefix}${served}` }, ...beside]
  }
  for (const item of Object.values(document.paths)) delete item.servers
  const templates = {
    json: JSON.stringify(document),
    // As it was written by hand, comments and all.
    yaml: contract.text.replace(`default: ${defaultOrigin}`, `default: ${someOrigin}`),
    llms: withPrefix(contract.texts.llms, somePrefix),
  }
  const kept = new LRUCache<string, Buffer>({ max: keptTexts })
  /** Returns what stands before the paths of the service. */
  const baseOf = ({ origin, prefix }: Place) => `${origin ?? defaultOrigin}${origin === null ? '' : prefix}`
  const render = (place: Place, format: keyof typeof templates): Buffer => {
    const { prefix } = place
    const base = baseOf(place)
    const key = `${format} ${base} ${prefix}`
    const text =
      kept.get(key) ??
      Buffer.from(
        templates[format]
          .replaceAll(`"${somePrefix}"`, () => `"${prefix || '/'}"`)
          .replaceAll(someOrigin, () => base)
          .replaceAll(somePrefix, () => prefix),
      )
    kept.set(key, text)
    return text
  }
  return { baseOf, render }
}

/** How long a reply may be kept: a text is the same for good at an address with its fingerprint (`?v=`, RFC 8246). */
function lifetimeOf({ url }: FastifyRequest, fingerprint: string): string {
  const asked = new URLSearchParams(url.split('?')[1]).get('v')
  return asked === fingerprint ? 'public, max-age=31536000, immutable' : 'no-cache'
}
