import { type Calling, keepCalling } from '../faults/calling.ts'
import { createClient, type Send } from '../support/http.ts'
import type { Site } from './site.ts'

/** Calls a site as its callers do. */
export interface SiteClient {
  send: Send
  close(): void
}

/** Calls go through HAProxy. Without it, they go to the servers in turn, and to the next one if nobody listens. */
export function callSite({ url, servers }: Site, key: string): SiteClient {
  if (url !== undefined) return createClient(url, key)
  const clients = servers.map(server => createClient(server.url, key))
  let turn = 0
  const send: Send = async (...request) => {
    const first = turn++
    for (let tried = 1; ; tried++) {
      const client = clients[(first + tried) % clients.length]
      if (!client) throw new Error('There is no server')
      try {
        return await client.send(...request)
      } catch (error) {
        const isSent = (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' // all that a request fails with are Errors
        if (isSent || tried === clients.length) throw error
      }
    }
  }
  return {
    send,
    close() {
      for (const client of clients) client.close()
    },
  }
}

/** Reads from several callers at once, each on connections of its own, until told to end. */
export function readOn(site: Site, key: string, callers: number): Calling {
  const paths = ['/store/inventory/1', '/pets?limit=5', '/categories?limit=5']
  const clients = Array.from({ length: callers }, () => callSite(site, key))
  const calling = keepCalling(
    clients.map(({ send }) => send),
    (caller, turn) => ['GET', paths[(caller + turn) % paths.length] ?? ''],
    2,
  )
  return {
    ...calling,
    async end() {
      const met = await calling.end()
      for (const { close } of clients) close()
      return met
    },
  }
}
