import type { Model } from './document/model.ts'
import type { Checker, Checkers } from './engine/access/callers.ts'
import { missingCheckers, schemesOf } from './engine/access/security.ts'

/**
 * What checks the credentials of the document's security schemes, by their names, besides the API keys in the database.
 * A scheme that nobody checks keeps the service from starting.
 */
const own: Checkers = {}

/**
 * The checkers of a document: API keys are checked for the scheme ApiKey, or, where there is none, for the one scheme that
 * is a key in a header.
 * @param standIns for those that nobody else checks
 * @throws Error that names the schemes that nobody checks, and what to do
 */
export function checkersFor(model: Model, keys: Checker, standIns: Checkers = {}): Checkers {
  const name = keyScheme(model)
  const checkers = { ...standIns, ...(name !== undefined && { [name]: keys }), ...own }
  const missing = missingCheckers(model, checkers)
  if (missing.length === 0) return checkers
  const faults = missing.map(({ message }) => message)
  throw new Error(
    `${faults.join('\n')}\nCheckers stand in src/checkers.ts; \`npm run dev\` takes any credential until then.`,
  )
}

/** The name of the scheme whose credentials are the API keys of the database; undefined where it can't be told. */
export function keyScheme(model: Model): string | undefined {
  const inHeaders = schemesOf(model).filter(
    ({ scheme }) => scheme.type === 'apiKey' && scheme.in === 'header',
  )
  const [only] = inHeaders.length === 1 ? inHeaders : inHeaders.filter(({ name }) => name === 'ApiKey')
  return only?.name
}
