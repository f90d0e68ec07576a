import { follow, type Model, partsOf, schemasWithin } from '../../src/document/model.ts'
import type {
  Link,
  MediaType,
  OpenApi,
  Parameter,
  Reference,
  Schema,
  SecurityScheme,
  Server,
} from '../../src/document/types.ts'
import { schemasIn, walk } from '../../src/document/walk.ts'
import { parseMediaType } from '../../src/engine/requests/media-types.ts'
import type { Breach, ProjectRule } from './fact-rules.ts'
import { linkFaults } from './link-rules.ts'

/** The formats that values are held against; others would only be words. */
const formats = new Set([
  'date',
  'date-time',
  'email',
  'uuid',
  'uri',
  'ipv4',
  'ipv6',
  'hostname',
  'uri-reference',
  'time',
  'duration',
  'binary',
  'int32',
  'int64',
  'float',
  'double',
  'byte',
  'password',
])

/** The security scheme that a checker is handed over for, and how it is sent. */
const checked: Readonly<Record<string, Partial<SecurityScheme>>> = {
  ApiKey: { type: 'apiKey', in: 'header' },
}

/** The object of a kind that `walk` has found. */
function* ofKind<T>(document: OpenApi, kind: string): Generator<{ node: T; path: readonly string[] }> {
  for (const { kind: found, node, path, isReference } of walk(document))
    if (found === kind && !isReference) yield { node: node as T, path } // as its kind says
}

/** What a document may promise by OpenAPI 3.0.3 and this service would not do: README.md goes through them all. */
export const promiseRules: Record<string, ProjectRule> = {
  *callbacks({ document }) {
    for (const { path } of ofKind(document, 'callback'))
      yield {
        at: path,
        message: 'Nobody makes this call: the service calls no one back. Leave the callback out.',
      }
  },

  *links(model) {
    for (const operation of model.operations)
      for (const [status, response] of operation.responses)
        for (const [name, declared] of Object.entries(response.links ?? {})) {
          const link = follow<Link>(model.document, declared)
          const at = [...operation.at, 'responses', status, 'links', name]
          if (link) for (const message of linkFaults(model, operation, response, link)) yield { at, message }
        }
  },

  *'media-types'(model) {
    for (const { at, body, method, responses } of model.operations) {
      if (body && ['GET', 'HEAD', 'DELETE', 'TRACE'].includes(method))
        yield {
          at: [...at, 'requestBody'],
          message: `A body of ${method} means nothing (RFC 9110, 9.3): use query parameters.`,
        }
      for (const [name, media] of Object.entries(body?.content ?? {}))
        yield* mediaFaults(name, media, [...at, 'requestBody', 'content', name], true)
      for (const [status, { content = {} }] of responses) {
        const names = Object.keys(content)
        for (const name of names)
          yield* mediaFaults(name, content[name] ?? {}, [...at, 'responses', status, 'content', name], false)
        if (names.length > 1)
          yield {
            at: [...at, 'responses', status, 'content'],
            message: 'A reply has one media type, the first: nothing is negotiated. Leave the others out.',
          }
      }
    }
  },

  *security(model) {
    const { document } = model
    for (const [name, declared] of Object.entries(document.components?.securitySchemes ?? {})) {
      const scheme = follow<SecurityScheme>(document, declared)
      const known = checked[name]
      if (
        !known ||
        (scheme && Object.entries(known).some(([field, value]) => scheme[field as 'type' | 'in'] !== value))
      )
        // the record's own keys
        yield {
          at: ['components', 'securitySchemes', name],
          message:
            'Nobody checks this scheme: the only one that is checked is ApiKey, an apiKey in a header.',
        }
    }
    for (const { at, operation, security } of model.operations)
      for (const [index, requirement] of security.entries())
        for (const [name, scopes] of Object.entries(requirement))
          if (scopes.length > 0)
            yield {
              at: operation.security
                ? [...at, 'security', String(index), name]
                : ['security', String(index), name],
              message: `${name} has no scopes in OpenAPI 3.0: x-required-scope tells the scope.`,
              mend: `${name}: []`,
            }
  },

  *parameters(model) {
    for (const { node, path } of ofKind<Parameter>(model.document, 'parameter')) {
      if (node.allowEmptyValue)
        yield {
          at: [...path, 'allowEmptyValue'],
          message:
            'OpenAPI will drop allowEmptyValue, and the check does not try it: give the parameter a value that means the same.',
        }
      if (node.required && node.schema && 'default' in model.resolve(node.schema))
        yield { at: path, message: 'A required parameter is never absent: its default means nothing.' }
      for (const name of Object.keys(node.content ?? {}))
        if (!/\bjson$/.test(parseMediaType(name)?.essence ?? ''))
          yield {
            at: [...path, 'content', name],
            message: `Only JSON is read in a parameter, and not ${name}.`,
          }
      const kinds = node.schema ? typesOf(model, node.schema) : []
      const isObject = kinds.includes('object')
      if (node.style === 'deepObject' && (!isObject || node.explode === false))
        yield {
          at: path,
          message: 'deepObject is for objects, each property by itself.',
          mend: 'explode: true',
        }
      if (
        ['spaceDelimited', 'pipeDelimited'].includes(node.style ?? '') &&
        (node.explode || !kinds.includes('array'))
      )
        yield { at: path, message: `${node.style} is for lists in one value.`, mend: 'explode: false' }
    }
    for (const { node, path } of ofKind<{ headers?: Record<string, unknown> }>(model.document, 'response'))
      for (const name of Object.keys(node.headers ?? {}))
        if (name.toLowerCase() === 'content-type')
          yield {
            at: [...path, 'headers', name],
            message: 'Content-Type is no header here: content names the media type.',
          }
  },

  *'read-and-write'({ document }) {
    for (const { schema, path } of schemasIn(document)) {
      const isProperty = path.at(-2) === 'properties'
      if (schema.readOnly && schema.writeOnly)
        yield { at: path, message: 'A property is readOnly or writeOnly, and not both.' }
      if ((schema.readOnly || schema.writeOnly) && !isProperty)
        yield {
          at: path,
          message: 'readOnly and writeOnly mean something on a property only: write it there.',
        }
    }
  },

  *discriminators(model) {
    for (const { schema, path } of schemasIn(model.document))
      if (schema.discriminator)
        for (const message of discriminatorFaults(model, schema))
          yield { at: [...path, 'discriminator'], message }
  },

  *'idle-keywords'({ document }) {
    for (const { schema, path } of schemasIn(document)) {
      const { type, format, nullable, xml } = schema
      const idle = (keyword: string, why: string): Breach => ({ at: [...path, keyword], message: why })
      if (format !== undefined && !formats.has(format))
        yield idle(
          'format',
          `Nothing is held against the format ${format}: use one of ${[...formats].join(', ')}, or a pattern.`,
        )
      if (nullable && type === undefined)
        yield idle('nullable', 'nullable means nothing without a type beside it (OpenAPI 3.0.3, 4.7.24.1).')
      if (xml !== undefined) yield idle('xml', 'No XML is read or sent: leave it out.')
      for (const [exclusive, bound] of [
        ['exclusiveMinimum', 'minimum'],
        ['exclusiveMaximum', 'maximum'],
      ] as const)
        if (schema[exclusive] && schema[bound] === undefined)
          yield idle(exclusive, `${exclusive} means nothing without ${bound}.`)
    }
  },

  *servers(model) {
    const { document, operations } = model
    for (const [index, server] of (document.servers ?? []).entries())
      for (const message of serverFaults(server)) yield { at: ['servers', String(index)], message }
    for (const { at, operation } of operations)
      if (operation.servers)
        yield {
          at: [...at, 'servers'],
          message: 'All operations are served at one place: servers stand at the root of the document alone.',
        }
  },

  *statuses({ operations }) {
    for (const { at, responses } of operations)
      for (const [status, { content }] of responses) {
        const where = [...at, 'responses', status]
        if (status.startsWith('1'))
          yield { at: where, message: 'A handler answers with a final status, from 200.' }
        if (['204', '205', '304'].includes(status) && content)
          yield { at: where, message: `${status} has no body (RFC 9110, 15.3.5): leave out content.` }
      }
  },
}

