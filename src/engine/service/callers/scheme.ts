import type { Model } from 'spec-served-document/model'
import { authorizationOf } from 'spec-served-document/model'
import { type Checker, type Checkers, schemesOf } from './security.ts'

/** The checkers of the engine: of API keys, and of tokens where settings name their issuer. */
export interface EngineCheckers {
  ApiKey: Checker
  tokens?: Checker | undefined
}

/** The checkers of a document: a project's own, those of the engine, and stand-ins for the remaining schemes. */
export function checkersFor(
  model: Model,
  { ApiKey, tokens }: EngineCheckers,
  own: Checkers,
  standIns: Checkers = {},
): Checkers {
  const name = keyScheme(model)
  return {
    ...standIns,
    ...(name !== undefined && { [name]: ApiKey }),
    ...(tokens && Object.fromEntries(bearerSchemes(model).map(scheme => [scheme, tokens]))),
    ...own,
  }
}

/** The names of the schemes whose credentials are bearer tokens. */
export const bearerSchemes = (model: Model): string[] =>
  schemesOf(model).flatMap(({ name, scheme }) => (authorizationOf(scheme) === 'bearer' ? name : []))

/** The name of the scheme for the API keys in the database: a key in a header. If there are several: ApiKey. */
export function keyScheme(model: Model): string | undefined {
  const apiKeys = schemesOf(model).filter(({ scheme }) => scheme.type === 'apiKey')
  const inHeaders = apiKeys.filter(({ scheme }) => scheme.in === 'header')
  const [only] = inHeaders.length === 1 ? inHeaders : inHeaders.filter(({ name }) => name === 'ApiKey')
  return only?.name
}
