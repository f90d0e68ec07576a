import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { isObject } from '../../src/document/pointer.ts'
import { Misuse } from '../arguments.ts'
import { showsSecret } from '../document/facts.ts'
import { credential } from './conventions.ts'
import { type Interface, shapeOf } from './interface.ts'
import type { WireRequest } from './requests.ts'
import { keyHeader } from './session.ts'
import { valuesOf } from './values.ts'
import { openWire, type WireReply } from './wire.ts'
import { type Hands, LeftOut, type World } from './world.ts'

/** What is known of a service that somebody else has started. */
export interface Running {
  contract: Interface
  url: URL
  /** credentials, any of which may have scopes that another lacks */
  keys: readonly string[]
  /** whether requests may write */
  writes: boolean
  /** how many requests may be sent in all */
  most: number
}

const safe = /^(GET|HEAD|OPTIONS)$/
/** The longest that a caller who is told to wait does wait, in seconds. */
const patience = 90

/**
 * A service that is running already, over HTTP and nothing else.
 * @throws Misuse where nothing answers
 */
export async function openRunning({
  contract,
  url,
  keys,
  writes,
  most,
}: Running): Promise<World & { end(): void }> {
  const wire = openWire(() => url)
  let sent = 0
  const count = (method: string) => {
    if (!writes && !safe.test(method)) throw new LeftOut('needs --writes')
    if (++sent > most) throw new LeftOut(`needs more than --requests ${most}`)
  }
  /** Waits where the reply asks for that: what a caller is told of limits is not what is looked at. */
  async function send(request: WireRequest): Promise<WireReply> {
    count(request.method)
    const reply = await wire.send(request)
    const seconds = Number(reply.headers['retry-after'])
    if (reply.status !== 429 || !(seconds >= 0)) return { ...reply, headers: withoutBase(url, reply.headers) }
    if (seconds > patience)
      throw new LeftOut(`needs more quota: the next request is let in after ${seconds} s`)
    await sleep(seconds * 1_000)
    return send(request)
  }
  try {
    await wire.send({ method: 'OPTIONS', url: '/', headers: {} })
  } catch (error) {
    wire.close()
    const { code, message } = error as NodeJS.ErrnoException // of a socket
    throw new Misuse(
      `No server answers at ${url.origin} (${code ?? message}): start it, or give --url where it listens`,
    )
  }
  return {
    send,
    sendText: wire.sendText,
    url: url.origin + prefixOf(url),
    takeLog: () => [],
    isDisturbed: () => false,
    given: keys,
    hands: { ...(writes && { writes, ...(await keysThrough(contract, keys, send)) }) },
    async close() {},
    end: () => wire.close(),
  }
}

/** Keys that the service itself issues, to the first credential that may do that; nothing where there is none. */
async function keysThrough(
  contract: Interface,
  keys: readonly string[],
  send: World['send'],
): Promise<Pick<Hands, 'keys'>> {
  const { model, endpoints } = contract
  const takes = (endpoint: Interface['endpoints'][number], name: string) =>
    name in (shapeOf(model, endpoint.request.properties.body ?? {}).properties ?? {})
  const maker = endpoints.find(one => showsSecret(model, one) && takes(one, credential.plan))
  const replacer = endpoints.find(one => showsSecret(model, one) && takes(one, credential.overlapHours))
  const at = new Map<string, string>()
  const schema = maker?.request.properties.body
  if (!maker || !schema) return {}
  const [drawn] = fc.sample(valuesOf({ model, reference: () => undefined }, schema, ['body']), 1)
  const { required = [] } = shapeOf(model, schema)
  const least = Object.entries(isObject(drawn) ? drawn : {}).filter(([name]) => required.includes(name))
  const scopes = shapeOf(model, shapeOf(model, schema).properties?.[credential.scopes] ?? {}).items
  const all = shapeOf(model, scopes ?? {}).enum

  async function ask(key: string, url: string, content: object): Promise<string | undefined> {
    const headers = { ...keyHeader(contract, key), 'content-type': 'application/json' }
    const reply = await send({ method: 'POST', url, headers, body: JSON.stringify(content) })
    const secret = isObject(reply.body) ? reply.body[credential.secret] : undefined
    if (typeof secret !== 'string') return undefined
    at.set(secret, reply.headers.location ?? url.replace(/\/[^/]*$/, ''))
    return secret
  }
  async function askEach(url: string, content: object): Promise<string> {
    for (const key of keys) {
      const secret = await ask(key, url, content)
      if (secret !== undefined) return secret
    }
    throw new LeftOut(`needs a --key that may call ${maker?.id}`)
  }
  return {
    keys: {
      issue: ({ plan, quotas, scopes = all }) =>
        askEach(maker.path, { ...Object.fromEntries(least), plan, quotas, scopes }),
      renew(secret) {
        const url = `${at.get(secret)}${replacer?.path.replace(/^.*\}/, '')}`
        return askEach(url, { [credential.overlapHours]: 1 })
      },
    },
  }
}

const prefixOf = ({ pathname }: URL) => pathname.replace(/\/$/, '')

/** Links as the document has them: a server may give them with its origin, and the path at which it is. */
function withoutBase(base: URL, headers: WireReply['headers']): WireReply['headers'] {
  const start = (text: string) =>
    [`${base.origin}${prefixOf(base)}/`, `${prefixOf(base)}/`].find(one => text.startsWith(one)) ?? '/'
  const own = (text: string) => text.slice(start(text).length - 1)
  const { location, link } = headers
  return {
    ...headers,
    ...(location && { location: own(location) }),
    ...(link && { link: link.replace(/<([^>]*)>/g, (_, to: string) => `<${own(to)}>`) }),
  }
}
