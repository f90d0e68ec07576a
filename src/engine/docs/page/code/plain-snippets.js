/** @import { SampleRequest } from './sample-request.js' */
import { exactJson, membersOf } from '../document/media.js'

// Code for a request in curl, JavaScript and Python, for the page and for Markdown. Texts of readers and documents are data in
// all of them, never code.

/** @param {SampleRequest} request */
export function curlSnippet({ method, url, headers, text, form, file }) {
  /** @param {string} value */
  const quoted = value => `'${value.replaceAll("'", "'\\''")}'`
  const isUsual = method === 'GET' || (method === 'POST' && (text || form?.length || file))
  const verb = isUsual ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `
  const glob = /[[\]{}]/.test(url) ? '--globoff ' : ''
  return [
    `curl ${glob}${verb}${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(value ? `${name}: ${value}` : `${name};`)}`),
    ...(text === undefined ? [] : [`--data-raw ${quoted(text)}`]),
    ...(file ? [`--data-binary ${quoted(`@${file.name}`)}`] : []),
    ...(form ?? []).map(([name, value]) =>
      typeof value === 'string'
        ? `--form-string ${quoted(`${name}=${value}`)}`
        : `-F ${quoted(`${name}=@${value.name || 'file'}`)}`,
    ),
  ].join(' \\\n  ')
}

/** @param {SampleRequest} request */
export function javascriptSnippet({ method, url, headers, text, form, file, isJson, hasReply }) {
  const value = isJson ? exactJson(text) : undefined
  const content = value ? `JSON.stringify(${literal(value.value, 1)})` : text && quotedText(text)
  const options = [
    method !== 'GET' && `method: ${quotedText(method)},`,
    headers.length > 0 && `headers: ${literal(Object.fromEntries(headers), 1)},`,
    form ? 'body: form,' : file ? 'body: file,' : content && `body: ${content},`,
  ].filter(Boolean)
  return [
    ...formInJavascript(form),
    ...fileInJavascript(file),
    `const response = await fetch(${quotedText(url)}${options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : ''})`,
    `console.log(response.status, await response.${hasReply ? 'json' : 'text'}())`,
  ].join('\n')
}

/** @param {SampleRequest} request */
export function pythonSnippet({ method, url, headers, text, form, file, isJson }) {
  const value = isJson ? exactJson(text) : undefined
  const known = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].includes(method)
  // The library itself sets the media type of a JSON body.
  const own = value
    ? headers.filter(([name, type]) => !(/^content-type$/i.test(name) && type === 'application/json'))
    : headers
  /**
   * @template Value
   * @param {[string, Value][]} named
   * @param {(value: Value) => string} write
   */
  const pairs = (named, write) =>
    `{\n${named.map(([name, entry]) => `        ${JSON.stringify(name)}: ${write(entry)},\n`).join('')}    }`
  const entries = [
    ...(known ? [] : [JSON.stringify(method)]),
    JSON.stringify(url),
    ...(own.length > 0 ? [`headers=${pairs(own, header => JSON.stringify(header))}`] : []),
    ...(value
      ? [`json=${pythonLiteral(value.value, 1)}`]
      : text
        ? [`data=${JSON.stringify(text)}.encode()`]
        : []),
    ...(file ? [`data=open(${JSON.stringify(file.name)}, "rb")`] : []),
    ...(form
      ? [
          `files=${pairs(form, part => (typeof part === 'string' ? `(None, ${JSON.stringify(part)})` : `open(${JSON.stringify(part.name || 'file')}, "rb")`))}`,
        ]
      : []),
    'timeout=30',
  ]
  return [
    'import requests',
    '',
    `response = requests.${known ? method.toLowerCase() : 'request'}(`,
    ...entries.map(entry => `    ${entry},`),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

/** @param {SampleRequest['form']} form */
export const formInJavascript = form =>
  form
    ? [
        'const form = new FormData()',
        ...form.map(
          ([name, value]) =>
            `form.append(${quotedText(name)}, ${typeof value === 'string' ? quotedText(value) : `new File(['…'], ${quotedText(value.name || 'file')})`})`,
        ),
        '',
      ]
    : []

/** @param {SampleRequest['file']} file */
export const fileInJavascript = file =>
  file ? [`const file = new File(['…'], ${quotedText(file.name)})`, ''] : []

/**
 * Writes a text as a JavaScript literal.
 * @param {string} text
 */
export const quotedText = text =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/**
 * Writes a JSON value as a JavaScript literal.
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
export function literal(value, depth) {
  if (typeof value === 'string') return quotedText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  /** @param {string} key */
  const name = key =>
    key === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quotedText(key)
  const members = Array.isArray(value)
    ? value.map(member => literal(member, depth + 1))
    : Object.entries(membersOf(value)).map(([key, member]) => `${name(key)}: ${literal(member, depth + 1)}`)
  return joinedMembers(members, Array.isArray(value) ? '[]' : '{}', depth, '  ')
}

/**
 * Writes a JSON value as a Python literal.
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
function pythonLiteral(value, depth) {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Array.isArray(value)
    ? value.map(member => pythonLiteral(member, depth + 1))
    : Object.entries(membersOf(value)).map(
        ([key, member]) => `${JSON.stringify(key)}: ${pythonLiteral(member, depth + 1)}`,
      )
  return joinedMembers(members, Array.isArray(value) ? '[]' : '{}', depth, '    ')
}

/**
 * Joins members on one line if there is room, else on a line each.
 * @param {string[]} members
 * @param {'[]' | '{}'} brackets
 * @param {number} depth
 * @param {string} indent
 */
function joinedMembers(members, brackets, depth, indent) {
  const [open, close] = brackets
  const space = open === '{' && members.length > 0 && indent.length === 2 ? ' ' : ''
  const short = `${open}${space}${members.join(', ')}${space}${close}`
  if (short.length < 64 && !short.includes('\n')) return short
  const inner = indent.repeat(depth + 1)
  return `${open}\n${members.map(member => `${inner}${member},\n`).join('')}${indent.repeat(depth)}${close}`
}
