import fc from 'fast-check'
import { toRegExp } from 'spec-served-document/pattern'
import { textsLike } from './sample-texts.ts'

/** Texts by patterns: to read a pattern takes longer than to draw from it. */
const matching = new Map<string, fc.Arbitrary<string> | undefined>()

/** Texts by a pattern. Those for a pattern that fast-check does not draw are sampled. */
export function textsMatching(pattern: string, least = 0, most?: number): fc.Arbitrary<string> {
  if (!matching.has(pattern)) matching.set(pattern, matched(pattern))
  const drawn = matching.get(pattern)
  if (drawn) return drawn
  const [first = 'text', ...others] = textsLike(pattern, least, most)
  return fc.constantFrom(first, ...others)
}

function matched(pattern: string): fc.Arbitrary<string> | undefined {
  const matcher = toRegExp(pattern)
  try {
    return matcher?.unicode && pattern.startsWith('^') ? fc.stringMatching(matcher) : undefined
  } catch {
    return undefined // it looks around, or refers back
  }
}
