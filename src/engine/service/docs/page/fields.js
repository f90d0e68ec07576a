/** The fields of a schema, a line each: name, type, bounds and description. Nested fields open on request. */
function fieldsPart({ React, h, contents, plain, Markdown }) {
  function Fields({ schema: written, isRequest = false, depth = 0 }) {
    const { resolve } = contents()
    const schema = wholeOf(written, resolve)
    const inner = schema.type === 'array' || schema.items ? wholeOf(schema.items, resolve) : schema
    const variants = inner.oneOf ?? inner.anyOf
    const required = new Set(inner.required ?? [])
    const fields = Object.entries(inner.properties ?? {}).filter(([, property]) => {
      const { readOnly, writeOnly } = resolve(property)
      return isRequest ? !readOnly : !writeOnly
    })
    const free = inner.additionalProperties
    return h(
      'div',
      { className: 'fields' },
      depth === 0 && h(Line, { schema }),
      fields.length > 0 &&
        h(
          'ul',
          null,
          fields.map(([name, property]) =>
            h(Field, {
              key: name,
              name,
              written: property,
              isRequired: required.has(name),
              isRequest,
              depth,
            }),
          ),
        ),
      typeof free === 'object' &&
        h(
          'ul',
          null,
          h(Field, { name: 'any other name', written: free, isRequired: false, isRequest, depth }),
        ),
      variants &&
        h(
          React.Fragment,
          null,
          h('p', { className: 'bounds' }, inner.oneOf ? 'one of' : 'any of'),
          variants.map((variant, i) =>
            h(More, {
              key: i,
              title: componentNamed(variant) ?? resolve(variant).title ?? typeOf(resolve(variant), resolve),
              written: variant,
              isRequest,
              depth,
            }),
          ),
        ),
    )
  }

  /** A line for the value as a whole. */
  function Line({ schema }) {
    const { resolve } = contents()
    const bounds = boundsOf(schema, true)
    return h(
      'p',
      { className: 'field-line' },
      h('span', { className: 'field-type' }, typeOf(schema, resolve)),
      bounds.length > 0 && h('span', { className: 'bounds' }, bounds.join('; ')),
      schema.description && h(Markdown, { source: schema.description }),
    )
  }

  function Field({ name, written, isRequired, isRequest, depth }) {
    const { resolve } = contents()
    const schema = wholeOf(written, resolve)
    const told = [
      ...boundsOf(schema),
      schema.default !== undefined && `default ${textOf(schema.default)}`,
      schema.nullable && 'or null',
    ].filter(Boolean)
    return h(
      'li',
      { className: 'field' },
      h(
        'div',
        { className: 'field-line' },
        h('code', { className: 'field-name' }, name),
        h('span', { className: 'field-type' }, typeOf(schema, resolve)),
        isRequired && h('span', { className: 'required-mark' }, 'required'),
        schema.deprecated && h('span', { className: 'badge badge-deprecated' }, 'deprecated'),
      ),
      schema.description && h(Markdown, { source: schema.description }),
      told.length > 0 && h('p', { className: 'bounds' }, told.join('; ')),
      hasMore(schema, resolve) && h(More, { title: 'Fields', of: name, written, isRequest, depth }),
    )
  }

  /** Fields that are made only when the reader opens them, because schemas may be circular. */
  function More({ title, of, written, isRequest, depth }) {
    const [isOpen, setOpen] = React.useState(false)
    return h(
      'div',
      { className: 'more-fields' },
      h(
        'button',
        { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
        title,
        of && h('span', { className: 'visually-hidden' }, ` of ${of}`),
      ),
      isOpen && h(Fields, { schema: written, isRequest, depth: depth + 1 }),
    )
  }

  const wrapComponents = {
    /** The fields of a body, and its text area while it is edited. The example is in the code beside it. */
    modelExample: () => props =>
      h(
        'div',
        { className: 'model-example' },
        h(Fields, { schema: plain(props.schema), isRequest: Boolean(props.includeWriteOnly) }),
        props.isExecute && props.example,
      ),
  }
  return { components: { Fields }, wrapComponents }
}

const hasMore = (schema, resolve) => {
  const inner = schema.items ? wholeOf(schema.items, resolve) : schema
  return Boolean(
    inner.oneOf ||
      inner.anyOf ||
      Object.keys(inner.properties ?? {}).length > 0 ||
      typeof inner.additionalProperties === 'object',
  )
}

/** The kind of a value in a few words. */
function typeOf(schema, resolve) {
  if (schema.items) return `list of ${plural(typeOf(wholeOf(schema.items, resolve), resolve))}`
  const { type, format, properties, oneOf, anyOf } = schema
  if (type === 'array') return 'list'
  if (type === undefined) return properties ? 'object' : oneOf || anyOf ? 'one of several' : 'any value'
  return format && type !== 'integer' && type !== 'number' ? `${type}, ${format}` : String(type)
}

const plural = noun => (/^(one of|any value|list)/.test(noun) ? noun : noun.replace(/^\w+/, '$&s'))
