import { authorizationOf, follow } from '../model.ts'
import { likest } from '../spelling.ts'
import type { OpenApi, Operation, SecurityScheme } from '../types.ts'
import type { Draft, Routed } from './draft.ts'

const types = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS']
const places = ['header', 'query', 'cookie']

/** A warning for operators who use certificates: TLS does not end at the service. */
const trustsProxy =
  'The certificate is read from the field Client-Cert, which anybody can send: a proxy in front must replace it (RFC 9440).'

/** Whether a text is a token: a name of a header field, cookie or way to authenticate (RFC 9110, section 5.6.2). */
export const isToken = (text: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(text)

/**
 * Yields faults that keep anybody from sending, or finding, the credentials of a scheme (OpenAPI 3.0.3, 4.7.23).
 * @returns the wrong field, and what to do about it
 */
function* schemeFaults(scheme: SecurityScheme): Generator<{ field: string; message: string }> {
  const { type, name = '', in: place = '' } = scheme
  const oneOf = (all: string[]) => `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
  if (!types.includes(type))
    yield {
      field: 'type',
      message: `A security scheme is of the type ${oneOf(types)}: write \`type: apiKey\` or another of them.`,
    }
  if (type === 'apiKey' && !places.includes(place))
    yield {
      field: 'in',
      message: `A key is sent in ${oneOf(places)}: write \`in: header\` or another of them.`,
    }
  if (type === 'apiKey' && name === '')
    yield { field: 'name', message: 'Nothing says where the key is sent: write `name: X-API-Key`.' }
  else if (type === 'apiKey' && place !== 'query' && !isToken(name))
    yield { field: 'name', message: `No ${place} can be called ${name}: write \`name: X-API-Key\`.` }
  if (type === 'http' && !scheme.scheme)
    yield { field: 'scheme', message: 'Nothing says how it is sent: write `scheme: bearer`.' }
  else if (type === 'http' && !isToken(scheme.scheme ?? ''))
    yield { field: 'scheme', message: `Nothing can be sent as ${scheme.scheme}: write \`scheme: bearer\`.` }
}

/** Finds security schemes by which nobody, or anybody, could come in, and requirements that nobody can meet. */
export function completeSecurity(draft: Draft, operations: readonly Routed[]): void {
  const { document, fault, note } = draft
  checkRequirements(draft, [document, ...operations.map(({ operation }) => operation)])
  for (const declared of Object.values(document.components?.securitySchemes ?? {})) {
    if (!Object.hasOwn(declared, 'type')) continue
    const scheme = declared as SecurityScheme // no reference has a type
    for (const { field, message } of schemeFaults(scheme)) fault(scheme, [field], 'security', message)
    if (scheme.type === 'mutualTLS') note(scheme, [], trustsProxy)
  }
}

/** Finds requirements that no request can meet. A missing scheme is told once, at the first that names it. */
function checkRequirements({ document, fault, note }: Draft, nodes: readonly (OpenApi | Operation)[]): void {
  const schemes = document.components?.securitySchemes ?? {}
  const requirements = nodes.flatMap(node =>
    (node.security ?? []).map((requirement, index) => ({
      node,
      requirement,
      place: ['security', String(index)],
    })),
  )
  const missing = new Map<string, number>()
  for (const { requirement } of requirements)
    for (const name of Object.keys(requirement))
      if (!Object.hasOwn(schemes, name)) missing.set(name, (missing.get(name) ?? 0) + 1)
  for (const { node, requirement, place } of requirements) {
    const sent = new Set<string>()
    for (const name of Object.keys(requirement)) {
      const count = missing.get(name)
      if (count !== undefined && missing.delete(name))
        fault(node, [...place, name], 'security', missingScheme(name, count, Object.keys(schemes)))
      const scheme = Object.hasOwn(schemes, name) && schemes[name] && follow(document, schemes[name])
      const way = scheme ? authorizationOf(scheme) : undefined
      if (way !== undefined) sent.add(way)
    }
    const both = [...sent].join(' and ')
    const message = `Nobody can come in by this: a request has one field Authorization, and ${both} each need it.`
    if (sent.size > 1) note(node, place, message)
  }
}

function missingScheme(name: string, count: number, names: readonly string[]): string {
  const meant = likest(name, names)
  const lines = `describe it under components/securitySchemes, as in \`${name}: ${schemeMeant(name)}\``
  const remedy = meant === undefined ? lines : `write ${meant}, or ${lines}`
  const others = count > 1 ? `, which ${count} requirements name` : ''
  return `There is no security scheme ${name}${others}: ${remedy}.`
}

/** Returns the scheme that a name seems to mean, as it is written; a bearer token if it says nothing. */
function schemeMeant(name: string): string {
  const replacements: readonly (readonly [RegExp, string])[] = [
    [/basic/i, '{ type: http, scheme: basic }'],
    [/digest/i, '{ type: http, scheme: digest }'],
    [
      /open_?-?id|oidc/i,
      '{ type: openIdConnect, openIdConnectUrl: https://…/.well-known/openid-configuration }',
    ],
    [/oauth/i, '{ type: oauth2, flows: { clientCredentials: { tokenUrl: https://…/token, scopes: {} } } }'],
    [/mutual|mtls|certificate/i, '{ type: mutualTLS }'],
    [/cookie|session/i, '{ type: apiKey, in: cookie, name: session }'],
    [/key/i, '{ type: apiKey, in: header, name: X-API-Key }'],
  ]
  return replacements.find(([names]) => names.test(name))?.[1] ?? '{ type: http, scheme: bearer }'
}
