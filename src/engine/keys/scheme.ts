import type { Model } from '../../document/model.ts'
import { type Checker, type Checkers, schemesOf } from '../access/security.ts'

/** The checkers of a document: those of the project, that of its API keys, and stand-ins for what nobody else checks. */
export function checkersFor(model: Model, keys: Checker, own: Checkers, standIns: Checkers = {}): Checkers {
  const name = keyScheme(model)
  return { ...standIns, ...(name !== undefined && { [name]: keys }), ...own }
}

/** The scheme of the API keys in the database, by its name: the key in a header; of several, ApiKey. */
export function keyScheme(model: Model): string | undefined {
  const apiKeys = schemesOf(model).filter(({ scheme }) => scheme.type === 'apiKey')
  const inHeaders = apiKeys.filter(({ scheme }) => scheme.in === 'header')
  const [only] = inHeaders.length === 1 ? inHeaders : inHeaders.filter(({ name }) => name === 'ApiKey')
  return only?.name
}
