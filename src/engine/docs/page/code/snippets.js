/** @import { SampleRequest } from './sample-request.js' */
import { methods } from '../document/contents.js'
import { exactJson, membersOf } from '../document/media.js'
import { fromLibrary, libraryLanguages } from './library.js'

// Code for a request, a function for each language. Texts of readers and documents are data in all of them, never code.

/**
 * A language: what its tab says, and how it writes a request.
 * @typedef {object} Language
 * @property {string} name
 * @property {string} title
 * @property {(request: SampleRequest) => string} write
 */

/** @type {Language} */
export const curl = { name: 'curl', title: 'curl', write: curlSnippet }

/**
 * In the order of their tabs.
 * @type {Language[]}
 */
export const languages = [
  curl,
  { name: 'javascript', title: 'JavaScript', write: javascriptSnippet },
  { name: 'typescript', title: 'TypeScript', write: typescriptSnippet },
  { name: 'python', title: 'Python', write: pythonSnippet },
  { name: 'go', title: 'Go', write: goSnippet },
]

/**
 * Those of the library, in a list beside the tabs.
 * @type {Language[]}
 */
export const moreLanguages = libraryLanguages.map(language => ({
  name: language.name,
  title: language.title,
  write: request => fromLibrary(language, request),
}))

/** @param {SampleRequest} request */
function curlSnippet({ method, url, headers, text, form, file }) {
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
function javascriptSnippet({ method, url, headers, text, form, file, isJson, hasReply }) {
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
function typescriptSnippet(request) {
  const { method, url, headers, text, form, file, isJson, template, values, documentUrl } = request
  // openapi-fetch has no call for other methods.
  const hasCall = methods.some(known => known !== 'query' && known.toUpperCase() === method)
  if (!hasCall) return javascriptSnippet(request)
  const { origin, pathname } = new URL(url)
  const base = baseOf(pathname, template)
  const own = new Set(
    values.flatMap(({ parameter }) => (parameter.in === 'header' ? [parameter.name.toLowerCase()] : [])),
  )
  /** @param {string} name */
  const isContentType = name => /^content-type$/i.test(name)
  const rest = headers.filter(([name]) => !own.has(name.toLowerCase()) && !isContentType(name))
  const contentType = headers.filter(([name, type]) => isContentType(name) && type !== 'application/json')
  const places = Map.groupBy(
    values.filter(({ parameter }) => parameter.in !== 'cookie'),
    ({ parameter }) => parameter.in,
  )
  const parameters = Object.fromEntries(
    [...places].map(([place, members]) => [
      place,
      Object.fromEntries(members.map(({ parameter, value }) => [parameter.name, value])),
    ]),
  )
  const lists = values.filter(({ parameter, value }) => parameter.in === 'query' && Array.isArray(value))
  const joined = lists.find(
    ({ parameter: { style = 'form', explode = style === 'form' } }) => !explode || style !== 'form',
  )
  const value = isJson ? exactJson(text) : undefined
  const content = value ? literal(value.value, 1) : text && `${quotedText(text)} as never`
  const options = [
    places.size > 0 && `params: ${literal(parameters, 1)},`,
    joined &&
      `querySerializer: { array: { style: ${quotedText(joined.parameter.style ?? 'form')}, explode: ${joined.parameter.explode ?? false} } },`,
    contentType.length > 0 && `headers: ${literal(Object.fromEntries(contentType), 1)},`,
    form ? 'body: form as never,' : file ? 'body: file as never,' : content && `body: ${content},`,
    (form || file || (text && !value)) && 'bodySerializer: body => body,',
  ].filter(Boolean)
  return [
    '// npm install openapi-fetch',
    `// npx openapi-typescript ${documentUrl} -o schema.ts`,
    "import createClient from 'openapi-fetch'",
    "import type { paths } from './schema.ts'",
    '',
    ...formInJavascript(form),
    ...fileInJavascript(file),
    `const client = createClient<paths>(${literal({ baseUrl: origin + base, ...(rest.length > 0 ? { headers: Object.fromEntries(rest) } : {}) }, 0)})`,
    `const { data, error, response } = await client.${method}(${quotedText(template)}${options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : ''})`,
    'console.log(response.status, data ?? error)',
  ].join('\n')
}

/**
 * Returns the part of a server's address before the paths of the document.
 * @param {string} pathname
 * @param {string} template
 */
function baseOf(pathname, template) {
  const shape = template.split('/').length - 1
  return pathname.split('/').slice(0, -shape).join('/')
}

/** @param {SampleRequest['form']} form */
const formInJavascript = form =>
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
const fileInJavascript = file => (file ? [`const file = new File(['…'], ${quotedText(file.name)})`, ''] : [])

/** @param {SampleRequest} request */
function pythonSnippet({ method, url, headers, text, form, file, isJson }) {
  const value = isJson ? exactJson(text) : undefined
  const known = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].includes(method)
  // The library itself sets the media type of a JSON body.
  const own = value
    ? headers.filter(([name, type]) => !(/^content-type$/i.test(name) && type === 'application/json'))
    : headers
  /**
   * @template Value
   * @param {[string, Value][]} entries
   * @param {(value: Value) => string} write
   */
  const pairs = (entries, write) =>
    `{\n${entries.map(([name, entry]) => `        ${JSON.stringify(name)}: ${write(entry)},\n`).join('')}    }`
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

/** @param {SampleRequest} request */
function goSnippet({ method, url, headers, text, form, file }) {
  /** @param {string} value */
  const quoted = value =>
    /^[^`\r]*$/.test(value) && value.includes('"') ? `\`${value}\`` : JSON.stringify(value)
  const fail = ['if err != nil {', '\tlog.Fatal(err)', '}']
  const ofText = text === undefined ? 'nil' : `strings.NewReader(${quoted(text)})`
  const content = form ? '&body' : file ? 'file' : ofText
  const imports = [
    'fmt',
    'io',
    'log',
    'net/http',
    ...(text === undefined ? [] : ['strings']),
    ...(file ? ['os'] : []),
    ...(form ? ['bytes', 'mime/multipart'] : []),
  ]
  const lines = [
    ...(form
      ? [
          'var body bytes.Buffer',
          'form := multipart.NewWriter(&body)',
          ...form.map(([name, value]) =>
            typeof value === 'string'
              ? `form.WriteField(${quoted(name)}, ${quoted(value)})`
              : `form.CreateFormFile(${quoted(name)}, ${quoted(value.name || 'file')})`,
          ),
          'form.Close()',
        ]
      : []),
    ...(file ? [`file, err := os.Open(${quoted(file.name)})`, ...fail, 'defer file.Close()'] : []),
    `request, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${content})`,
    ...fail,
    ...headers.map(([name, value]) => `request.Header.Set(${quoted(name)}, ${quoted(value)})`),
    ...(form ? ['request.Header.Set("Content-Type", form.FormDataContentType())'] : []),
    'response, err := http.DefaultClient.Do(request)',
    ...fail,
    'defer response.Body.Close()',
    'reply, err := io.ReadAll(response.Body)',
    ...fail,
    'fmt.Println(response.StatusCode, string(reply))',
  ]
  return [
    'package main',
    '',
    'import (',
    ...imports.sort().map(name => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map(line => `\t${line}`),
    '}',
  ].join('\n')
}

/**
 * Writes a text as a JavaScript literal.
 * @param {string} text
 */
const quotedText = text =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/**
 * Writes a JSON value as a JavaScript literal.
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
function literal(value, depth) {
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
