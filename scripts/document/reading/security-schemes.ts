import type { SecurityScheme } from '../../../src/document/types.ts'

const types = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS']
const places = ['header', 'query', 'cookie']

/** Whether a text can be the name of a header field, a cookie or a way to authenticate: a token (RFC 9110, section 5.6.2). */
export const isToken = (text: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(text)

/**
 * What keeps anybody from sending, or finding, the credentials of a scheme (OpenAPI 3.0.3, 4.7.23).
 * @returns the field at fault, and what to do about it
 */
export function* schemeFaults(scheme: SecurityScheme): Generator<{ field: string; message: string }> {
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
    yield { field: 'name', message: 'Nobody can tell where the key is sent: write `name: X-API-Key`.' }
  else if (type === 'apiKey' && place !== 'query' && !isToken(name))
    yield { field: 'name', message: `No ${place} can be called ${name}: write \`name: X-API-Key\`.` }
  if (type === 'http' && !scheme.scheme)
    yield { field: 'scheme', message: 'Nobody can tell how it is sent: write `scheme: bearer`.' }
  else if (type === 'http' && !isToken(scheme.scheme ?? ''))
    yield { field: 'scheme', message: `Nothing can be sent as ${scheme.scheme}: write \`scheme: bearer\`.` }
}
