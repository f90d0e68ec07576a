import { setTimeout } from 'node:timers/promises'
import type { Site } from '../../scripts/production/site.ts'
import { type Answer, createClient, type Send } from '../faults/client.ts'

/** Calls a site as its callers do. */
export interface SiteClient {
  send: Send
  close(): void
}

/**
 * Through HAProxy; where there is none, to the servers in turn, and to the next one where nobody listens, as HAProxy
 * would.
 */
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

/** What readers have met. */
export interface Reading {
  answered: number
  /** answers of another status than 200, and requests without an answer, in words */
  failures: string[]
  /** the longest wait for an answer, in ms */
  longest: number
}

/** Reads from several callers at once, each on connections of its own, until told to end. */
export function readOn(
  site: Site,
  key: string,
  callers: number,
): { reading: Reading; end(): Promise<Reading> } {
  const reading: Reading = { answered: 0, failures: [], longest: 0 }
  let isOver = false
  const paths = ['/store/inventory/1', '/pets?limit=5', '/categories?limit=5']
  const calling = Array.from({ length: callers }, async (_, caller) => {
    const { send, close } = callSite(site, key)
    for (let turn = caller; !isOver; turn++) {
      const path = paths[turn % paths.length] ?? ''
      const answer = await send('GET', path).catch((error: unknown) => String(error))
      note(answer, path)
      await setTimeout(2)
    }
    close()
  })
  function note(answer: Answer | string, path: string): void {
    if (typeof answer === 'string') reading.failures.push(answer)
    else {
      reading.answered++
      reading.longest = Math.max(reading.longest, Math.round(answer.took))
      if (answer.status !== 200) reading.failures.push(`${answer.status} at ${path}: ${answer.text}`)
    }
  }
  return {
    reading,
    async end() {
      isOver = true
      await Promise.all(calling)
      return reading
    },
  }
}
