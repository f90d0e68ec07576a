// The index of the search. Words are found as they are written, by synonyms, and despite typing errors.

/** Synonyms in interfaces. A word that the document lacks finds the others. */
const synonyms = [
  'pagination paginate paging page cursor offset',
  'auth authentication authorization authorisation login credential credentials key token',
  'throttle throttling limit limits quota',
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

/**
 * The entries of the search, each with its texts, the most significant first.
 * @param {any} found the contents of the document
 */
function searchEntries(found, tagNamed) {
  const schemas = Object.entries(found.document.components?.schemas ?? {})
  const commonHeaders = commonHeadersOf(found).map(({ name }) => name)
  return [
    ...found.operations.map(operation => ({
      kind: 'operation',
      of: operation,
      href: addressOf(operation),
      title: operation.title,
      parts: partsOfOperation(operation, found, tagNamed(operation.tag)),
    })),
    ...chaptersOf(found).map(chapter => ({
      kind: 'chapter',
      href: `#${chapter.id}`,
      title: chapter.title,
      parts: [
        part('', chapter.title),
        part('', chapter.source),
        ...(chapter.made?.includes('CommonHeaders') ? commonHeaders.map(name => part('header', name)) : []),
      ],
    })),
    ...codesIn(found).map(({ code, description, statuses }) => ({
      kind: 'code',
      href: `#errors/${code}`,
      title: code,
      parts: [part('', code), ...statuses.map(status => part('status', status)), part('', description)],
    })),
    ...schemas.map(([name, schema]) => ({
      kind: 'schema',
      href: `#schemas/${encodeURIComponent(name)}`,
      title: name,
      parts: [
        part('', name),
        part('', found.resolve(schema).description),
        ...namesIn(schema, found.resolve, 3).map(field => part('field', field)),
      ],
    })),
  ]
}

/** A text to search, with its kind. */
function part(label, text) {
  const plain = String(text ?? '').replaceAll('`', '')
  return { label, text: plain, lower: plain.toLowerCase() }
}

function partsOfOperation(operation, found, tag) {
  const { id, method, path, title, operation: written, parameters, body, responses } = operation
  const fields = [body, ...responses.map(({ response }) => response)].flatMap(of => {
    const schema = mediaOf(of?.content)?.schema
    return schema ? namesIn(schema, found.resolve) : []
  })
  const headers = responses.flatMap(({ response }) => ownHeadersOf(response, found).map(({ name }) => name))
  const codes = responses.flatMap(({ response }) => codesOf(response))
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

/** The names of a schema's fields, nested fields included. */
function namesIn(written, resolve, depth = 0) {
  const { properties = {}, items, oneOf = [], anyOf = [] } = wholeOf(written, resolve)
  if (depth > 3) return []
  const below = [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...anyOf]
  return [...Object.keys(properties), ...below.flatMap(schema => namesIn(schema, resolve, depth + 1))]
}

/** The entries that have every word of a search, the best first, with the places of the words. */
function hitsOf(entries, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = words.map(word => meantBy(word, entries))
  return entries
    .flatMap(entry => {
      const places = wanted.map(alternatives => placeIn(entry, alternatives))
      if (places.includes(undefined)) return []
      return [{ ...entry, places, rank: places.reduce((sum, { rank }) => sum + rank, 0) }]
    })
    .sort((a, b) => a.rank - b.rank)
}

/** Returns the place of the first match of any of the words in an entry. */
function placeIn({ parts }, words) {
  for (const [rank, { label, text, lower }] of parts.entries())
    for (const word of words) {
      const at = lower.indexOf(word)
      // The start of a text is a better match than its middle.
      if (at >= 0) return { label, text, at, length: word.length, rank: rank + (at > 0 ? 0.5 : 0) }
    }
  return undefined
}

/** The alternatives for a searched word: itself if it occurs, else its synonyms, else the most similar words. */
function meantBy(word, entries) {
  const isThere = wanted => entries.some(({ parts }) => parts.some(({ lower }) => lower.includes(wanted)))
  if (isThere(word)) return [word]
  const same = synonyms
    .filter(group => group.includes(word))
    .flat()
    .filter(isThere)
  if (same.length > 0) return same
  const mistakes = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  const texts = entries.flatMap(({ parts }) => parts.map(({ text }) => text))
  const known = new Set(texts.flatMap(wordsOf))
  const near = [...known].map(other => ({
    other,
    // During typing only the beginning of a word is there.
    distance: Math.min(distanceOf(word, other), distanceOf(word, other.slice(0, word.length))),
  }))
  const least = Math.min(...near.map(({ distance }) => distance))
  return least > mistakes
    ? [word]
    : near.filter(({ distance }) => distance === least).map(({ other }) => other)
}

const wordsOf = text =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{4,}/gu) ?? []

/** The edit distance of two words: a missing, additional or wrong letter, or two swapped letters, count one each. */
function distanceOf(a, b) {
  /** @type {any} */
  let before = []
  /** @type {any} */
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    /** @type {any} */
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        row[j] + 1,
        next[j - 1] + 1,
        row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? before[j - 2] + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[b.length]
}
