/** @import { ReactElement } from 'react' */
/** @import { Resolve, Schema } from '../document/types.js' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { decoded } from '../basics/addresses.js'
import { keyOf } from '../document/contents.js'
import { componentNamed, listedIn, wholeOf } from '../document/schemas.js'
import { plain } from '../swagger-ui/tools.js'
import { boundsOf, textOf } from './bounds.js'

/**
 * The fields of a schema, a line each: name, type, bounds and description. Nested fields open on request.
 * @param {Tools} tools
 * @returns {Part}
 */
export function fieldsPart({ React, h, contents, component, Markdown }) {
  /**
   * @param {Components['Fields']} props
   * @returns {ReactElement}
   */
  function Fields({ schema: written, isRequest = false, depth = 0, address, at }) {
    const { resolve } = contents()
    const schema = wholeOf(written, resolve)
    const inner = schema.type === 'array' || schema.items ? wholeOf(schema.items, resolve) : schema
    const listed = listedIn(inner, resolve)
    const variants = listed ? undefined : (inner.oneOf ?? inner.anyOf)
    /**
     * @param {string} name
     * @param {Schema} declared
     */
    const member = (name, declared) =>
      h(Field, { key: name, name, written: declared, isRequired: false, isRequest, depth })
    // The members of a list have no place of their own in the form.
    const places = inner === schema ? at : undefined
    const forms = Object.entries(inner.patternProperties ?? {})
    const items = schema.prefixItems ?? []
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
              address: address && `${address}/${name}`,
              at: places && [...places, name],
            }),
          ),
        ),
      items.length > 0 &&
        h(
          'ul',
          null,
          items.map((item, i) => member(`item ${i + 1}`, item)),
          schema.items && member('further items', schema.items),
        ),
      forms.length > 0 &&
        h(
          'ul',
          null,
          forms.map(([pattern, form]) => member(`names of the form ${pattern}`, form)),
        ),
      typeof free === 'object' && h('ul', null, member('any other name', free)),
      h(Values, { listed }),
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
              address,
              at: places,
            }),
          ),
        ),
    )
  }

  /**
   * Values that are listed one by one, with their titles and descriptions, as far as there are any.
   * @param {Components['Values']} props
   */
  function Values({ listed = [] }) {
    const isDescribed = listed.some(({ title, description }) => title || description)
    if (!isDescribed && listed.length < 2) return null
    return h(
      'dl',
      { className: 'codes' },
      listed.map(({ value, title, description }) =>
        h(
          React.Fragment,
          { key: textOf(value) },
          h('dt', null, h('code', null, textOf(value))),
          h('dd', null, h(Markdown, { source: [title, description].filter(Boolean).join(': ') })),
        ),
      ),
    )
  }

  /**
   * A line for the value as a whole.
   * @param {{ schema: Schema }} props
   */
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

  /** @param {FieldProps} props */
  function Field({ name, written, isRequired, isRequest, depth, address, at }) {
    const { resolve } = contents()
    const schema = wholeOf(written, resolve)
    const facts = [
      ...boundsOf(schema),
      schema.default !== undefined && `default ${textOf(schema.default)}`,
      schema.nullable && 'or null',
    ].filter(Boolean)
    return h(
      'li',
      { className: 'field', id: address },
      h(
        'div',
        { className: 'field-line' },
        h('code', { className: 'field-name' }, name),
        h('span', { className: 'field-type' }, typeOf(schema, resolve)),
        isRequired && h('span', { className: 'required-mark' }, 'required'),
        schema.deprecated && h('span', { className: 'badge badge-deprecated' }, 'deprecated'),
        address && h(FieldLink, { address, name }),
      ),
      schema.description && h(Markdown, { source: schema.description }),
      facts.length > 0 && h('p', { className: 'bounds' }, facts.join('; ')),
      at && h(component('BodyInput'), { schema, at }),
      hasMore(schema, resolve) &&
        h(More, { title: 'Fields', of: name, written, isRequest, depth, address, at }),
    )
  }

  /** @param {{ address: string, name: string }} props */
  const FieldLink = ({ address, name }) =>
    h(
      'a',
      {
        className: 'section-link',
        href: `#${address.split('/').map(encodeURIComponent).join('/')}`,
        'aria-label': `Link to ${name}`,
      },
      '#',
    )

  /**
   * Fields that are made only when the reader opens them, because schemas may be circular.
   * @param {MoreProps} props
   */
  function More({ title, of, written, isRequest, depth, address, at }) {
    const leadsHere = () => Boolean(address) && decoded(location.hash).startsWith(`#${address}/`)
    const [isOpen, setOpen] = React.useState(leadsHere)
    React.useEffect(() => {
      const follow = () => {
        if (leadsHere()) setOpen(true)
      }
      addEventListener('hashchange', follow)
      return () => removeEventListener('hashchange', follow)
    }, [address])
    return h(
      'div',
      { className: 'more-fields' },
      h(
        'button',
        { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
        title,
        of && h('span', { className: 'visually-hidden' }, ` of ${of}`),
      ),
      isOpen && h(Fields, { schema: written, isRequest, depth: depth + 1, address, at }),
    )
  }

  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    /** The fields of a body, with a form for them, and its text area. The example is in the code beside it. */
    modelExample: () => props => {
      const [, path = '', method = ''] = plain(props.specPath)
      const operation = contents().byKey.get(keyOf(path, method))
      const { example, isExecute } = props
      const text = isExecute ? example?.props.value : undefined
      const isForm = typeof text === 'string'
      const fields = h(Fields, {
        schema: plain(props.schema),
        isRequest: Boolean(props.includeWriteOnly),
        address: operation && `/${operation.tag}/${operation.id}/body`,
        at: isForm ? [] : undefined,
      })
      return h(
        'div',
        { className: 'model-example' },
        isForm
          ? h(component('BodyForm'), { text, change: written => example?.props.onChange(written) }, fields)
          : fields,
        isExecute && example,
      )
    },
  }
  return { components: { Fields, Values }, wrapComponents }
}

