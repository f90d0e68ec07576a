/** @import { Contents, Operation, Resolve, Schema, Tag } from '../document/types.js' */
import { addressOf } from '../basics/addresses.js'
import { chaptersOf } from '../document/chapters.js'
import { codesIn, codesOf } from '../document/codes.js'
import { onceFor, tagNamed } from '../document/contents.js'
import { commonHeadersOf, ownHeadersOf } from '../document/headers.js'
import { mediaOf } from '../document/media.js'
import { wholeOf } from '../document/schemas.js'

// The index of the search. Words are found as they are written, by synonyms, and despite typing errors.

/**
 * A text to search, with its kind.
 * @typedef {{ label: string, text: string, lower: string }} SearchText
 */
/**
 * An entry of the index, with its texts, the most significant first.
 * @typedef {object} Entry
 * @property {'operation' | 'chapter' | 'code' | 'schema'} kind
 * @property {Operation} [of]
 * @property {string} href
 * @property {string} title
 * @property {SearchText[]} parts
 */
/**
 * The place of a word in a text. The best places have the lowest rank.
 * @typedef {{ label: string, text: string, at: number, length: number, rank: number }} Match
 */
/** @typedef {Entry & { places: Match[], rank: number }} Hit */

/** Synonyms in interfaces. A word that the document lacks finds the others. */
const synonyms = [
  'pagination paginate paging page cursor offset',
  'auth authentication authorization authorisation login credential credentials key token',
  'throttle throttling limit limits quota',
  'tier tiers plan plans',
  'delete remove destroy revoke',
  'create add insert new',
  'update change edit modify',
  'retry retries idempotent idempotency repeat',
  'cache caching etag',
  'webhook webhooks callback event',
  'error errors failure fault problem',
  'changelog releases versions changes',
  'deprecated obsolete sunset ends',
].map(group => group.split(' '))

/** The entries of the search. */
const entriesOf = onceFor(found => {
  const schemas = Object.entries(found.document.components?.schemas ?? {})
  const commonHeaders = commonHeadersOf(found).map(({ name }) => name)
  /** @type {Entry[]} */
  const entries = [
    ...found.operations.map(operation => ({
      kind: /** @type {const} */ ('operation'),
      of: operation,
      href: addressOf(operation),
      title: operation.title,
      parts: partsOfOperation(operation, found, tagNamed(found, operation.tag)),
    })),
    ...chaptersOf(found).map(chapter => ({
      kind: /** @type {const} */ ('chapter'),
      href: `#${chapter.id}`,
      title: chapter.title,
      parts: [
        part('', chapter.title),
        part('', chapter.source),
        ...(chapter.made.includes('CommonHeaders') ? commonHeaders.map(name => part('header', name)) : []),
      ],
    })),
    ...codesIn(found).map(({ code, description, statuses }) => ({
      kind: /** @type {const} */ ('code'),
      href: `#errors/${code}`,
      title: code,
      parts: [part('', code), ...statuses.map(status => part('status', status)), part('', description)],
    })),
    ...schemas.map(([name, schema]) => ({
      kind: /** @type {const} */ ('schema'),
      href: `#schemas/${encodeURIComponent(name)}`,
      title: name,
      parts: [
        part('', name),
        part('', found.resolve(schema).description),
        ...namesIn(schema, found.resolve, 3).map(field => part('field', field)),
      ],
    })),
  ]
  return entries
})

/**
 * The last matches in each document.
 * @type {WeakMap<Contents, { search: string, hits: Hit[], isThere: boolean, operations: Operation[] }>}
 */
const lastFindings = new WeakMap()

/**
 * The entries that a search finds, and the operations among them. Without a search all operations are found. If the
 * document lacks a word, or has no entry with all of them, these are the nearest ones.
 * @param {Contents} found
 * @param {string} search
 */
export function findings(found, search) {
  if (search.trim() === '') return { hits: [], isThere: true, operations: found.operations }
  const last = lastFindings.get(found)
  if (last?.search === search) return last
  const { hits, isThere } = hitsOf(entriesOf(found), search)
  const isHit = new Set(hits.map(({ of }) => of))
  const made = {
    search,
    hits,
    isThere,
    operations: found.operations.filter(operation => isHit.has(operation)),
  }
  lastFindings.set(found, made)
  return made
}

/**
 * @param {string} label
 * @param {string | undefined} text
 * @returns {SearchText}
 */
function part(label, text) {
  const plain = String(text ?? '').replaceAll('`', '')
  return { label, text: plain, lower: plain.toLowerCase() }
}

/**
 * @param {Operation} operation
 * @param {Contents} found
 * @param {Tag} tag
 */
function partsOfOperation(operation, found, tag) {
  const { id, method, path, title, operation: written, parameters, body, responses } = operation
  const contents = [body?.content, ...responses.map(({ response }) => response.content)]
  const fields = contents.flatMap(content => {
    const schema = mediaOf(content)?.schema
    return schema ? namesIn(schema, found.resolve) : []
  })
  const headers = responses.flatMap(({ response }) => ownHeadersOf(response, found).map(({ name }) => name))
  const codes = responses.flatMap(({ response }) => codesOf(response))
  /**
   * @param {string} label
   * @param {string[]} names
   */
  const several = (label, names) => [...new Set(names)].map(name => part(label, name))
  return [
    part('', title),
    part('', `${method.toUpperCase()} ${path}`),
    part('', id),
    part('tag', [tag['x-parent'], tag.name].filter(Boolean).join(' / ')),
    ...several(
      'parameter',
      parameters.map(({ name }) => name),
    ),
    ...several('field', fields),
    ...several('header', headers),
    ...several(
      'status',
      responses.map(({ status }) => status),
    ),
    ...several('error', codes),
    // A name is more significant than a description.
    part('', written.description),
  ]
}

