/** @import { Content, Examples, NamedMediaType, Resolve } from './types.js' */

/**
 * The first media type of a content, JSON before others; undefined if there is none.
 * @param {Content} [content]
 * @returns {NamedMediaType | undefined}
 */
export function mediaOf(content = {}) {
  const types = Object.keys(content)
  const type = types.find(isJson) ?? types[0]
  return type === undefined ? undefined : { type, ...content[type] }
}

/** @param {string} type */
export const isJson = type => /^[^;]*[/+]json\b/i.test(type)

/**
 * The examples of a media type by name. An example without a name has the name ''.
 * @param {Examples} written
 * @param {Resolve} resolve
 */
export function examplesOf({ example, examples = {} }, resolve) {
  if (example !== undefined) return [{ name: '', value: example }]
  return Object.entries(examples).flatMap(([name, one]) => {
    const { value } = resolve(one)
    return value === undefined ? [] : [{ name, value }]
  })
}

/**
 * Parses JSON. Returns undefined for any other text.
 * @param {string} text
 * @returns {unknown}
 */
export function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses JSON whose numbers doubles hold exactly. Returns undefined for any other text.
 * @param {string | undefined} text
 */
export function exactJson(text) {
  const value = text === undefined ? undefined : parsed(text)
  if (
    text === undefined ||
    value === undefined ||
    /[-\d.eE+]{16,}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))
  )
    return undefined
  return { value }
}

/**
 * The members of an object or of a list. Other values have none.
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
export const membersOf = value =>
  typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {} // of any names
