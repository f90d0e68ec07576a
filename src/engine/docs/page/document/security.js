/** @import { Contents, Operation, SecurityScheme } from './types.js' */

/**
 * The security schemes of a document, by name.
 * @param {Contents} found
 */
export const securitySchemesOf = ({ document, resolve }) =>
  Object.fromEntries(
    Object.entries(document.components?.securitySchemes ?? {}).map(([name, scheme]) => [
      name,
      resolve(scheme),
    ]),
  )

/**
 * The credentials that an operation asks for: one of these requirements.
 * @param {Operation} operation
 * @param {Contents} found
 */
export const securityOf = ({ operation }, { document }) => operation.security ?? document.security ?? []

/**
 * Says in which part of a request a credential is sent.
 * @param {SecurityScheme} scheme
 */
export function whereOf({ type, name, in: place, scheme = '' }) {
  if (type === 'apiKey') return `Sent as the ${place === 'query' ? 'query parameter' : place} ${name}.`
  if (type === 'http' && scheme.toLowerCase() === 'basic')
    return 'Name and password, sent as Authorization: Basic (RFC 7617).'
  if (type === 'http' && scheme.toLowerCase() === 'bearer')
    return 'A token, sent as Authorization: Bearer (RFC 6750).'
  return type === 'http'
    ? `Sent as Authorization: ${scheme}.`
    : 'An access token, sent as Authorization: Bearer (RFC 6750).'
}

/**
 * Whether a credential is one text: an API key, or a bearer token.
 * @param {SecurityScheme} scheme
 */
export const isText = ({ type, scheme = '' }) =>
  type === 'apiKey' || (type === 'http' && scheme.toLowerCase() === 'bearer')

/**
 * Whether a method only reads (RFC 9110, section 9.2.1).
 * @param {string} method
 */
export const isSafe = method => ['get', 'head', 'options', 'trace'].includes(method)

/**
 * @param {string} method
 * @param {unknown} scope that the operation needs
 */
export const changesAccessOrRemoves = (method, scope) =>
  method === 'delete' || (scope === 'admin' && !isSafe(method))