const typesOf = (model: Model, schema: Schema | Reference) =>
  [...schemasWithin(model, schema)]
    .slice(0, 1)
    .flatMap(first => partsOf(model, first).flatMap(({ type }) => type ?? []))

function* mediaFaults(
  name: string,
  media: MediaType,
  at: readonly string[],
  isRequest: boolean,
): Generator<Breach> {
  const essence = parseMediaType(name)?.essence ?? ''
  const isForm = essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data'
  const isJson = /^application\/(?:[\w.-]+\+)?json$/.test(essence)
  if (!isJson && !(isRequest && isForm))
    yield {
      at,
      message: isRequest
        ? `Nothing reads ${name}: bodies are JSON or forms.`
        : `Nothing writes ${name}: replies are JSON.`,
    }
  if (media.encoding && !isForm)
    yield { at: [...at, 'encoding'], message: `encoding is for forms, and says nothing of ${name}.` }
  for (const [field, { headers }] of Object.entries(media.encoding ?? {}))
    if (headers)
      yield {
        at: [...at, 'encoding', field, 'headers'],
        message: 'Headers of a part are not read: leave them out.',
      }
}

function* discriminatorFaults(model: Model, schema: Schema): Generator<string> {
  const { propertyName = '', mapping = {} } = schema.discriminator ?? {}
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (alternatives.length === 0)
    yield 'A discriminator decides between the alternatives of oneOf or anyOf: put it beside those.'
  const names = new Set<string>()
  for (const alternative of alternatives) {
    const { $ref } = alternative
    if (typeof $ref !== 'string') {
      yield 'An alternative without a name can never be chosen: make it a component (OpenAPI 3.0.3, 4.7.25).'
      continue
    }
    names.add($ref)
    if (!partsOf(model, alternative).some(({ required = [] }) => required.includes(propertyName)))
      yield `${$ref} does not require ${propertyName}, without which nobody can choose.`
  }
  for (const [value, target] of Object.entries(mapping))
    if (!names.has(target)) yield `${value} is mapped to ${target}, which is none of the alternatives.`
}

function* serverFaults({ url, variables = {} }: Server): Generator<string> {
  const used = [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  for (const name of used)
    if (!Object.hasOwn(variables, name)) yield `${url} names {${name}}, which variables does not tell of.`
  for (const [name, variable] of Object.entries(variables)) {
    if (!used.includes(name)) yield `${url} has no {${name}}.`
    if (variable.default === undefined) yield `The variable ${name} needs a default.`
    else if (variable.enum && !variable.enum.includes(variable.default))
      yield `The default of ${name} is ${variable.default}, which is none of its values.`
  }
}