/**
 * @typedef {object} FieldProps
 * @property {string} name
 * @property {Schema} written
 * @property {boolean} isRequired
 * @property {boolean} isRequest
 * @property {number} depth how many schemas are around it
 * @property {string | undefined} [address] its address on the page
 * @property {string[] | undefined} [at] its place in the body that a form edits
 */
/** @typedef {Omit<FieldProps, 'name' | 'isRequired'> & { title: string, of?: string }} MoreProps */

/**
 * @param {Schema} schema
 * @param {Resolve} resolve
 */
const hasMore = (schema, resolve) => {
  const inner = schema.items ? wholeOf(schema.items, resolve) : schema
  return Boolean(
    schema.prefixItems ||
      inner.patternProperties ||
      inner.oneOf ||
      inner.anyOf ||
      Object.keys(inner.properties ?? {}).length > 0 ||
      typeof inner.additionalProperties === 'object',
  )
}

/**
 * The kind of a value in a few words.
 * @param {Schema} schema
 * @param {Resolve} resolve
 * @returns {string}
 */
function typeOf(schema, resolve) {
  if (schema.prefixItems) {
    const places = schema.prefixItems.map(one => typeOf(wholeOf(one, resolve), resolve))
    return `list: ${places.join(', ')}`
  }
  if (schema.items) return `list of ${plural(typeOf(wholeOf(schema.items, resolve), resolve))}`
  const { type, format, properties, oneOf, anyOf } = schema
  if (type === 'array') return 'list'
  const listed = type === undefined ? listedIn(schema, resolve)?.[0] : undefined
  if (listed) return typeof listed.value
  if (type === undefined) return properties ? 'object' : oneOf || anyOf ? 'one of several' : 'any value'
  return format && type !== 'integer' && type !== 'number' ? `${type}, ${format}` : String(type)
}

/** @param {string} noun */
const plural = noun => (/^(one of|any value|list)/.test(noun) ? noun : noun.replace(/^\w+/, '$&s'))
