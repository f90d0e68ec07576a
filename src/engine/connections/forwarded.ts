import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** An address with a port, as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withPort = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i

/**
 * Leaves in X-Forwarded-For only what limits may be counted by and what may stand in the log: addresses, without their
 * ports, as a caller has a new port for each connection. What stands before something else was not written by a proxy that
 * names addresses, and goes.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const given = headers['x-forwarded-for']
  if (typeof given !== 'string') return
  const addresses = given.split(',').map(part => {
    const text = part.trim()
    const [, v4, v6] = withPort.exec(text) ?? []
    const address = v4 ?? v6 ?? text
    return isIP(address) > 0 ? address : undefined
  })
  const kept = addresses.slice(addresses.lastIndexOf(undefined) + 1)
  if (kept.length > 0) headers['x-forwarded-for'] = kept.join(', ')
  else delete headers['x-forwarded-for']
}
