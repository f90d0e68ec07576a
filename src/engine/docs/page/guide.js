/** The guide: the chapters of the document's description, and those made from the rest of the document. */
function guidePart({ React, h, contents, component, Markdown }) {
  /** Rendered once. Its changing parts update themselves. */
  const Guide = React.memo(() => {
    const box = React.useRef(null)
    React.useEffect(() => {
      nameSections(box.current)
      linkNames(box.current, contents())
    })
    return h(
      'article',
      { className: 'guide', ref: box, 'aria-label': 'Guide' },
      chaptersOf(contents()).map(({ id, title, source, made }) =>
        h(
          'section',
          { key: id, className: 'chapter', 'aria-labelledby': id },
          h(
            'h2',
            { id, 'data-place': id },
            title,
            h('a', { className: 'section-link', href: `#${id}`, 'aria-label': `Link to ${title}` }, '#'),
          ),
          source && h(Markdown, { source }),
          made?.map(name => h(component(name, true), { key: name })),
        ),
      ),
    )
  })

  return { components: { Guide } }
}

/** The chapters of a document in reading order. Each has its own address, such as `#limits`. */
function chaptersOf(found) {
  found.chapters ??= [...writtenAndMade(found)]
  return found.chapters
}

function writtenAndMade(found) {
  const written = partsOfText(found.document.info?.description ?? '').parts
  const chapters = written.map(({ title, source }) => ({ title, id: slugOf(title), source, made: [] }))
  // A made chapter joins the written chapter on the same subject.
  for (const { title, name, isNeeded, place } of madeChapters) {
    if (!isNeeded(found)) continue
    const home = chapters.find(chapter => place.test(chapter.title))
    if (home) home.made.push(name)
    else chapters.push({ title, id: slugOf(title), source: '', made: [name] })
  }
  const ids = new Set(['content', 'search', 'side', 'schemas', 'webhooks']) // the page's own
  for (const chapter of chapters) {
    const name = chapter.id
    for (let i = 2; ids.has(chapter.id); i++) chapter.id = `${name}-${i}`
    ids.add(chapter.id)
  }
  return chapters
}

/** The made chapters: the component of each, and the title of the written chapter that it joins if there is one. */
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
    title: 'Rules between records',
    name: 'Rules',
    place: /^rules\b/i,
    isNeeded: () => Object.keys(docsRules()).length > 0,
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

/** Splits a Markdown text at its highest headings: the text before the first one, and the parts. */
function partsOfText(text) {
  const lines = text.split('\n')
  let isCode = false
  const headings = lines.flatMap((line, i) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    const [, marks, title = ''] = (!isCode && /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)) || []
    return marks ? [{ level: marks.length, title: title.replace(/[*_`]/g, ''), line: i }] : []
  })
  const level = Math.min(...headings.map(heading => heading.level))
  const cuts = headings.filter(heading => heading.level === level)
  const upTo = (from, to) => lines.slice(from, to).join('\n').trim()
  const parts = cuts.map(({ title, line }, i) => ({ title, source: upTo(line + 1, cuts[i + 1]?.line) }))
  const lead = upTo(0, cuts[0]?.line)
  const [first = '', ...more] = lead.split(/\n\s*\n/)
  const isLong = lead.length > 700 && more.length > 0
  if (isLong) parts.unshift({ title: 'Introduction', source: lead })
  return { lead: isLong ? first : lead, parts: parts.filter(({ title, source }) => title || source) }
}

/** Gives each heading inside a chapter its own address, and a link to it. */
function nameSections(guide) {
  for (const heading of guide.querySelectorAll(
    ':is(.markdown, .renderedMarkdown) :is(h1, h2, h3, h4):not([id])',
  )) {
    const name = slugOf(heading.textContent)
    let id = name
    for (let i = 2; document.getElementById(id); i++) id = `${name}-${i}`
    const link = document.createElement('a')
    link.href = `#${id}`
    link.className = 'section-link'
    link.ariaLabel = `Link to ${heading.textContent}`
    link.textContent = '#'
    heading.id = id
    heading.append(' ', link)
  }
}

/** Turns the names of operations and the error codes in a text into links. */
function linkNames(guide, found) {
  const operations = new Map(found.operations.map(operation => [operation.id, addressOf(operation)]))
  const codes = new Map(codesIn(found).map(({ code }) => [code, `#errors/${code}`]))
  for (const name of guide.querySelectorAll(':is(.markdown, .renderedMarkdown) :not(a, pre) > code')) {
    const address = operations.get(name.textContent) ?? codes.get(name.textContent)
    if (address === undefined || name.closest('a')) continue
    const link = document.createElement('a')
    link.href = address
    name.replaceWith(link)
    link.append(name)
  }
}
