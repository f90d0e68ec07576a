import fc from 'fast-check'
import { CharSet, DFA, JS, NFA, Transformers, transform, Words } from 'refa'
import { toRegExp } from '../../../src/document/pattern.ts'

/** Automata with more states are not built: what they would tell is tried instead. */
const statesLimit = 3_000

const states = () => new DFA.LimitedNodeFactory(statesLimit)
const drawn = new Map<string, string[]>()
const built = new Map<string, DFA | undefined>()

/**
 * The texts that match a pattern anywhere, as an automaton.
 * @returns undefined for what is beyond regular languages, or too large
 */
function automatonOf(pattern: string): DFA | undefined {
  if (!built.has(pattern))
    built.set(
      pattern,
      attempt(() => build(pattern)),
    )
  return built.get(pattern)
}

function build(pattern: string): DFA {
  const parsed = (source: string) =>
    JS.Parser.fromLiteral({ source, flags: 'u' }).parse({ maxNodes: statesLimit })
  const { expression, maxCharacter } = parsed(pattern)
  const anything = () => parsed('[^]*').expression.alternatives.flatMap(({ elements }) => elements)
  const alternatives = expression.alternatives.map(({ elements }) => ({
    type: 'Concatenation' as const,
    elements: [...anything(), ...elements, ...anything()],
  }))
  const plain = transform(Transformers.applyAssertions(), { type: 'Expression', alternatives })
  // An anchor at the edge of the whole is true there, and says nothing.
  const nfa = NFA.fromRegex(
    plain,
    { maxCharacter },
    { assertions: 'ignore' },
    new NFA.LimitedNodeFactory(statesLimit),
  )
  const automaton = DFA.fromFA(nfa, states())
  const opposite = automaton.copy()
  opposite.complement()
  const matches = new RegExp(pattern, 'u')
  const agrees = (words: readonly string[], expected: boolean) =>
    words.every(word => matches.test(word) === expected)
  const isTaken = (word: string) => automaton.test(Words.fromStringToUnicode(word))
  if (
    !agrees(wordsOf(automaton), true) ||
    !agrees(wordsOf(opposite), false) ||
    !matching(pattern).every(isTaken)
  )
    throw new Error('an assertion inside was not understood')
  return automaton
}

/** How often a state may be met on the way to texts: enough to see its loops, and no more than that. */
const visitsLimit = 3

/** Some of the shortest texts that an automaton takes, as readable as they can be. */
function wordsOf(automaton: DFA, count = 12): string[] {
  const words: string[] = []
  const visits = new Map<DFA.Node, number>()
  interface Step {
    to: DFA.Node
    by?: CharSet
    before?: Step
  }
  const queue: Step[] = [{ to: automaton.initial }]
  for (const step of queue) {
    const visit = (visits.get(step.to) ?? 0) + 1
    visits.set(step.to, visit)
    if (visit > visitsLimit) continue
    if (automaton.finals.has(step.to)) {
      const sets: CharSet[] = []
      for (let at = step; at.before && at.by; at = at.before) sets.unshift(at.by)
      const word = Words.pickMostReadableWord(sets)
      if (word) words.push(Words.fromUnicodeToString(word))
      if (words.length >= count) break
    }
    const ways = new Map<DFA.Node, CharSet>()
    for (const [range, to] of step.to.out)
      ways.set(to, (ways.get(to) ?? CharSet.empty(automaton.maxCharacter)).union([range]))
    for (const [to, by] of ways) queue.push({ to, by, before: step })
  }
  return words
}

/** Texts that match all patterns of one list, and not all of the other; undefined where that can't be told. */
export function wordsBeyond(own: Iterable<string>, other: Iterable<string>): string[] | undefined {
  return attempt(() => {
    const automaton = intersection(own)
    const words: string[] = []
    for (const pattern of other) {
      const opposite = known(pattern).copy()
      opposite.complement()
      words.push(...wordsOf(DFA.fromIntersection(automaton, opposite, states()), 4))
    }
    return words
  })
}

/** A text of each length that matches all patterns, where there is one; undefined where that can't be told. */
export function wordsOfLengths(patterns: Iterable<string>, lengths: Iterable<number>): string[] | undefined {
  return attempt(() => {
    const automaton = intersection(patterns)
    return [...lengths].flatMap(length => {
      const sized = known(`^[^]{${length}}$`)
      return wordsOf(DFA.fromIntersection(automaton, sized, states()), 2)
    })
  })
}

function known(pattern: string): DFA {
  const automaton = automatonOf(pattern)
  if (!automaton) throw new Error(`${pattern} is not regular, or too large`)
  return automaton
}

function intersection(patterns: Iterable<string>): DFA {
  return [...patterns]
    .map(known)
    .reduce((one, other) => DFA.fromIntersection(one, other, states()), known(''))
}

/** What can't be told has many reasons, and none of them is a fault. */
function attempt<T>(what: () => T): T | undefined {
  try {
    return what()
  } catch {
    return undefined
  }
}

/** Some texts that match a pattern, drawn at random, the same on each run. */
export function matching(pattern: string): string[] {
  const known = drawn.get(pattern)
  if (known) return known
  const expression = toRegExp(pattern)
  let texts: string[] = []
  try {
    if (expression) texts = fc.sample(fc.stringMatching(expression), { seed: 1, numRuns: 60 })
  } catch {
    // it looks ahead, or behind
  }
  drawn.set(pattern, texts)
  return texts
}
