import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { RE2JS } from 're2js'

/** Whether a text holds what a pattern tells, found out in a time that grows no faster than the text. */
export interface Matcher {
  test(text: string): boolean
}

/** What can't be matched in such a time: the rest of the sentence "The pattern …". */
class NotLinear extends Error {}

/**
 * A `pattern` in the form that ECMA-262 has it: `(?i)` at its beginning, which other languages know, becomes a group
 * with that modifier.
 * Source: OpenAPI 3.0.3, 4.7.24.1.
 * @returns undefined for what is no regular expression
 */
export function readPattern(pattern: string): string | undefined {
  const [, modifiers, rest] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? []
  const text = modifiers === undefined ? pattern : `(?${modifiers}:${rest})`
  return toRegExp(text) && text
}

/** Whether a pattern names a class of characters that only other languages know, as `\p{IsAlphabetic}`. */
export function isOfOtherLanguage(pattern: string): boolean {
  return /\\[pP]\{/.test(pattern) && toRegExp(pattern)?.unicode === false
}

/** In the unicode mode where the pattern is valid there, else in the older one, which takes escapes that mean nothing. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags)
    } catch {} // the next one may take it
  return undefined
}

/**
 * What tells whether a text holds what a pattern tells, in a time that grows no faster than the text; or why there is no
 * such thing, as the rest of the sentence "The pattern …".
 */
export function matcherOf(pattern: string): Matcher | { fault: string } {
  const native = toRegExp(pattern)
  if (!native) return { fault: 'is no regular expression of ECMA-262' }
  try {
    return linearMatcher(pattern, native.flags)
  } catch (error) {
    if (error instanceof NotLinear) return { fault: error.message }
    throw error
  }
}

/**
 * V8 goes back for each choice that a pattern leaves, which takes for ever for `^(a+)+$`: it is given what leaves one
 * choice at most. The rest is given to RE2, which goes through a text once.
 * @throws NotLinear for what RE2 can't match either
 */
function linearMatcher(pattern: string, flags: string): Matcher {
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, flags === 'u')
  visitRegExpAST(ast, {
    onBackreferenceEnter(node) {
      throw new NotLinear(`refers back to what it has found (${node.raw})`)
    },
  })
  const [first, ...others] = ast.alternatives
  if (first && others.length === 0) {
    const conditions = leadingConditions(first)
    if (conditions.length > 0) return together(first, conditions, flags)
    if (leavesOneChoice(first)) return new RegExp(pattern, flags)
  }
  const text = alternativesOf(ast.alternatives, false)
  try {
    // It stands for no sequence of surrogates, which `u` alone takes for one character.
    return RE2JS.compile(text, RE2JS.LOOKBEHINDS)
  } catch (error) {
    throw new NotLinear('is too large', { cause: error })
  }
}

/** `^(?=.*\d)(?!x)[^]{8}` holds where each of `^(?:.*\d)`, not `^(?:x)`, and `^[^]{8}` does. */
function leadingConditions({ elements: [start, ...rest] }: AST.Alternative): AST.LookaheadAssertion[] {
  if (start?.type !== 'Assertion' || start.kind !== 'start') return []
  const isLookahead = (node: AST.Element): node is AST.LookaheadAssertion =>
    node.type === 'Assertion' && node.kind === 'lookahead'
  const end = rest.findIndex(element => !isLookahead(element))
  return rest.slice(0, end < 0 ? rest.length : end).filter(isLookahead)
}

function together(
  { elements }: AST.Alternative,
  conditions: AST.LookaheadAssertion[],
  flags: string,
): Matcher {
  const rawOf = (nodes: readonly AST.Node[], between = '') => nodes.map(({ raw }) => raw).join(between)
  const rest = linearMatcher(`^${rawOf(elements.slice(conditions.length + 1))}`, flags)
  const parts = conditions.map(({ negate, alternatives }) => ({
    isWanted: !negate,
    matcher: linearMatcher(`^(?:${rawOf(alternatives, '|')})`, flags),
  }))
  return {
    test: text => rest.test(text) && parts.every(({ isWanted, matcher }) => matcher.test(text) === isWanted),
  }
}

/** How many characters V8 may look at from each place of a text where the pattern may begin. */
const shortest = 100

/** Whether V8 has one thing at most to try again: how often one character is repeated, from the beginning of the text. */
function leavesOneChoice({ elements }: AST.Alternative): boolean {
  const [start] = elements
  const isAnchored = start?.type === 'Assertion' && start.kind === 'start'
  const isPlain = elements.every(one => {
    const { type } = one.type === 'Quantifier' ? one.element : one
    const isCharacter = type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass'
    return isCharacter || (one.type === 'Assertion' && !('alternatives' in one))
  })
  const quantifiers = elements.filter(one => one.type === 'Quantifier')
  const choices = quantifiers.filter(({ min, max }) => min !== max).length
  const length = elements.length + quantifiers.reduce((sum, { max }) => sum + max, 0)
  return isPlain && choices <= 1 && (isAnchored || (choices === 0 && length <= shortest))
}

