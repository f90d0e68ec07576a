import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import type { Contract } from '../contract.ts'
import { sendSelected } from '../replies/conditional.ts'
import { docsAddresses, originOf } from './addresses.ts'
import type { Asset } from './assets.ts'
import type { Text } from './content.ts'

const markdown = 'text/markdown; charset=utf-8' // RFC 7763
const mediaTypes = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  llms: markdown,
}

/** What the page may load and do: nothing from elsewhere, nothing inline, and nobody may frame it. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

export interface DocsOptions {
  /** the origin that the document names; absent: the one that each request names */
  publicUrl?: string | undefined
  /** JavaScript that the page is to run, too */
  docsScript?: string | undefined
}

/** The document as YAML, JSON and Markdown, Swagger UI with our plugin, and the way there from `/`. */
export async function registerDocs(
  app: FastifyInstance,
  contract: Contract,
  { docsScript, publicUrl }: DocsOptions,
): Promise<void> {
  const addresses = docsAddresses(contract.model)
  const { page, json, operations, changes, sunsets, isHome } = addresses
  const content = once(async () => {
    const { createContent } = await import('./content.ts') // a seventh of what a start loads and does
    return createContent(contract, addresses, publicUrl, docsScript)
  })
  // Whoever asks first is not to wait for it, and operators learn at the start of what fails.
  app.addHook('onListen', async () => {
    content().catch((err: unknown) => app.log.error({ err }, 'The docs can’t be shown.'))
  })

  const onSend: onSendAsyncHookHandler<unknown> = async (request, reply, payload) =>
    Buffer.isBuffer(payload) ? sendSelected(request, reply, payload, true) : payload
  const options = { schema: { hide: true }, onSend }
  const sendText = (reply: FastifyReply, type: string, { bytes, etag }: Text, lifetime = 'no-cache') =>
    reply
      .headers({ ETag: etag, 'Cache-Control': lifetime, 'Access-Control-Allow-Origin': '*' })
      .type(type)
      .send(bytes)

  for (const format of ['json', 'yaml', 'llms'] as const)
    app.get(addresses[format], options, async (request, reply) => {
      const { render, fingerprint } = await content()
      // A client chooses its Host: what names that must not reach others through a cache that goes by the path alone.
      const [origin, lifetime] =
        publicUrl === undefined
          ? [originOf(request), 'private, no-cache']
          : [publicUrl, lifetimeOf(request, fingerprint)]
      return sendText(reply, mediaTypes[format], render(origin, format), lifetime)
    })
  app.get(changes, options, async (_request, reply) => sendText(reply, markdown, (await content()).changes))
  const calendar = 'text/calendar; charset=utf-8' // RFC 5545
  app.get(sunsets, options, async (_request, reply) => sendText(reply, calendar, (await content()).sunsets))
  app.get(`${operations}/:name`, options, async (request, reply) => {
    const { name } = request.params as { name: string } // the router's
    const found = (await content()).operationNamed(name)
    return found ? sendText(reply, markdown, found) : reply.callNotFound()
  })
  if (isHome)
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      // RFC 8631
      reply.header('Link', `<${json}>; rel="service-desc", <${page}>; rel="service-doc"`).redirect(page),
    )

  await app.register(async scope => {
    scope.addHook('onSend', async (_request, reply, payload) => {
      reply.headers(pageHeaders)
      return payload
    })
    /** @param asset undefined: there is none */
    const sendAsset = (request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined) => {
      if (!asset) return reply.callNotFound()
      const { etag, fingerprint, type, bytes } = asset
      const lifetime = lifetimeOf(request, fingerprint)
      return reply.headers({ ETag: etag, 'Cache-Control': lifetime }).type(type).send(bytes)
    }
    // What the page leads to is named relative to itself, with a slash at its end and without.
    for (const address of [page, `${page}/`])
      scope.get(address, options, async (request, reply) =>
        sendAsset(request, reply, (await content()).pages.get(address)),
      )
    scope.get(`${page}/static/*`, options, async (request, reply) => {
      const { '*': name } = request.params as { '*': string } // the router's
      return sendAsset(request, reply, (await content()).files.get(name))
    })
    scope.get(`${page}/static/index.html`, options, async (_request, reply) => reply.redirect(`${page}/`))
    // There is one document: where Swagger UI has copies it leads to that.
    for (const format of ['json', 'yaml'] as const)
      scope.get(`${page}/${format}`, options, async (_request, reply) => reply.redirect(addresses[format]))
  })
}

/** For how long something may be kept: what is asked for by its fingerprint (`?v=`) stays that for good (RFC 8246). */
function lifetimeOf({ url }: FastifyRequest, fingerprint: string): string {
  const asked = new URLSearchParams(url.split('?')[1]).get('v')
  return asked === fingerprint ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Makes something when it is first asked for; anew, where that has failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
