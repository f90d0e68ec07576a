import { code as codeOf } from './escapes.ts'

/** A rule between records in plain words: when it holds, and what it says. */
export type RuleInWords = readonly [when: string, what: string]

type Fields = Record<string, unknown>
type List = { list: string; with: Fields }

/** A member of `x-effects`, as the rules of documents hold it to be. */
type EffectNode = { of: Fields; otherwise?: string } & {
  [keyword in 'when' | 'needs' | 'becomes']?: Fields
} & { [keyword in 'without' | 'unless']?: List }

/** The `x-effects` of an operation in plain words, what is code in backticks. */
function rulesInWords(effects: readonly EffectNode[]): RuleInWords[] {
  const code = (text: unknown) => codeOf(String(text))
  const operand = (value: unknown): string => {
    const [, place, name] = /^(body|path|before|reply)\.(.+)$/.exec(String(value)) ?? []
    if (!place) return code(value)
    const where = { body: 'in the body', path: 'in the path', before: 'as it was', reply: 'of the reply' }
    return `${code(name)} ${where[place as keyof typeof where]}`
  }
  const record = (of: Fields) => {
    const value = String(Object.values(of)[0])
    if (value.startsWith('path.')) return 'the record'
    if (value.startsWith('reply.')) return 'the new record'
    return `the record that ${operand(value)} names`
  }
  const condition = (whose: string, [name, wanted]: [string, unknown]) => {
    const what = /^\w+\./.test(name) ? operand(name) : `${code(name)} of ${whose}`
    if (wanted === null) return `there is no ${what}`
    if (typeof wanted !== 'object') return `${what} is ${operand(wanted)}`
    const [[how, bound] = []] = Object.entries(wanted)
    return `${what} is ${how === 'above' ? 'more than' : 'at least'} ${operand(bound)}`
  }
  const list = ({ list, with: query }: List) =>
    `${code(list)} with ${Object.entries(query)
      .map(([name, value]) => `${code(name)} as ${operand(value)}`)
      .join(' and ')}`
  const change = (whose: string, [name, wanted]: [string, unknown]) => {
    const what = `${code(name)} of ${whose}`
    if (wanted === 'any') return `${what} changes`
    if (typeof wanted !== 'object' || wanted === null) return `${what} becomes ${operand(wanted)}`
    const [[how, by] = []] = Object.entries(wanted)
    return `${what} becomes ${how === 'plus' ? 'greater' : 'less'} by ${operand(by)}`
  }
  return effects.flatMap(({ of, when = {}, needs, without, otherwise, unless, becomes }) => {
    const whose = record(of)
    const all = (entries: Fields, words: typeof condition) =>
      Object.entries(entries).map(one => words(whose, one))
    const conditions = all(when, condition)
    if (unless) conditions.push(`${list(unless)} is empty afterwards`)
    const always = conditions.join(' and ') || 'always'
    const refusal = otherwise === undefined ? 'it is refused' : `the answer is ${code(otherwise)}`
    const demands = needs ? [all(needs, condition).join(' and ') || `there is ${whose}`] : []
    if (without) demands.push(`${list(without)} is empty`)
    const rules: RuleInWords[] = []
    if (demands.length > 0) rules.push([always, `needs that ${demands.join(' and ')}; else ${refusal}`])
    if (becomes) rules.push([always, all(becomes, change).join(' and ')])
    return rules
  })
}

/** The rules of an operation that has some. */
export function rulesOf(operation: object): RuleInWords[] {
  const effects: unknown = 'x-effects' in operation ? operation['x-effects'] : []
  return rulesInWords(Array.isArray(effects) ? effects : [])
}
