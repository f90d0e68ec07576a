import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { RE2JS } from 're2js'

/** Whether a text holds what a pattern tells, found out in a time that grows no faster than the text. */
export interface Matcher {
  test(text: string): boolean
}

/** What can't be matched in such a time: the rest of the sentence "The pattern …". */
export class NotLinear extends Error {}

/**
 * Prepares a pattern. V8 goes back for each choice that a pattern leaves, which takes for ever for `^(a+)+$`: it is given
 * what leaves one choice at most. The rest is given to RE2, which goes through a text once.
 * @param flags those under which the pattern is valid: `u` or none
 * @throws NotLinear for what RE2 can't match either
 */
export function linearMatcher(pattern: string, flags: string): Matcher {
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, flags === 'u')
  visitRegExpAST(ast, {
    onBackreferenceEnter(node) {
      throw new NotLinear(`refers back to what it has found (${node.raw})`)
    },
  })
  const [first, ...others] = ast.alternatives
  const conditions = first && others.length === 0 ? leadingConditions(first) : []
  if (first && conditions.length > 0) return together(first, conditions, flags)
  if (ast.alternatives.every(leavesOneChoice)) return new RegExp(pattern, flags)
  try {
    // It stands for no sequence of surrogates, which `u` alone takes for one character.
    return RE2JS.compile(alternativesOf(ast.alternatives, false), RE2JS.LOOKBEHINDS)
  } catch (error) {
    if (error instanceof NotLinear) throw error
    throw new NotLinear('is too large')
  }
}

/** `^(?=.*\d)(?!x)[^]{8}` holds where each of `^(?:.*\d)`, not `^(?:x)`, and `^[^]{8}` does. */
function leadingConditions({ elements: [start, ...rest] }: AST.Alternative): AST.LookaheadAssertion[] {
  if (start?.type !== 'Assertion' || start.kind !== 'start') return []
  const end = rest.findIndex(element => !isLookahead(element))
  return rest.slice(0, end < 0 ? rest.length : end).filter(isLookahead)
}

const isLookahead = (node: AST.Element): node is AST.LookaheadAssertion =>
  node.type === 'Assertion' && node.kind === 'lookahead'

function together(
  { elements }: AST.Alternative,
  conditions: readonly AST.LookaheadAssertion[],
  flags: string,
): Matcher {
  const rawOf = (nodes: readonly AST.Node[]) => nodes.map(({ raw }) => raw).join('')
  const rest = linearMatcher(`^${rawOf(elements.slice(conditions.length + 1))}`, flags)
  const parts = conditions.map(({ negate, alternatives }) => ({
    isWanted: !negate,
    matcher: linearMatcher(`^(?:${alternatives.map(({ raw }) => raw).join('|')})`, flags),
  }))
  return {
    test: text => rest.test(text) && parts.every(({ isWanted, matcher }) => matcher.test(text) === isWanted),
  }
}

/** How many characters V8 may look at from each place of a text where the pattern may begin. */
const shortest = 100

/**
 * Whether V8 has one thing at most to try again: how often one character is repeated, from the beginning of the text; or
 * which of a few texts it is.
 */
function leavesOneChoice({ elements }: AST.Alternative): boolean {
  const [start] = elements
  const isAnchored = start?.type === 'Assertion' && start.kind === 'start'
  let choices = 0
  let length = 0
  const isSimple = (node: AST.Element): boolean => {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        length++
        return true
      case 'Quantifier':
        if (!isSimple(node.element) || !isOneCharacter(node.element)) return false
        if (node.min !== node.max) choices++
        length += node.max
        return true
      case 'Group':
      case 'CapturingGroup': {
        if (node.alternatives.length > 1) choices++
        return node.alternatives.every(one => one.elements.every(isSimple))
      }
      case 'Assertion':
        return node.kind === 'start' || node.kind === 'end' || node.kind === 'word'
      default:
        return false
    }
  }
  return elements.every(isSimple) && choices <= 1 && (isAnchored || (choices === 0 && length <= shortest))
}

const isOneCharacter = ({ type }: AST.Element) =>
  type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass'

type Range = readonly [from: number, to: number]
const last = 0x10ffff

/** As ECMA-262 has them; RE2's `\s` is ASCII alone. */
const ranges: Record<'digit' | 'space' | 'word', readonly Range[]> = {
  digit: [[0x30, 0x39]],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
  word: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
}

const complement = (of: readonly Range[]): Range[] => {
  const starts = [0, ...of.map(([, to]) => to + 1)]
  const ends = [...of.map(([from]) => from - 1), last]
  return starts.map((from, i): Range => [from, ends[i] ?? last]).filter(([from, to]) => from <= to)
}

const character = (code: number) => `\\x{${code.toString(16)}}`
const written = (of: readonly Range[]) =>
  of.map(([from, to]) => `${character(from)}-${character(to)}`).join('')

/** @param dotAll whether a dot stands for the end of a line, too */
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
    if (one.type === 'CharacterClassRange') return written([[one.min.value, one.max.value]])
    if (one.type === 'CharacterSet') return setOf(one)
    throw new NotLinear(`holds ${one.raw}`) // of the mode `v`
  })
  if (members.length > 0) return `[${negate ? '^' : ''}${members.join('')}]`
  return negate ? '(?s:.)' : `[^${written([[0, last]])}]`
}

/** What stands for a set between the brackets of a class. */
function setOf(node: Exclude<AST.CharacterSet, AST.AnyCharacterSet>): string {
  if (node.kind !== 'property')
    return written(node.negate ? complement(ranges[node.kind]) : ranges[node.kind])
  const { key, value } = node
  const isKnown = value === null || ['General_Category', 'gc', 'Script', 'sc'].includes(key)
  if (!isKnown) throw new NotLinear(`holds ${node.raw}`)
  return `\\${node.negate ? 'P' : 'p'}{${value ?? key}}`
}

/** The most that RE2 takes of one repetition, and how much more there may be. */
const repetitions = 1_000
const most = 10_000

function repeated(element: string, { min, max, raw }: AST.Quantifier): string {
  const isEndless = max === Number.POSITIVE_INFINITY
  if ((isEndless ? min : max) > most)
    throw new NotLinear(`repeats something more than ${most} times (${raw})`)
  const times = (count: number, least: (part: number) => number) => {
    let text = ''
    for (let left = count; left > 0; left -= repetitions) {
      const part = Math.min(left, repetitions)
      text += `${element}{${least(part)},${part}}`
    }
    return text
  }
  const demanded = times(min, part => part)
  return `(?:${demanded}${isEndless ? `${element}*` : times(max - min, () => 0)})`
}
