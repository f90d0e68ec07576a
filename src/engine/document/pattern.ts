import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { RE2JS } from 're2js'

/** Tests a text against a pattern. The time grows no faster than the text. */
export interface Matcher {
  test(text: string): boolean
}

/** Compiles in unicode mode if the pattern is valid there, else in the older mode, which takes meaningless escapes. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags)
    } catch {} // the other mode may accept it
  return undefined
}

/**
 * Returns a matcher for a pattern, whose time grows no faster than the text. V8 backtracks at each choice in a pattern,
 * which takes for ever for `^(a+)+$`. V8 therefore gets only patterns that leave one choice at most. RE2, which reads a
 * text once, gets the rest. RE2 looks behind only; a pattern that looks ahead looks behind in a text read backwards.
 * @throws Error when no engine can match the pattern; its message is the rest of the sentence "The pattern …"
 */
export function matcherOf(pattern: string): Matcher {
  const native = toRegExp(pattern)
  if (!native) throw new Error('is no regular expression of ECMA-262')
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, native.unicode)
  let isBackwards = false
  visitRegExpAST(ast, {
    onBackreferenceEnter(node) {
      throw new Error(`refers back to what it has found (${node.raw})`)
    },
    onAssertionEnter({ kind }) {
      isBackwards ||= kind === 'lookahead'
    },
  })
  const [first, ...others] = ast.alternatives
  if (first && others.length === 0) {
    const conditions = leadingConditions(first)
    if (conditions.length > 0) return together(first, conditions)
    if (leavesOneChoice(first)) return native
  }
  const text = inRe2(ast, isBackwards)
  try {
    // It stands for no sequence of surrogates, which `u` alone takes for one character.
    const compiled = RE2JS.compile(text, RE2JS.LOOKBEHINDS)
    return isBackwards ? { test: subject => compiled.test(backwards(subject)) } : compiled
  } catch (error) {
    throw new Error('is too large', { cause: error })
  }
}

/** Reverses a text. Lone surrogates are replaced first, so that no two of them form a pair. */
const backwards = (text: string) => [...text.toWellFormed()].reverse().join('')

const isStart = (node: AST.Element | undefined) => node?.type === 'Assertion' && node.kind === 'start'

/** `^(?=.*\d)(?!x)[^]{8}` holds where each of `^(?:.*\d)`, not `^(?:x)`, and `^[^]{8}` does. */
function leadingConditions({ elements: [start, ...rest] }: AST.Alternative): AST.LookaheadAssertion[] {
  if (!isStart(start)) return []
  const isLookahead = (node: AST.Element): node is AST.LookaheadAssertion =>
    node.type === 'Assertion' && node.kind === 'lookahead'
  const end = rest.findIndex(element => !isLookahead(element))
  return rest.slice(0, end < 0 ? rest.length : end).filter(isLookahead)
}

function together({ elements }: AST.Alternative, conditions: AST.LookaheadAssertion[]): Matcher {
  const rawOf = (nodes: readonly AST.Node[], between = '') => nodes.map(({ raw }) => raw).join(between)
  const rest = matcherOf(`^${rawOf(elements.slice(conditions.length + 1))}`)
  const parts = conditions.map(({ negate, alternatives }) => ({
    isWanted: !negate,
    matcher: matcherOf(`^(?:${rawOf(alternatives, '|')})`),
  }))
  return {
    test: text => rest.test(text) && parts.every(({ isWanted, matcher }) => matcher.test(text) === isWanted),
  }
}

/** Whether V8 has at most one choice to try again: how often one character repeats at the start of the text. */
function leavesOneChoice({ elements }: AST.Alternative): boolean {
  const isPlain = (element: AST.Element) =>
    element.type.startsWith('Character') || (element.type === 'Assertion' && !('alternatives' in element))
  const choices = elements.filter(element => element.type === 'Quantifier' && element.min !== element.max)
  return (
    isStart(elements[0]) &&
    choices.length <= 1 &&
    elements.every(element => isPlain(element.type === 'Quantifier' ? element.element : element))
  )
}

/** Returns a part of a pattern in RE2's syntax. Only what RE2 reads otherwise is rewritten. */
function inRe2(node: AST.Node, isBackwards: boolean): string {
  const replacement = replacementOf(node, isBackwards)
  if (replacement !== undefined) return replacement
  const children = childrenOf(node)
  const texts = children.map(child => inRe2(child, isBackwards))
  if (node.type === 'Alternative') return (isBackwards ? texts.reverse() : texts).join('')
  return children.reduceRight(
    (text, { start, end }, index) =>
      text.slice(0, start - node.start) + texts[index] + text.slice(end - node.start),
    node.raw,
  )
}

