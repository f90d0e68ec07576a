import { isObject } from 'spec-served-document/pointer'
import { changedByUse, createdAt } from '../../records/conventions.ts'
import type { WireReply } from '../../records/messages.ts'

const lastUse = new RegExp(`,?"(${[...changedByUse].join('|')})":"[^"]*"`, 'g')

/** A reply's text without what changes when records are used. */
export const withoutUse = (text: string) => text.replace(lastUse, '')

interface Read {
  tag: string
  text: string
  /** how many writes there had been */
  writes: number
}

/** Keeps the content that was read at each URL, by its ETag. */
export function createVersions() {
  const byTag = new Map<string, string>()
  const last = new Map<string, Read>()
  /** when the content at a URL was made */
  const made = new Map<string, string>()
  let writes = 0
  let underWay = 0
  return {
    /** Counts a request that may change something. */
    write(): void {
      writes++
    },
    /** Counts a request that may change something, and its reply: what is read meanwhile may be of before or after it. */
    async writing<T>(send: () => Promise<T>): Promise<T> {
      writes++
      underWay++
      return send().finally(() => {
        underWay--
        if (underWay > 0) writes++
      })
    },
    /** how many writes there have been; undefined while one is under way */
    settled: () => (underWay === 0 ? writes : undefined),
    /**
     * Takes note of a reply; yields what of it contradicts an earlier one (RFC 9110, section 8.8.3).
     * @param isLasting whether nothing but a write changes what is there
     * @param since what `settled` was as it was asked for
     */
    *note(
      url: string,
      { status, headers: { etag: tag }, text, body }: WireReply,
      isLasting = true,
      since = writes,
    ): Generator<string> {
      const time = isObject(body) ? body[createdAt] : undefined
      if (status === 200 && typeof time === 'string') {
        const firstTime = made.get(url) ?? time
        if (firstTime !== time) yield `GET ${url} has ${createdAt} ${firstTime} and then ${time}`
        made.set(url, firstTime)
      }
      if (tag === undefined || (status !== 200 && status !== 304)) return
      const isSettled = underWay === 0 && since === writes
      const before = isSettled ? last.get(url) : undefined
      if (status === 304) {
        // A 304 says that the reader's copy is current.
        const isUsed = before !== undefined && withoutUse(before.text) !== before.text
        if (isLasting && !isUsed && before?.writes === writes && before.tag !== tag)
          yield `GET ${url} is answered 304 for ${tag}, and what is there has the ETag ${before.tag}`
        return
      }
      const other = byTag.get(`${url} ${tag}`)
      if (other !== undefined && other !== text)
        yield `GET ${url} has the ETag ${tag} for two contents, ${other} and then ${text}`
      byTag.set(`${url} ${tag}`, text)
      if (isLasting && before?.writes === writes && before.tag !== tag && before.text === text)
        yield `GET ${url} has two ETags for one content, ${before.tag} and then ${tag}: ${text}`
      if (isLasting && before?.writes === writes && withoutUse(before.text) !== withoutUse(text))
        yield `GET ${url} changes without a write, from ${before.text} to ${text}`
      if (isSettled) last.set(url, { tag, text, writes })
      else last.delete(url)
    },
  }
}
