/** The error codes. Each has a section of its own on the page, `#errors/not_found`. */
function errorsPart({ h, contents, component, Markdown }) {
  /** All codes, each with its status, cause, remedy, an example and its operations. */
  function ErrorCodes() {
    return h(
      'div',
      { className: 'error-codes' },
      codesIn(contents()).map(({ code, statuses, description, example, operations }) =>
        h(
          'section',
          { key: code, className: 'error-code', 'aria-labelledby': `errors/${code}` },
          h(
            'div',
            null,
            h(
              'h3',
              { id: `errors/${code}`, 'data-place': `errors/${code}` },
              statuses.map(status => h('span', { key: status, className: 'status' }, status)),
              h('code', null, code),
              h(
                'a',
                { className: 'section-link', href: `#errors/${code}`, 'aria-label': `Link to ${code}` },
                '#',
              ),
            ),
            description && h(Markdown, { source: description }),
            operations.length > 0 && h(Where, { operations }),
          ),
          h(component('Code'), { text: JSON.stringify(example, null, 2), label: `An example of ${code}` }),
        ),
      ),
    )
  }

  /** The operations that may answer with a code. If all may, there is no list. */
  function Where({ operations }) {
    const all = contents().operations.length
    if (operations.length > all * 0.6)
      return h('p', { className: 'where' }, operations.length === all ? 'Any operation.' : 'Most operations.')
    return h(
      'p',
      { className: 'where' },
      operations.flatMap((operation, i) => [
        i > 0 ? ', ' : '',
        h('a', { key: operation.id, href: addressOf(operation) }, operation.id),
      ]),
    )
  }

  return { components: { ErrorCodes } }
}

/** The error codes of a response: its `x-codes`. */
const codesOf = response => (Array.isArray(response['x-codes']) ? response['x-codes'].map(String) : [])

/** All error codes in the document's order, with their descriptions. */
function codesIn(found) {
  found.codes ??= [...readCodes(found)]
  return found.codes
}

function readCodes(found) {
  const { resolve, operations } = found
  const codes = new Map()
  const known = code => {
    const made = codes.get(code) ?? {
      code,
      statuses: [],
      description: '',
      example: undefined,
      operations: [],
    }
    codes.set(code, made)
    return made
  }
  for (const { responses } of operations)
    for (const { response } of responses) {
      const schema = codesOf(response).length > 0 && mediaOf(response.content)?.schema
      const listed = schema ? wholeOf(wholeOf(schema, resolve).properties?.code, resolve) : {}
      for (const code of listed.enum ?? [])
        known(String(code)).description = String(listed['x-enum-descriptions']?.[code] ?? '')
    }
  for (const operation of operations)
    for (const { status, response } of operation.responses)
      for (const code of codesOf(response)) {
        const entry = known(code)
        if (!entry.statuses.includes(status)) entry.statuses.push(status)
        if (!entry.operations.includes(operation)) entry.operations.push(operation)
        const media = mediaOf(response.content)
        entry.example ??= media && examplesOf(media, resolve).find(({ value }) => value?.code === code)?.value
      }
  for (const entry of codes.values()) entry.example ??= { code: entry.code, message: '…', ...statusOf(entry) }
  return codes.values()
}

const statusOf = ({ statuses: [status] }) => (Number(status) ? { status: Number(status) } : {})
