/** @import { Chapter, Contents, MadeChapter, Operation } from './types.js' */
import { docsLinks } from '../basics/addresses.js'
import { slugOf } from '../basics/words.js'
import { codesIn } from './codes.js'
import { endingIn, onceFor } from './contents.js'
import { commonHeadersOf } from './headers.js'
import { isJson, mediaOf } from './media.js'
import { securityOf } from './security.js'

/** The chapters of a document in reading order. Each has its own address, such as `#limits`. */
export const chaptersOf = onceFor(found => {
  const written = partsOfText(found.document.info?.description ?? '').parts
  /** @type {Chapter[]} */
  const chapters = written.map(({ title, source }) => ({ title, id: slugOf(title), source, made: [] }))
  // A made chapter joins the written chapter on the same subject.
  for (const { title, name, isNeeded, place } of madeChapters) {
    if (!isNeeded(found)) continue
    const home = chapters.find(chapter => place.test(chapter.title))
    if (home) home.made.push(name)
    else chapters.push({ title, id: slugOf(title), source: '', made: [name] })
  }
  const ids = new Set(['content', 'search', 'side', 'first-call', 'operations', 'schemas', 'webhooks']) // the page's own
  for (const chapter of chapters) {
    const name = chapter.id
    for (let i = 2; ids.has(chapter.id); i++) chapter.id = `${name}-${i}`
    ids.add(chapter.id)
  }
  return chapters
})

/**
 * The made chapters: the component of each, and the title of the written chapter that it joins if there is one.
 * @type {MadeChapter[]}
 */
const madeChapters = [
  {
    title: 'Authentication',
    name: 'Access',
    place: /^(authentication|authorization|authorisation|getting (started|access)|api keys?)\b/i,
    isNeeded: ({ document }) => Object.keys(document.components?.securitySchemes ?? {}).length > 0,
  },
  {
    title: 'Limits',
    name: 'Plans',
    place: /\blimits?\b|\bquotas?\b/i,
    isNeeded: ({ document }) => Boolean(document['x-rate-limits']?.plans),
  },
  {
    title: 'Lengths of time',
    name: 'Lifetimes',
    place: /^(retries|lengths of time)\b/i,
    isNeeded: ({ document }) => Boolean(document['x-lifetimes']),
  },
  {
    title: 'Errors',
    name: 'ErrorCodes',
    place: /^errors?\b/i,
    isNeeded: found => codesIn(found).length > 0,
  },
  {
    title: 'Changes',
    name: 'Changes',
    place: /^(changes|changelog|releases|versioning)\b/i,
    isNeeded: found => endingIn(found).length > 0 || docsLinks().changes !== undefined,
  },
  {
    title: 'Headers of replies',
    name: 'CommonHeaders',
    place: /^headers?\b/i,
    isNeeded: found => commonHeadersOf(found).length > 0,
  },
  {
    title: 'Use it from an agent',
    name: 'Agents',
    place: /\bagents?\b|\bMCP\b/,
    isNeeded: () => docsLinks().mcp !== undefined,
  },
]

/** @typedef {{ title: string, source: string }} TextPart */

/**
 * Splits a Markdown text at its highest headings: the text before the first one, and the parts.
 * @param {string} text
 * @returns {{ lead: string, parts: TextPart[] }}
 */
export function partsOfText(text) {
  const lines = text.split('\n')
  let isCode = false
  const headings = lines.flatMap((line, i) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    const [, marks = '', title = ''] = (!isCode && /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)) || []
    return marks ? [{ level: marks.length, title: title.replace(/[*_`]/g, ''), line: i }] : []
  })
  const level = Math.min(...headings.map(heading => heading.level))
  const cuts = headings.filter(heading => heading.level === level)
  /**
   * @param {number} from
   * @param {number | undefined} to
   */
  const upTo = (from, to) => lines.slice(from, to).join('\n').trim()
  const parts = cuts.map(({ title, line }, i) => ({ title, source: upTo(line + 1, cuts[i + 1]?.line) }))
  const lead = upTo(0, cuts[0]?.line)
  const [first = '', ...more] = lead.split(/\n\s*\n/)
  const isLong = lead.length > 700 && more.length > 0
  if (isLong) parts.unshift({ title: 'Introduction', source: lead })
  return { lead: isLong ? first : lead, parts: parts.filter(({ title, source }) => title || source) }
}

/**
 * The address of the chapter that shows a made component.
 * @param {Contents} found
 * @param {MadeChapter['name']} name
 */
export const chapterWith = (found, name) => chaptersOf(found).find(({ made }) => made.includes(name))?.id

/**
 * The operation that a reader calls first: one that reads, needs no values, and, if any does, needs a credential.
 * @type {(found: Contents) => Operation | undefined}
 */
export const firstCallOf = onceFor(found => {
  const suited = found.operations.filter(
    ({ method, operation, responses }) =>
      method === 'get' &&
      !operation.deprecated &&
      !operation['x-hideTryItPanel'] &&
      responses.some(
        ({ status, response }) => /^2/.test(status) && isJson(mediaOf(response.content)?.type ?? ''),
      ),
  )
  const free = suited.filter(({ parameters }) => !parameters.some(({ required }) => required))
  const candidates = free.length > 0 ? free : suited
  const secured = candidates.filter(operation =>
    securityOf(operation, found).some(needed => Object.keys(needed).length > 0),
  )
  return secured[0] ?? candidates[0]
})
