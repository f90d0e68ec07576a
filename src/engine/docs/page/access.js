/** The way in: how to get a key and where to send it, and what the key that was given may do. */
function accessPart({ h, contents, Markdown }) {
  /** How the document says that callers identify themselves. */
  function Access() {
    const schemes = Object.entries(securitySchemesOf(contents()))
    return h(
      'div',
      { className: 'access' },
      schemes.map(([name, scheme]) =>
        h(
          'section',
          { key: name, className: 'access-scheme', 'aria-label': name },
          h('h3', { id: slugOf(`get a credential ${name}`) }, name),
          h('p', null, whereOf(scheme)),
          scheme.description && h(Markdown, { source: scheme.description }),
        ),
      ),
    )
  }

  return { components: { Access } }
}

/** Where a credential belongs in a request. */
function whereOf({ type, name, in: place, scheme = '' }) {
  if (type === 'apiKey') return `Sent as the ${place === 'query' ? 'query parameter' : place} ${name}.`
  if (type === 'http' && scheme.toLowerCase() === 'basic')
    return 'Name and password, sent as Authorization: Basic (RFC 7617).'
  if (type === 'http' && scheme.toLowerCase() === 'bearer')
    return 'A token, sent as Authorization: Bearer (RFC 6750).'
  return type === 'http'
    ? `Sent as Authorization: ${scheme}.`
    : 'An access token, sent as Authorization: Bearer (RFC 6750).'
}
