import type { Model } from '../../document/model.ts'
import { type Checker, type Checkers, schemesOf } from '../access/security.ts'

/**
 * The checkers of a document: API keys are checked for the scheme that is a key in a header; of several, for ApiKey.
 * @param own of the project, which go before
 * @param standIns for those that nobody else checks
 */
export function checkersFor(model: Model, keys: Checker, own: Checkers, standIns: Checkers = {}): Checkers {
  const name = keyScheme(model)
  return { ...standIns, ...(name !== undefined && { [name]: keys }), ...own }
}

/** The name of the scheme whose credentials are the API keys of the database; undefined where it can't be told. */
export function keyScheme(model: Model): string | undefined {
  const inHeaders = schemesOf(model).filter(
    ({ scheme }) => scheme.type === 'apiKey' && scheme.in === 'header',
  )
  const [only] = inHeaders.length === 1 ? inHeaders : inHeaders.filter(({ name }) => name === 'ApiKey')
  return only?.name
}