/** As ECMA-262 has them, and all others; RE2's `\s` is ASCII alone. */
const sets: Record<'digit' | 'space' | 'word', readonly [members: string, others: string]> = {
  digit: ['0-9', '\\D'],
  word: ['0-9A-Z_a-z', '\\W'],
  space: [
    '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}',
    '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}',
  ],
}

const character = (code: number) => `\\x{${code.toString(16)}}`

/** A pattern in RE2's language. @param dotAll whether a dot stands for the end of a line, too */
function alternativesOf(alternatives: readonly AST.Alternative[], dotAll: boolean): string {
  return alternatives.map(({ elements }) => elements.map(one => elementOf(one, dotAll)).join('')).join('|')
}

function elementOf(node: AST.Element, dotAll: boolean): string {
  switch (node.type) {
    case 'Character':
      return character(node.value)
    case 'CharacterSet':
      if (node.kind === 'any') return dotAll ? '(?s:.)' : '[^\\n\\r\\x{2028}\\x{2029}]'
      return `[${setOf(node)}]`
    case 'CharacterClass':
      return classOf(node)
    case 'Quantifier':
      return repeated(`(?:${elementOf(node.element, dotAll)})`, node)
    case 'CapturingGroup':
      return `(?:${alternativesOf(node.alternatives, dotAll)})`
    case 'Group': {
      const { add, remove } = node.modifiers ?? {}
      if (add?.multiline || remove?.multiline) throw new NotLinear(`changes how lines end (${node.raw})`)
      const within = (dotAll || add?.dotAll === true) && remove?.dotAll !== true
      const ignoring = add?.ignoreCase ? 'i' : remove?.ignoreCase ? '-i' : ''
      return `(?${ignoring}:${alternativesOf(node.alternatives, within)})`
    }
    case 'Assertion':
      return assertionOf(node, dotAll)
    default:
      throw new NotLinear(`holds ${node.raw}`)
  }
}

function assertionOf(node: AST.Assertion, dotAll: boolean): string {
  switch (node.kind) {
    case 'start':
      return '\\A'
    case 'end':
      return '\\z'
    case 'word':
      return node.negate ? '\\B' : '\\b'
    case 'lookbehind':
      return `(?<${node.negate ? '!' : '='}${alternativesOf(node.alternatives, dotAll)})`
    case 'lookahead':
      throw new NotLinear(`looks ahead elsewhere than at its beginning (${node.raw})`)
  }
}

function classOf({ negate, elements }: AST.CharacterClass): string {
  const members = elements.map(one => {
    if (one.type === 'Character') return character(one.value)
    if (one.type === 'CharacterClassRange') return `${character(one.min.value)}-${character(one.max.value)}`
    if (one.type === 'CharacterSet') return setOf(one)
    throw new NotLinear(`holds ${one.raw}`) // of the mode `v`
  })
  if (members.length > 0) return `[${negate ? '^' : ''}${members.join('')}]`
  return negate ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]'
}

/** What stands for a set between the brackets of a class. */
function setOf(node: Exclude<AST.CharacterSet, AST.AnyCharacterSet>): string {
  if (node.kind !== 'property') return sets[node.kind][node.negate ? 1 : 0]
  const { key, value } = node
  const isKnown = value === null || ['General_Category', 'gc', 'Script', 'sc'].includes(key)
  if (!isKnown) throw new NotLinear(`holds ${node.raw}`)
  return `\\${node.negate ? 'P' : 'p'}{${value ?? key}}`
}

/** The most that RE2 takes of one repetition, and how much more there may be. */
const [repetitions, most] = [1_000, 10_000]

function repeated(element: string, { min, max, raw }: AST.Quantifier): string {
  const isEndless = max === Number.POSITIVE_INFINITY
  if ((isEndless ? min : max) > most)
    throw new NotLinear(`repeats something more than ${most} times (${raw})`)
  const times = (count: number, isOptional: boolean) =>
    Array.from({ length: Math.ceil(count / repetitions) }, (_, i) => {
      const part = Math.min(count - i * repetitions, repetitions)
      return `${element}{${isOptional ? 0 : part},${part}}`
    }).join('')
  return `(?:${times(min, false)}${isEndless ? `${element}*` : times(max - min, true)})`
}
