import { follow } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { followAt, type Link } from 'spec-served-document/reading/nodes'
import { walk } from 'spec-served-document/reading/walk'
import type { MediaType, OpenApi, SecurityScheme, Server } from 'spec-served-document/types'
import { parseMediaType } from 'spec-served-document/values/media-types'
import { linkFaults } from './link-rules.ts'
import { bodyPlace, responsePlace } from './usual.ts'
import { leaveOut, type ProjectRule, superfluous, type Violation, write } from './violation.ts'

/** The security scheme that a checker is handed over for, and how it is sent. */
const checked: Readonly<Record<string, Partial<SecurityScheme>>> = {
  ApiKey: { type: 'apiKey', in: 'header' },
}

/** The object of a kind that `walk` has found. */
export function* ofKind<T>(document: OpenApi, kind: string): Generator<{ node: T; path: readonly string[] }> {
  for (const { kind: found, node, path, isReference } of walk(document))
    if (found === kind && !isReference) yield { node: node as T, path } // as its kind says
}

/** Rules against promises that OpenAPI 3.0.3 allows and this service would not keep. README.md lists them all. */
export const promiseRules: Record<string, ProjectRule> = {
  *version({ document }) {
    if (!document.openapi.startsWith('3.0.'))
      yield {
        place: ['openapi'],
        message: 'This document keeps to OpenAPI 3.0.',
        ...write([], { openapi: '3.0.3' }),
      }
  },

  *callbacks({ document }) {
    for (const { path } of ofKind(document, 'callback'))
      yield superfluous(path, 'Nobody makes this call: the service calls no one back.')
  },

  *links(model) {
    for (const operation of model.operations)
      for (const [status, response] of operation.responses)
        for (const [name, declared] of Object.entries(response.links ?? {})) {
          const link = follow<Link>(model.document, declared)
          const declaredPlace = [...responsePlace(model, operation, status), 'links', name]
          const place = followAt(model.document, declared, declaredPlace)?.place ?? declaredPlace
          if (link) yield* linkFaults(model, operation, response, link, place)
        }
  },

  *'media-types'(model) {
    for (const located of model.operations) {
      const { place, body, method, responses } = located
      if (body && ['GET', 'HEAD', 'DELETE', 'TRACE'].includes(method))
        yield superfluous(
          [...place, 'requestBody'],
          `A body of ${method} means nothing (RFC 9110, 9.3): use query parameters.`,
        )
      for (const [name, media] of Object.entries(body?.content ?? {}))
        yield* mediaFaults(name, media, [...bodyPlace(model, located), 'content', name], true)
      for (const [status, { content = {} }] of responses) {
        const contentPlace = [...responsePlace(model, located, status), 'content']
        const [first, ...others] = Object.keys(content)
        if (first !== undefined)
          yield* mediaFaults(first, content[first] ?? {}, [...contentPlace, first], false)
        if (others.length > 0)
          yield {
            place: contentPlace,
            message: 'A reply has one media type, the first: nothing is negotiated.',
            ...leaveOut(contentPlace, ...others),
          }
      }
    }
  },

  *security(model) {
    const { document } = model
    for (const [name, declared] of Object.entries(document.components?.securitySchemes ?? {})) {
      const scheme = follow<SecurityScheme>(document, declared)
      const rule = checked[name]
      if (
        !rule ||
        (scheme && Object.entries(rule).some(([field, value]) => scheme[field as 'type' | 'in'] !== value))
      )
        // the record's own keys
        yield {
          place: ['components', 'securitySchemes', name],
          message:
            'Nobody checks this scheme: the only one that is checked is ApiKey, an apiKey in a header.',
          ...(rule
            ? write(['components', 'securitySchemes', name], rule)
            : {
                decide:
                  'who checks it (src/engine/service/callers/scheme.ts), or leave it out wherever it is named.',
              }),
        }
    }
    for (const { place, operation, security } of model.operations)
      for (const [index, requirement] of security.entries())
        for (const [name, scopes] of Object.entries(requirement))
          if (scopes.length > 0) {
            const requirementPlace = [...(operation.security ? place : []), 'security', String(index), name]
            yield {
              place: requirementPlace,
              message: `${name} has no scopes in OpenAPI 3.0: x-required-scope names the scope.`,
              mend: [{ place: requirementPlace, value: [] }],
            }
          }
  },

  *statuses(model) {
    for (const located of model.operations)
      for (const [status, { content }] of located.responses) {
        if (status.startsWith('1')) {
          const place = [...located.place, 'responses', status]
          yield superfluous(place, 'A handler answers with a final status, from 200.')
        }
        if (['204', '205', '304'].includes(status) && content) {
          const place = responsePlace(model, located, status)
          yield { place, message: `${status} has no body (RFC 9110, 15.3.5).`, ...leaveOut(place, 'content') }
        }
      }
  },

  *servers(model) {
    const { document, operations } = model
    for (const [index, server] of (document.servers ?? []).entries())
      yield* serverFaults(server, ['servers', String(index)])
    for (const { place, operation } of operations)
      if (operation.servers)
        yield superfluous(
          [...place, 'servers'],
          'All operations are served at one place: servers stand at the root of the document alone.',
        )
  },
}

function* mediaFaults(
  name: string,
  media: MediaType,
  place: readonly string[],
  isRequest: boolean,
): Generator<Violation> {
  const essence = parseMediaType(name)?.essence ?? ''
  const isForm = essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data'
  const isJson = /^application\/(?:[\w.-]+\+)?json$/.test(essence)
  if (!isJson && !(isRequest && isForm)) {
    const { schema, example, examples } = media
    const kept = Object.entries({ schema, example, examples }).filter(([, value]) => value !== undefined)
    yield {
      place,
      message: isRequest
        ? `Nothing reads ${name}: bodies are JSON or forms.`
        : `Nothing writes ${name}: replies are JSON.`,
      mend: [
        { place },
        { place: [...place.slice(0, -1), 'application/json'], value: Object.fromEntries(kept) },
      ],
    }
  }
  if (media.encoding && !isForm)
    yield superfluous([...place, 'encoding'], `encoding is for forms, and says nothing of ${name}.`)
  for (const [field, { headers }] of Object.entries(media.encoding ?? {}))
    if (headers)
      yield superfluous([...place, 'encoding', field, 'headers'], 'Headers of a part are not read.')
}

function* serverFaults({ url, variables = {} }: Server, place: Path): Generator<Violation> {
  const used = [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const variablePlace = (name: string) => [...place, 'variables', name]
  const idle = Object.keys(variables).filter(name => !used.includes(name))
  for (const name of used)
    if (!Object.hasOwn(variables, name))
      yield {
        place,
        message: `${url} names {${name}}, which variables does not describe.`,
        decide: `what it is usually, under variables, as ${name}: { default: ${name} }.`,
      }
  for (const name of idle)
    yield { place, message: `${url} has no {${name}}.`, ...leaveOut(variablePlace(name)) }
  for (const [name, { default: usual, enum: values }] of Object.entries(variables)) {
    const first = values?.[0]
    if (usual === undefined)
      yield {
        place,
        message: `The variable ${name} needs a default.`,
        ...(first === undefined
          ? { decide: `what it is usually, as default: ${name}.` }
          : write(variablePlace(name), { default: first })),
      }
    else if (values && first !== undefined && !values.includes(usual))
      yield {
        place,
        message: `The default of ${name} is ${usual}, which is none of its values.`,
        ...write(variablePlace(name), { default: first }),
      }
  }
}