/**
 * The names of a schema's fields, nested fields included.
 * @param {Schema} written
 * @param {Resolve} resolve
 * @returns {string[]}
 */
function namesIn(written, resolve, depth = 0) {
  const { properties = {}, items, oneOf = [], anyOf = [] } = wholeOf(written, resolve)
  if (depth > 3) return []
  const below = [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...anyOf]
  return [...Object.keys(properties), ...below.flatMap(schema => namesIn(schema, resolve, depth + 1))]
}

/**
 * The entries that have every word of a search, the best first, with the places of the words; else the nearest chapters.
 * @param {Entry[]} entries
 * @param {string} search
 * @returns {{ hits: Hit[], isThere: boolean }}
 */
function hitsOf(entries, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = words.map(word => meantBy(word, entries))
  const hits = entries
    .flatMap(entry => {
      const places = wanted.flatMap(meant => placeIn(entry, meant) ?? [])
      if (places.length < wanted.length) return []
      return [{ ...entry, places, rank: places.reduce((sum, { rank }) => sum + rank, 0) }]
    })
    .sort((a, b) => a.rank - b.rank)
  if (hits.length > 0 && wanted.every(({ isThere }) => isThere)) return { hits, isThere: true }
  const chapters = hits.filter(({ kind }) => kind === 'chapter')
  const others = hits.filter(({ kind }) => kind !== 'chapter')
  const nearest = hits.length > 0 ? [...chapters, ...others] : nearestChapters(entries, words)
  return { hits: nearest, isThere: false }
}

/** The most chapters that are offered where nothing is found. */
const mostNearest = 3

/**
 * The chapters with the words that are most similar to those of a search.
 * @param {Entry[]} entries
 * @param {string[]} words
 * @returns {Hit[]}
 */
function nearestChapters(entries, words) {
  return entries
    .filter(({ kind }) => kind === 'chapter')
    .map(entry => {
      const others = new Set(entry.parts.flatMap(({ text }) => wordsOf(text)))
      /** @param {string} word */
      const farness = word =>
        Math.min(
          1,
          ...[...others].map(other => distanceOf(word, other) / Math.max(word.length, other.length)),
        )
      return { ...entry, places: [], rank: words.reduce((sum, word) => sum + farness(word), 0) }
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostNearest)
}

/**
 * Returns the place of the first match of any of the words in an entry.
 * @param {Entry} entry
 * @param {Meant} meant
 * @returns {Match | undefined}
 */
function placeIn({ parts }, { words, isThere }) {
  for (const [rank, { label, text, lower }] of parts.entries())
    for (const word of words) {
      const at = isThere ? lower.indexOf(word) : beginningIn({ text, lower }, word)
      // The start of a text is a better match than its middle.
      if (at >= 0) return { label, text, at, length: word.length, rank: rank + (at > 0 ? 0.5 : 0) }
    }
  return undefined
}

/**
 * The place where a word of a text begins with another one; -1 if none does.
 * @param {{ text: string, lower: string }} text
 * @param {string} word
 */
function beginningIn({ text, lower }, word) {
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1))
    if (
      at === 0 ||
      !/[\p{L}\p{N}]{2}/u.test(text.slice(at - 1, at + 1)) ||
      /\p{Ll}\p{Lu}/u.test(text.slice(at - 1, at + 1))
    )
      return at
  return -1
}

/**
 * The words that a searched word stands for, and whether it is there itself. Others count from their beginnings only:
 * an event is not what `prevent` has.
 * @typedef {{ words: string[], isThere: boolean }} Meant
 */

/**
 * The alternatives for a searched word: itself if it occurs, else its synonyms, else the most similar words.
 * @param {string} word
 * @param {Entry[]} entries
 * @returns {Meant}
 */
function meantBy(word, entries) {
  const parts = entries.flatMap(entry => entry.parts)
  if (parts.some(({ lower }) => lower.includes(word))) return { words: [word], isThere: true }
  const same = synonyms
    .filter(group => group.includes(word))
    .flat()
    .filter(other => parts.some(searched => beginningIn(searched, other) >= 0))
  if (same.length > 0) return { words: same, isThere: false }
  const mistakes = word.length < 5 ? 0 : word.length < 8 ? 1 : 2
  const known = new Set(parts.flatMap(({ text }) => wordsOf(text)))
  const near = [...known].map(other => ({
    other,
    // During typing only the beginning of a word is there.
    distance: Math.min(distanceOf(word, other), distanceOf(word, other.slice(0, word.length))),
  }))
  const least = Math.min(...near.map(({ distance }) => distance))
  const words = near.filter(({ distance }) => distance === least).map(({ other }) => other)
  return { words: least > mistakes ? [word] : words, isThere: false }
}

/** @param {string} text */
const wordsOf = text =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{4,}/gu) ?? []

/**
 * The edit distance of two words: a missing, additional or wrong letter, or two swapped letters, count one each.
 * @param {string} a
 * @param {string} b
 */
function distanceOf(a, b) {
  /** @type {number[]} */
  let before = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        cell(row, j) + 1,
        cell(next, j - 1) + 1,
        cell(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? cell(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return cell(row, b.length)
}

/**
 * @param {number[]} row
 * @param {number} index of a number that is there
 */
const cell = (row, index) => row[index] ?? 0
