import { curlSnippet, javascriptSnippet, type PlainRequest, pythonSnippet } from 'spec-served-docs/snippets'
import { filesIn } from 'spec-served-document/formats/files'
import { type Values, writeContent, writeHead } from 'spec-served-document/formats/forms'
import { authorizationOf, type Model, type OperationModel } from 'spec-served-document/model'
import type { MediaType, Place, SecurityScheme } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { createSchemas, type Schemas } from 'spec-served-document/values/schemas'
import { drawer } from '../samples/samples.ts'
import { bodiesOf } from './bodies.ts'

/** The code of a request in a language, by the name that Markdown has for it. */
export type Samples = Readonly<Record<'sh' | 'js' | 'python', string>>

/**
 * Returns a function that writes the code for each operation: with what it needs, by the document's examples. It compiles schemas
 * when it is first called.
 * @param origin of the service
 */
export function sampleWriter(model: Model, origin: string): (operation: OperationModel) => Samples {
  let made: ReturnType<typeof make> | undefined
  const make = () => {
    const schemas = createSchemas(model)
    const draw = drawer(schemas, { isFull: false, isLikeExamples: true })
    return { schemas, draw, bodies: bodiesOf(model) }
  }
  return operation => {
    made ??= make()
    const { bodies, draw, schemas } = made
    const values: Values = { path: {}, query: {}, header: {}, cookie: {} }
    for (const parameter of operation.parameters.filter(({ required }) => required)) {
      const [media] = Object.values(parameter.content ?? {})
      const example = exampleOf(model, parameter) ?? (media && exampleOf(model, media))
      values[parameter.in][parameter.name] = example ?? draw(parameter.schema ?? media?.schema ?? {}).value
    }
    const credentials = addCredentials(model, operation, values)
    const { url, headers } = writeHead(model, operation, values)
    const written = bodyOf(schemas, operation, bodies[operation.id] ?? {})
    const names = new Map(operation.parameters.map(({ name }) => [name.toLowerCase(), name]))
    const request: PlainRequest = {
      method: operation.method,
      url: `${origin}${url}`,
      headers: [
        ...Object.entries(headers).map(([name, value]): [string, string] => [
          credentials.get(name) ?? names.get(name) ?? name,
          value,
        ]),
        ...(written?.type ? [['Content-Type', written.type] satisfies [string, string]] : []),
      ],
      text: written?.text,
      file: written?.file,
      form: written?.form,
      isJson: written?.isJson ?? false,
      hasReply: [...operation.responses].some(
        ([status, { content = {} }]) =>
          /^2/.test(status) && Object.keys(content).some(type => isJson(parseMediaType(type))),
      ),
    }
    return { sh: curlSnippet(request), js: javascriptSnippet(request), python: pythonSnippet(request) }
  }
}

type Body = Partial<Pick<PlainRequest, 'text' | 'file' | 'form' | 'isJson'>> & { type?: string }

/** The body in the first media type, JSON before others. */
function bodyOf(schemas: Schemas, { body }: OperationModel, drawn: Record<string, string>): Body | undefined {
  const { model } = schemas
  const content: Record<string, MediaType> = body?.content ?? {}
  const types = Object.keys(content)
  const type = types.find(name => isJson(parseMediaType(name))) ?? types[0]
  const media = content[type ?? '']
  if (type === undefined || media === undefined) return undefined
  const example = exampleOf(model, media)
  const text = drawn[type] ?? (typeof example === 'string' ? example : undefined)
  if (isJson(parseMediaType(type)))
    return { type, isJson: true, text: drawn[type] ?? JSON.stringify(example ?? {}, null, 2) }
  if (text !== undefined && !type.startsWith('multipart/')) return { type, text }
  const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)
  if (!isForm || (example === undefined && !media.schema)) return { type, file: { name: 'FILE' } }
  const value = example ?? drawer(schemas, { isFull: true, isLikeExamples: true })(media.schema ?? {}).value
  const written = writeContent(model, type, media, value)
  if (typeof written === 'string') return { type, text: written }
  if (!(written instanceof FormData)) return { type, file: { name: 'FILE' } }
  const files = new Set(filesIn(model, type, media).map(({ name }) => name))
  const parts = [...written].map(([name, part]): [string, string | { name: string }] => [
    name,
    typeof part === 'string' && !files.has(name) ? part : { name: 'FILE' },
  ])
  return { form: parts }
}

/** Adds placeholders for the first way to identify oneself. @returns the names of their header fields, by lower-case name */
function addCredentials(model: Model, { security }: OperationModel, values: Values): Map<string, string> {
  const written = Object.keys(security[0] ?? {}).flatMap(
    name => model.document.components?.securitySchemes?.[name] ?? [],
  )
  const names = new Map([['cookie', 'Cookie']])
  for (const scheme of written.map(item => model.resolve<SecurityScheme>(item))) {
    if (scheme.type === 'apiKey') {
      const { in: place = 'header', name = '' } = scheme
      values[place as Place][name] = 'YOUR_API_KEY' // one of three places
      if (place === 'header') names.set(name.toLowerCase(), name)
    }
    const kind = authorizationOf(scheme)
    if (kind === undefined) continue
    values.header.Authorization =
      kind === 'basic'
        ? 'Basic YOUR_CREDENTIALS'
        : `${kind === 'bearer' ? 'Bearer' : scheme.scheme} YOUR_TOKEN`
    names.set('authorization', 'Authorization')
  }
  return names
}

function exampleOf(
  model: Model,
  { example, examples = {} }: Pick<MediaType, 'example' | 'examples'>,
): unknown {
  const [first] = Object.values(examples).map(item => model.resolve<{ value?: unknown }>(item).value)
  return example ?? first
}
