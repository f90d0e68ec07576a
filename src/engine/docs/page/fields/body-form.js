/** @import { ChangeEvent } from 'react' */
/** @import { Schema } from '../document/types.js' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { exactJson, membersOf, parsed } from '../document/media.js'
import { listedIn, wholeOf } from '../document/schemas.js'
import { textOf } from './bounds.js'

/**
 * The form for a body of JSON: an input at each field, which changes the text of the body beside it.
 * @param {Tools} tools
 * @returns {Part}
 */
export function bodyFormPart({ React, h, contents }) {
  /** The body that the inputs inside change; undefined where there is none. */
  const Body = React.createContext(/** @type {Body | undefined} */ (undefined))

  /** @param {Components['BodyForm']} props */
  function BodyForm({ text, change, children }) {
    const body = exactJson(text === '' ? '{}' : text)?.value
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    // A text that is broken, or has numbers that a double can't hold, is changed by hand alone.
    const value = isObject ? { body, change } : { body: undefined, change }
    return h(Body.Provider, { value }, children)
  }

  /** @param {Components['BodyInput']} props */
  function BodyInput({ schema, at }) {
    const form = React.useContext(Body)
    const { resolve } = contents()
    if (!form) return null
    const { body, change } = form
    /** @type {unknown} */
    const present = body
    const value = at.reduce((within, name) => membersOf(within)[name], present)
    const set = (/** @type {unknown} */ next) => change(JSON.stringify(withValue(body, at, next), null, 2))
    const common = { 'aria-label': `${at.join(' / ')} in the body`, disabled: body === undefined }
    const items = schema.items && wholeOf(schema.items, resolve)
    const ofItems = items && choicesOf(items)
    if (ofItems) {
      /** @type {unknown[]} */
      const chosen = Array.isArray(value) ? value : []
      return h(
        'fieldset',
        { className: 'body-input choices', ...common },
        ofItems.map(choice =>
          h(
            'label',
            { key: textOf(choice) },
            h('input', {
              type: 'checkbox',
              checked: chosen.includes(choice),
              onChange: event =>
                set(ofItems.filter(one => (one === choice ? event.target.checked : chosen.includes(one)))),
            }),
            textOf(choice),
          ),
        ),
      )
    }
    const choices = choicesOf(schema)
    if (choices)
      return h(
        'select',
        {
          className: 'body-input',
          ...common,
          value: value === undefined ? '' : JSON.stringify(value),
          onChange: (/** @type {ChangeEvent<HTMLSelectElement>} */ event) => set(parsed(event.target.value)),
        },
        h('option', { value: '' }, 'not sent'),
        choices.map(choice => {
          const text = JSON.stringify(choice)
          return h('option', { key: text, value: text }, textOf(choice))
        }),
      )
    const kind = kindOf(schema)
    if (kind === undefined) return null
    return h(TextInput, { ...common, kind, value, set })
  }

  /**
   * An input that keeps what is typed, although the body may write it in another way.
   * @param {TextInputProps} props
   */
  function TextInput({ kind, value, set, ...common }) {
    const [typed, setTyped] = React.useState('')
    const isTyped = JSON.stringify(typedValue(kind, typed)) === JSON.stringify(value)
    return h('input', {
      ...common,
      className: 'body-input',
      type: 'text',
      inputMode: kind === 'number' ? 'decimal' : 'text',
      autoComplete: 'off',
      spellCheck: false,
      value: isTyped
        ? typed
        : value === undefined
          ? ''
          : typeof value === 'string' && kind !== 'json'
            ? value
            : JSON.stringify(value),
      onChange: event => {
        setTyped(event.target.value)
        set(typedValue(kind, event.target.value))
      },
    })
  }

  /**
   * The values that a schema lists.
   * @param {Schema} schema
   */
  const choicesOf = schema => {
    const listed = listedIn(schema, contents().resolve)?.map(({ value }) => value)
    return schema.enum ?? listed ?? (typeIn(schema) === 'boolean' ? [true, false] : undefined)
  }

  return { components: { BodyForm, BodyInput } }
}

/**
 * @typedef {object} Body
 * @property {object | undefined} body undefined: it can't be changed by inputs
 * @property {(text: string) => void} change
 */
/** @typedef {'text' | 'number' | 'json'} Kind */
/** @typedef {{ kind: Kind, value: unknown, set(value: unknown): void, disabled: boolean, 'aria-label': string }} TextInputProps */

/**
 * The type of a schema, apart from null.
 * @param {Schema} schema
 */
const typeIn = ({ type }) => [type].flat().find(name => name !== 'null')

/**
 * The kind of input for a value; undefined if its fields have inputs of their own, or none is simple.
 * @param {Schema} schema
 * @returns {Kind | undefined}
 */
function kindOf(schema) {
  const type = typeIn(schema)
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'array' ? 'json' : undefined
}

/**
 * The value of a typed text. What is no value of its kind stays a text: the service says what is wrong with it.
 * @param {Kind} kind
 * @param {string} typed
 */
function typedValue(kind, typed) {
  if (typed === '') return undefined
  return kind === 'text' ? typed : (exactJson(typed)?.value ?? typed)
}

/**
 * A copy of an object with another value at a place; undefined removes the value there.
 * @param {unknown} body
 * @param {string[]} at
 * @param {unknown} value
 * @returns {unknown}
 */
function withValue(body, [name, ...rest], value) {
  if (name === undefined) return value
  const members = membersOf(body)
  const entries = Object.entries(members).map(([key, member]) => [
    key,
    key === name ? withValue(member, rest, value) : member,
  ])
  const isNew = !Object.hasOwn(members, name) && value !== undefined
  return Object.fromEntries([...entries, ...(isNew ? [[name, withValue({}, rest, value)]] : [])])
}
