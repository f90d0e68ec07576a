import fc from 'fast-check'
import { CharSet, DFA, JS, NFA, Transformers, transform, Words } from 'refa'
import { toRegExp } from 'spec-served-document/pattern'
import { remembered } from '../located.ts'

/** Automata with more states are not built: what they would show is tried instead. */
const statesLimit = 3_000

const states = () => new DFA.LimitedNodeFactory(statesLimit)
const drawn = new Map<string, string[]>()
const sized = new Map<string, string[]>()
const built = new Map<string, DFA | 'none'>()

/**
 * The texts that match a pattern anywhere, as an automaton.
 * @throws Error for what is beyond regular languages, or too large
 */
function automatonOf(pattern: string): DFA {
  const automaton = remembered(built, pattern, () => attempt(() => build(pattern)) ?? 'none')
  if (automaton === 'none') throw new Error(`${pattern} is not regular, or too large`)
  return automaton
}

function build(pattern: string): DFA {
  const parser = JS.Parser.fromLiteral({ source: `[^]*(?:${pattern})[^]*`, flags: 'u' })
  const { expression, maxCharacter } = parser.parse({ maxNodes: statesLimit })
  const nfa = NFA.fromRegex(
    transform(Transformers.applyAssertions(), expression),
    { maxCharacter },
    { assertions: 'ignore' }, // an anchor at the edge of the whole is true there, and says nothing
    new NFA.LimitedNodeFactory(statesLimit),
  )
  const automaton = DFA.fromFA(nfa, states())
  const matches = new RegExp(pattern, 'u')
  if (
    !wordsOf(automaton).every(word => matches.test(word)) ||
    wordsOf(oppositeOf(automaton)).some(word => matches.test(word)) ||
    !matching(pattern).every(word => automaton.test(Words.fromStringToUnicode(word)))
  )
    throw new Error('an assertion inside was not understood')
  return automaton
}

function oppositeOf(automaton: DFA): DFA {
  const opposite = automaton.copy()
  opposite.complement()
  return opposite
}

/** How often a state may be met on the way to texts: enough to show its loops. */
const visitsLimit = 3

/** Some of the shortest texts that an automaton takes, as readable as they can be. */
function wordsOf(automaton: DFA, count = 12): string[] {
  const words: string[] = []
  const visits = new Map<DFA.Node, number>()
  const queue: { to: DFA.Node; way: CharSet[] }[] = [{ to: automaton.initial, way: [] }]
  for (const { to, way } of queue) {
    const visit = (visits.get(to) ?? 0) + 1
    visits.set(to, visit)
    if (visit > visitsLimit) continue
    const word = automaton.finals.has(to) ? Words.pickMostReadableWord(way) : undefined
    if (word) words.push(Words.fromUnicodeToString(word))
    if (words.length >= count) break
    const sets = new Map<DFA.Node, CharSet>()
    for (const [range, next] of to.out)
      sets.set(next, (sets.get(next) ?? CharSet.empty(automaton.maxCharacter)).union([range]))
    for (const [next, by] of sets) queue.push({ to: next, way: [...way, by] })
  }
  return words
}

/** Texts that match all patterns of one list, and not all of the other; undefined where that can't be known. */
export function wordsBeyond(matched: Iterable<string>, unmatched: Iterable<string>): string[] | undefined {
  return attempt(() => {
    const automaton = intersection(matched)
    const beyond = (pattern: string) =>
      DFA.fromIntersection(automaton, oppositeOf(automatonOf(pattern)), states())
    return [...unmatched].flatMap(pattern => wordsOf(beyond(pattern), 4))
  })
}

/** A text of each length that matches all patterns, where there is one; undefined where that can't be known. */
export function wordsOfLengths(patterns: Iterable<string>, lengths: Iterable<number>): string[] | undefined {
  const all = [...patterns]
  const wordsOfLength = (length: number) =>
    remembered(sized, JSON.stringify([length, ...all]), () =>
      wordsOf(intersection([...all, `^[^]{${length}}$`]), 2),
    )
  return attempt(() => [...lengths].flatMap(wordsOfLength))
}

function intersection(patterns: Iterable<string>): DFA {
  return [...patterns]
    .map(automatonOf)
    .reduce((automaton, next) => DFA.fromIntersection(automaton, next, states()), automatonOf(''))
}

/** Returns undefined if a pattern can't be judged. There are many reasons for that, and none is a fault. */
function attempt<T>(what: () => T): T | undefined {
  try {
    return what()
  } catch {
    return undefined
  }
}

/** Draws some texts that match a pattern, the same on each run; none where the pattern looks ahead or behind. */
export function matching(pattern: string): string[] {
  const draw = () => {
    const expression = toRegExp(pattern)
    return expression && fc.sample(fc.stringMatching(expression), { seed: 1, numRuns: 60 })
  }
  return remembered(drawn, pattern, () => attempt(draw) ?? [])
}
