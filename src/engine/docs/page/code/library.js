/** @import { SampleRequest } from './sample-request.js' */
import { home } from '../basics/addresses.js'

// Code in the languages of a library (@readme/httpsnippet), which a browser loads once a reader chooses one of them.

/**
 * A language of the library: its names there, and which of its texts take a variable at a character.
 * @typedef {object} LibraryLanguage
 * @property {string} name
 * @property {string} title
 * @property {string} client
 * @property {string} [variable] the character
 * @property {('url' | 'headers' | 'text')[]} [interpolated] the texts
 */

/** @type {LibraryLanguage[]} */
export const libraryLanguages = [
  { name: 'php', title: 'PHP', client: 'curl', variable: '$', interpolated: ['url', 'headers', 'text'] },
  { name: 'java', title: 'Java', client: 'nethttp' },
  { name: 'csharp', title: 'C#', client: 'httpclient' },
  { name: 'ruby', title: 'Ruby', client: 'native', variable: '#', interpolated: ['url', 'text'] },
  {
    name: 'kotlin',
    title: 'Kotlin',
    client: 'okhttp',
    variable: '$',
    interpolated: ['url', 'headers', 'text'],
  },
  { name: 'c', title: 'C', client: 'libcurl' },
]

/**
 * The library's own type is not in the page.
 * @typedef {{ HTTPSnippet: new (har: object) => { convert(target: string, client: string): string[] | false } }} Library
 */

/** @type {{ module?: Library, loading?: Promise<void>, fault?: string }} */
const state = {}

/** Stands for a character that a language would take for the beginning of a variable. */
const mark = '\uE000'

/**
 * Writes a request in a language of the library. Until that is loaded, it says so.
 * @param {LibraryLanguage} language
 * @param {SampleRequest} request
 */
export function fromLibrary({ name, title, client, variable = '', interpolated = [] }, request) {
  const hasFiles = request.form?.some(([, value]) => typeof value !== 'string')
  if (request.file || hasFiles)
    return `There is no ${title} for an upload. Choose curl, JavaScript, Python or Go.`
  if (!state.module) {
    load()
    return state.fault ?? 'The code is being loaded.'
  }
  /** @param {'url' | 'headers' | 'text'} part @param {string} value */
  const marked = (part, value) => (interpolated.includes(part) ? value.replaceAll(variable, mark) : value)
  const { method, url, headers, form } = request
  const text = request.text === undefined ? undefined : marked('text', request.text)
  const postData = postDataOf(name, headers, text, form)
  const snippet = new state.module.HTTPSnippet({
    ...{ method, url: marked('url', url), httpVersion: 'HTTP/1.1', queryString: [], cookies: [] },
    ...{ headersSize: 0, bodySize: 0 },
    headers: headers.map(([field, value]) => ({ name: field, value: marked('headers', value) })),
    ...(postData && { postData }), // the library takes an undefined one for a body
  })
  const [code = ''] = snippet.convert(name, client) || []
  return code.trim().replaceAll(mark, () => `\\${variable}`)
}

/**
 * The body, in the terms of HAR. The library would write JSON as values of PHP, which have no empty object.
 * @param {string} name
 * @param {[string, string][]} headers
 * @param {string | undefined} text
 * @param {SampleRequest['form']} form
 */
function postDataOf(name, headers, text, form) {
  if (form)
    return {
      mimeType: 'multipart/form-data',
      params: form.map(([field, value]) => ({ name: field, value: String(value) })),
    }
  if (text === undefined) return undefined
  const [, type = 'text/plain'] = headers.find(([field]) => /^content-type$/i.test(field)) ?? []
  if (/^application\/x-www-form-urlencoded/i.test(type))
    return {
      mimeType: 'application/x-www-form-urlencoded',
      params: [...new URLSearchParams(text)].map(([field, value]) => ({ name: field, value })),
    }
  return { mimeType: name === 'php' ? 'text/plain' : type, text }
}

/** Loads the library, and has all code written again. */
function load() {
  state.loading ??= import(new URL(`${home()}/static/languages.js`, location.href).href).then(
    module => {
      state.module = module
      dispatchEvent(new Event('docs-language'))
    },
    () => {
      state.fault = 'The code can’t be loaded. Reload the page, or choose another language.'
      dispatchEvent(new Event('docs-language'))
    },
  )
}
