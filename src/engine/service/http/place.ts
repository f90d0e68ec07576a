import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Returns the origin of a request, or null if its Host holds anything but a host and a port (RFC 3986, 3.2.2).
 * Fastify's `request.host` would use X-Forwarded-Host, which proxies pass on as clients sent it.
 */
export function originOf({ protocol, headers }: FastifyRequest): string | null {
  const origin = `${protocol}://${headers.host}`
  return /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(origin) ? origin : null
}

/** The address by which callers reach a service. */
export interface Place {
  /** null: the request names none that a page could use */
  origin: string | null
  /** the path before those of the service, which a proxy takes away; it has no slash at its end */
  prefix: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the address by which the caller of a request reaches the service. */
    placeOf(request: FastifyRequest): Place
    /** Returns the prefix of that address. */
    prefixOf(request: FastifyRequest): string
    /** the prefix, if it is the same for all requests */
    fixedPrefix: string | undefined
  }
}

/** One path of unreserved characters, so that it means the same in header fields, HTML and Markdown. */
const plainPrefix = /^(?!.*\/\.)(\/[\w.~-]+){1,20}$/

/**
 * Returns these decorators: a public URL holds for all requests. Without one a request names its host, and a trusted
 * proxy the prefix that it took away (`X-Forwarded-Prefix`).
 */
export function placeFinder(
  publicUrl: string | undefined,
  trustProxy: boolean | number | readonly string[],
): Pick<FastifyInstance, 'placeOf' | 'prefixOf' | 'fixedPrefix'> {
  if (publicUrl !== undefined) {
    const { origin, pathname } = new URL(publicUrl)
    const place = { origin, prefix: pathname.replace(/\/$/, '') }
    return { placeOf: () => place, prefixOf: () => place.prefix, fixedPrefix: place.prefix }
  }
  const isTrusted = trustIn(trustProxy)
  const forwarded = (request: FastifyRequest) => {
    const prefix = isTrusted(request) ? request.headers['x-forwarded-prefix'] : undefined
    const path = typeof prefix === 'string' && prefix.length <= 200 ? prefix.replace(/\/$/, '') : ''
    return plainPrefix.test(path) ? path : ''
  }
  const fixedPrefix = trustProxy === false ? '' : undefined
  const prefixOf = fixedPrefix === undefined ? forwarded : () => fixedPrefix
  const placeOf = (request: FastifyRequest) => ({ origin: originOf(request), prefix: prefixOf(request) })
  return { placeOf, prefixOf, fixedPrefix }
}

/** Returns a function that says whether the sender of a request is a trusted proxy. */
function trustIn(trusted: boolean | number | readonly string[]): (request: FastifyRequest) => boolean {
  if (typeof trusted === 'boolean' || typeof trusted === 'number') return () => Boolean(trusted)
  const list = new BlockList()
  const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
  for (const network of trusted) {
    const [address = '', length] = network.split('/')
    if (length === undefined) list.addAddress(address, kindOf(address))
    else list.addSubnet(address, Number(length), kindOf(address))
  }
  return ({ socket: { remoteAddress = '' } }) =>
    remoteAddress !== '' && list.check(remoteAddress, kindOf(remoteAddress))
}
