import { codesOf } from 'spec-served-document/model'
import { codes } from './conventions.ts'
import { effectsOf } from './effects.ts'
import type { Endpoint } from './interface.ts'

/** The codes of 409 that no convention and no effect explains: an operation may refuse a taken value by them. */
export function uniqueCodesOf(endpoint: Endpoint): string[] {
  if (endpoint.makes === undefined) return []
  const usualCodes = new Set<unknown>([
    ...Object.values(codes).map(({ code }) => code),
    ...effectsOf(endpoint).map(({ otherwise }) => otherwise),
  ])
  return codesOf(endpoint.responses.get('409') ?? { description: '' }).filter(code => !usualCodes.has(code))
}
