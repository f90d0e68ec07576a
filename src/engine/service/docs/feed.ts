import { hash } from 'node:crypto'

/** A release in a changelog. */
interface Release {
  title: string
  /** the day, YYYY-MM-DD; undefined: it is not released yet */
  day: string | undefined
  text: string
}

/**
 * Writes the releases of a changelog as a feed (Atom, RFC 4287), the newest first. Those without a day are left out.
 * @param changelog Markdown with a heading for each release, such as `## 1.0.0 (2026-11-21)`
 * @param page the address of the docs page, from the feed
 */
export function changesFeed(title: string, changelog: string, page: string): string {
  const releases = releasesIn(changelog)
  const entries = releases.map(
    ({ title: name, day, text }) => `  <entry>
    <id>${idOf(`${title} ${name}`)}</id>
    <title>${escaped(name)}</title>
    <updated>${day}T00:00:00Z</updated>
    <link href="${escaped(page)}#releases"/>
    <content type="text">${escaped(text)}</content>
  </entry>
`,
  )
  const [newest] = releases
    .map(({ day }) => day)
    .toSorted()
    .reverse()
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${idOf(title)}</id>
  <title>${escaped(`Changes of ${title}`)}</title>
  <updated>${newest ?? '1970-01-01'}T00:00:00Z</updated>
  <author><name>${escaped(title)}</name></author>
  <link href="${escaped(page)}"/>
${entries.join('')}</feed>
`
}

function releasesIn(changelog: string): Release[] {
  const parts = changelog.split(/^## +/m).slice(1)
  return parts.flatMap(part => {
    const [heading = '', ...lines] = part.split('\n')
    const [, title = '', day] = /^(.*?)\s*\((\d{4}-\d\d-\d\d)\)\s*$/.exec(heading) ?? []
    return day === undefined ? [] : [{ title, day, text: lines.join('\n').trim() }]
  })
}

/** An identifier that stays the same for the same text (RFC 9562, 5.8: a UUID by a hash of one's own). */
function idOf(text: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash('sha256', text, 'hex')) ?? []
  return `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`
}

/** A text in XML 1.0, without the characters that it can't hold. */
const escaped = (text: string) =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
