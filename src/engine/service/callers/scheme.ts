import type { Model } from '../../document/model.ts'
import { type Checker, type Checkers, schemesOf } from './security.ts'

/** The checkers of a document: a project's own, the one for its API keys, and stand-ins for the remaining schemes. */
export function checkersFor(model: Model, keys: Checker, own: Checkers, standIns: Checkers = {}): Checkers {
  const name = keyScheme(model)
  return { ...standIns, ...(name !== undefined && { [name]: keys }), ...own }
}

/** The name of the scheme for the API keys in the database: a key in a header. If there are several: ApiKey. */
export function keyScheme(model: Model): string | undefined {
  const apiKeys = schemesOf(model).filter(({ scheme }) => scheme.type === 'apiKey')
  const inHeaders = apiKeys.filter(({ scheme }) => scheme.in === 'header')
  const [only] = inHeaders.length === 1 ? inHeaders : inHeaders.filter(({ name }) => name === 'ApiKey')
  return only?.name
}
