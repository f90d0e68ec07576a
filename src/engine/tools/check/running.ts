import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Misuse } from 'spec-served/internal/command/arguments'
import { showsSecret } from 'spec-served-document/reading/facts'
import { credential } from '../records/conventions.ts'
import type { Interface } from '../records/interface.ts'
import { recordIn, type WireReply, type WireRequest } from '../records/messages.ts'
import { keyHeader, type Secret } from './keys.ts'
import { type Exchange, isSafe } from './sending.ts'
import { LeftOut } from './summary.ts'
import { valuesOf } from './values.ts'
import { openWire } from './wire.ts'
import type { Hands, World } from './world.ts'

/** The facts about a service that somebody else has started. */
export interface Running {
  contract: Interface
  url: URL
  /** credentials, any of which may have scopes that another lacks */
  keys: readonly Secret[]
  /** whether requests may write */
  writes: boolean
  /** how many requests may be sent in all */
  most: number
  /** ends the check before its next request */
  signal?: AbortSignal | undefined
}

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
  signal,
}: Running): Promise<World & { sent(): number; end(): void }> {
  const wire = openWire(() => url)
  let sent = 0
  const opened = new Map<Secret, { isOpen: boolean; exchange: Exchange }>()
  const count = (method: string) => {
    if (signal?.aborted) throw new LeftOut('was interrupted')
    if (!writes && !isSafe(method)) throw new LeftOut('needs --writes')
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
    await connected(url)
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
    credentials: keys,
    noteReply(secret, exchange) {
      if (!keys.includes(secret)) return
      const isOpen = opened.get(secret)?.isOpen === true || isLetIn(exchange.reply.status)
      opened.set(secret, { isOpen, exchange })
    },
    unopened: () =>
      [...opened].flatMap(([secret, { isOpen, exchange }]) =>
        isOpen ? [] : [{ name: nameOf(secret, keys), exchange }],
      ),
    hands: { ...(writes && { writes, ...(await keysThrough(contract, keys, send)) }) },
    async close() {},
    sent: () => sent,
    end: () => wire.close(),
  }
}

/** Whether a reply is to a caller whom the service knows. One that asks too much, or nonsense, may not have been asked who it is. */
const isLetIn = (status: number) => status < 400 || [404, 405, 409, 410, 412, 415, 416, 422].includes(status)

/** The name of a credential, without its value. */
const nameOf = (secret: Secret, all: readonly Secret[]) =>
  typeof secret === 'string' ? `${all.indexOf(secret) + 1} of --key` : Object.keys(secret).join(' and ')

/** Connects once. @throws Error where nobody listens */
async function connected({ protocol, hostname, port }: URL): Promise<void> {
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replace(/^\[|\]$/g, ''))
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(10_000) })
  } finally {
    socket.destroy()
  }
}

/** Keys that the service itself issues, to the first credential that may do that; nothing where there is none. */
async function keysThrough(
  contract: Interface,
  keys: readonly Secret[],
  send: World['send'],
): Promise<Pick<Hands, 'keys'>> {
  const { model, kinds, shape } = contract
  const maker = kinds
    .map(kind => kind.maker)
    .find(candidate => showsSecret(model, candidate) && credential.plan in (candidate.takes.properties ?? {}))
  if (!maker) return {}
  const { properties = {}, required = [] } = maker.takes
  const values = valuesOf({ model, reference: () => undefined }, maker.takes, ['body'])
  const drawn = recordIn(fc.sample(values, 1)[0])
  const least = Object.fromEntries(Object.entries(drawn).filter(([name]) => required.includes(name)))
  const all = shape(shape(properties[credential.scopes]).items).enum
  return {
    keys: {
      async issue({ plan, quotas, scopes = all }) {
        const body = JSON.stringify({ ...least, plan, quotas, scopes })
        for (const key of keys) {
          const headers = { ...keyHeader(contract, key), 'content-type': 'application/json' }
          const reply = await send({ method: 'POST', url: maker.path, headers, body })
          const { [credential.secret]: secret } = recordIn(reply.body)
          if (typeof secret === 'string') return secret
        }
        throw new LeftOut(`needs a --key that may call ${maker.id}`)
      },
    },
  }
}

const prefixOf = ({ pathname }: URL) => pathname.replace(/\/$/, '')

/** Links as the document has them. A server may add its origin, and the path at which it is. */
function withoutBase(base: URL, headers: WireReply['headers']): WireReply['headers'] {
  const start = (text: string) =>
    [`${base.origin}${prefixOf(base)}/`, `${prefixOf(base)}/`].find(candidate =>
      text.startsWith(candidate),
    ) ?? '/'
  const pathOf = (text: string) => text.slice(start(text).length - 1)
  const { location, link } = headers
  return {
    ...headers,
    ...(location && { location: pathOf(location) }),
    ...(link && { link: link.replace(/<([^>]*)>/g, (_, to: string) => `<${pathOf(to)}>`) }),
  }
}
