/** @import { SampleRequest } from './sample-request.js' */
import { methods } from '../document/contents.js'
import { exactJson } from '../document/media.js'
import { fromLibrary, libraryLanguages } from './library.js'
import {
  curlSnippet,
  fileInJavascript,
  formInJavascript,
  javascriptSnippet,
  literal,
  pythonSnippet,
  quotedText,
} from './plain-snippets.js'

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
      Object.fromEntries(members.map(member => [member.parameter.name, member.value])),
    ]),
  )
  const lists = values.filter(each => each.parameter.in === 'query' && Array.isArray(each.value))
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
