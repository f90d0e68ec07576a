import { type Model, typesIn } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { schemasIn, walk } from 'spec-served-document/reading/walk'
import { likest } from 'spec-served-document/spelling'
import type { MediaType, Parameter, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { checkedFormats } from './value-rules.ts'

/** A place in the document, and what is probably a mistake there. */
interface Note {
  path: Path
  message: string
}

/** A server that lacks its scheme: a host with a port or with several labels. */
const withoutScheme = /^(localhost|[\w-]+(\.[\w-]+)+|[\w-]+(?=:\d))(:\d+)?(\/|$)/

/** A pattern as programs write it, between slashes. */
const betweenSlashes = /^\/(\^.*|.*\$)\/[dgimsuvy]*$/

/**
 * Finds what OpenAPI allows and what authors hardly mean, in a document that is not checked by the rules of this project:
 * examples of requests that do not fit, misspelt formats and names, patterns between slashes, servers without a scheme,
 * parameters without a schema.
 */
export function* likelyMistakesIn(model: Model, schemas: Schemas): Generator<Note> {
  for (const [index, { url }] of (model.document.servers ?? []).entries())
    if (withoutScheme.test(url))
      yield {
        path: ['servers', String(index), 'url'],
        message: `${url} is read as a path, as it has no scheme: write ${url.startsWith('localhost') ? 'http' : 'https'}://${url}.`,
      }
  for (const { schema, path } of schemasIn(model.document)) yield* mistakesOfSchema(schema, path)
  yield* mistakesOfRequests(model, schemas)
}

function* mistakesOfSchema(schema: Schema, path: Path): Generator<Note> {
  const { format = '', pattern = '', required = [], properties } = schema
  const meant =
    typesIn(schema).includes('string') && !checkedFormats.has(format)
      ? likest(format, checkedFormats)
      : undefined
  if (meant !== undefined)
    yield {
      path: [...path, 'format'],
      message: `No value is checked against the format ${format}, which is not known: write ${meant}.`,
    }
  if (betweenSlashes.test(pattern))
    yield {
      path: [...path, 'pattern'],
      message: `The slashes count as characters of this pattern: write "${pattern.replace(/^\/|\/\w*$/g, '')}".`,
    }
  for (const name of properties ? required : []) {
    const property = Object.hasOwn(properties ?? {}, name)
      ? undefined
      : likest(name, Object.keys(properties ?? {}))
    if (property !== undefined)
      yield {
        path: [...path, 'required'],
        message: `${name} is required, and no property has this name: write ${property}.`,
      }
  }
}

/** Finds examples of requests that do not fit their schemas, and parameters that take any text. */
function* mistakesOfRequests(model: Model, schemas: Schemas): Generator<Note> {
  for (const { kind, node, path, isReference } of walk(model.document)) {
    const isBody =
      kind === 'mediaType' && path.some(part => part === 'requestBody' || part === 'requestBodies')
    if (isReference || !(isBody || kind === 'parameter')) continue
    const { schema, example, examples = {}, content, name } = node as MediaType & Parameter // of one of these kinds
    if (kind === 'parameter' && !content && Object.keys(schema ?? {}).length === 0)
      yield {
        path,
        message: `${name} has no schema, so that any text is accepted: write \`schema: { type: string }\`, or what is meant.`,
      }
    if (!schema || (isBody && !isJson(parseMediaType(path.at(-1) ?? '')))) continue
    const placed: [Path, unknown][] = [
      [[...path, 'example'], example],
      ...Object.entries(examples).map(([of, value]): [Path, unknown] => [
        [...path, 'examples', of, 'value'],
        model.resolve<{ value?: unknown }>(value).value,
      ]),
    ]
    for (const [place, value] of placed) {
      if (value === undefined) continue
      const [fault] = schemas.check(schema, structuredClone(value), 'request') // which fills in defaults
      if (fault)
        yield {
          path: place,
          message: `The example does not fit its schema (${fault.path || 'it'} ${fault.message}): correct one of them.`,
        }
    }
  }
}