function childrenOf(node: AST.Node): AST.Node[] {
  if ('alternatives' in node) return node.alternatives
  if ('elements' in node) return node.elements
  if (node.type === 'CharacterClassRange') return [node.min, node.max]
  return 'element' in node ? [node.element] : []
}

/** The white space of ECMA-262, and all other characters. RE2's `\s` is ASCII alone. */
const space =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const others =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** The largest repetition that RE2 accepts, with all around it, and the largest that is written out for it. */
const [repetitions, most] = [1_000, 10_000]

/** @returns undefined for a node that stays as written; its parts may still change */
function replacementOf(node: AST.Node, isBackwards: boolean): string | undefined {
  switch (node.type) {
    case 'Character':
      return `\\x{${node.value.toString(16)}}`
    case 'CharacterSet':
      return setOf(node)
    case 'CharacterClass':
      if (node.elements.length > 0) return undefined
      return node.negate ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]'
    case 'Quantifier':
      return repeated(`(?:${inRe2(node.element, isBackwards)})`, node)
    case 'CapturingGroup':
      return `(?:${eitherOf(node, isBackwards)})`
    case 'Group':
      if (node.modifiers?.raw.includes('m')) throw new Error(`changes how lines end (${node.raw})`)
      return undefined
    case 'Assertion':
      if (!isBackwards || node.kind === 'word') return undefined
      if (node.kind === 'lookbehind') throw new Error(`looks ahead, and behind too (${node.raw})`)
      if (node.kind === 'lookahead') return `(?<${node.negate ? '!' : '='}${eitherOf(node, isBackwards)})`
      return node.kind === 'start' ? '$' : '^'
  }
  return undefined
}

const eitherOf = ({ alternatives }: { alternatives: AST.Alternative[] }, isBackwards: boolean) =>
  alternatives.map(alternative => inRe2(alternative, isBackwards)).join('|')

function setOf(node: AST.CharacterSet): string {
  if (node.kind === 'any') return isDotAll(node) ? node.raw : '[^\\n\\r\\x{2028}\\x{2029}]'
  if (node.kind === 'space') {
    const members = node.negate ? others : space
    return node.parent.type === 'CharacterClass' ? members : `[${members}]`
  }
  if (node.kind !== 'property') return node.raw
  const { key, value } = node
  const isKnown = value === null || ['General_Category', 'gc', 'Script', 'sc'].includes(key)
  if (!isKnown) throw new Error(`holds ${node.raw}`)
  return `\\${node.negate ? 'P' : 'p'}{${value ?? key}}`
}

/** Whether a dot also matches the end of a line. */
function isDotAll(node: AST.Node | null): boolean {
  if (!node) return false
  const { add, remove } = (node.type === 'Group' && node.modifiers) || {}
  return add?.dotAll || (!remove?.dotAll && isDotAll(node.parent))
}

/**
 * Writes a repetition out in parts, as RE2 accepts. After each part there is one way on alone, so that RE2 follows few at
 * a time.
 */
function repeated(element: string, node: AST.Quantifier): string {
  const { min, max, raw } = node
  const isEndless = max === Number.POSITIVE_INFINITY
  const inner = countsIn(node.element)
  const greatest = isEndless ? min : max
  if (greatest * inner > most) throw new Error(`repeats something more than ${most} times (${raw})`)
  const part = Math.max(1, Math.floor(repetitions / inner))
  const exactly = (count: number): string =>
    count > part ? `${element}{${part}}${exactly(count - part)}` : `${element}{${count}}`
  const upTo = (count: number): string =>
    count > part
      ? `(?:${element}{${part}}${upTo(count - part)}|${element}{0,${part - 1}})`
      : `${element}{0,${count}}`
  return `(?:${exactly(min)}${isEndless ? `${element}*` : upTo(max - min)})`
}

/** How often a part of a pattern repeats something at most, by bounds that stand within each other. */
function countsIn(node: AST.Node): number {
  const inner = Math.max(1, ...childrenOf(node).map(countsIn))
  if (node.type !== 'Quantifier') return inner
  return inner * Math.max(1, node.max === Number.POSITIVE_INFINITY ? node.min : node.max)
}
