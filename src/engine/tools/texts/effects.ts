import { code as codeOf } from './escapes.ts'

type Fields = Record<string, unknown>
type List = { list: string; with: Fields }

/** A member of `x-effects`, as the rules of documents hold it to be. */
type EffectNode = { of: Fields; otherwise?: string } & {
  [keyword in 'when' | 'needs' | 'becomes']?: Fields
} & { [keyword in 'without' | 'unless']?: List }

const code = (text: unknown) => codeOf(String(text))

/** A value that an effect names: of a body, a path, a record as it was or a reply; else the value itself. */
function operand(value: unknown): string {
  const [, place, name] = /^(body|path|before|reply)\.(.+)$/s.exec(String(value)) ?? []
  if (place === 'body') return `the ${code(name)} that you send`
  if (place === 'path') return `${code(name)} in the path`
  if (place === 'before') return `the earlier ${code(name)}`
  return place === 'reply' ? `${code(name)} of the reply` : code(value)
}

/** The kind of record that a name such as `petId` identifies: a pet. */
function kindOf(name: string): string {
  const [, kind] = /^(.+?)[-_]?(?:Id|ID|id)$/.exec(name) ?? []
  return kind === undefined
    ? 'record'
    : kind
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[-_]/g, ' ')
        .toLowerCase()
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** The record that an effect is about. */
function recordOf(of: Fields): { name: string; short: string; sender: string | undefined; kind: string } {
  const [[key, value] = ['', '']] = Object.entries(of)
  const kind = kindOf(key)
  const [, place, name] = /^(body|path|before|reply)\.(.+)$/s.exec(String(value)) ?? []
  if (place === 'reply') return { name: `the new ${kind}`, short: 'its', sender: undefined, kind }
  if (place === 'body')
    return { name: `the ${kind} that ${code(name)} names`, short: 'its', sender: name, kind }
  if (place === 'before')
    return { name: `the ${kind} that ${code(name)} named`, short: 'its', sender: undefined, kind }
  return { name: `the ${kind}`, short: 'its', sender: undefined, kind }
}

const joined = (parts: readonly string[]) =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ')

/** A list that must be empty, by what is asked of it. */
function listWords({ list, with: query }: List): string {
  const filters = Object.entries(query).map(([name, value]) => {
    const [, place, field] = /^(body|path|before)\.(.+)$/s.exec(String(value)) ?? []
    if (field === name) return `${place === 'before' ? 'the earlier' : 'this'} ${code(name)}`
    return place === undefined ? code(`${name}=${String(value)}`) : `${operand(value)} as ${code(name)}`
  })
  return `${code(list)} with ${joined(filters)}`
}

function conditionWords(subject: (name: string) => string, [name, wanted]: [string, unknown]): string {
  const [, place, field] = /^(body|before)\.(.+)$/s.exec(name) ?? []
  const isObject = typeof wanted === 'object' && wanted !== null
  const [[how, bound] = []] = isObject ? Object.entries(wanted) : []
  const comparison = how === 'above' ? 'more than' : 'at least'
  if (place === 'body') {
    if (wanted === null) return `you send no ${code(field)}`
    return isObject
      ? `you send a ${code(field)} of ${comparison} ${operand(bound)}`
      : `you send ${code(field)} as ${operand(wanted)}`
  }
  const what = place === 'before' ? code(field) : subject(name)
  const verb = place === 'before' ? 'was' : 'is'
  if (wanted === null) return `there ${verb} no ${what}`
  return `${what} ${verb} ${isObject ? `${comparison} ${operand(bound)}` : operand(wanted)}`
}

function demandWords(subject: (name: string) => string, [name, wanted]: [string, unknown]): string {
  if (/^(body|before)\./.test(name)) return `it must be that ${conditionWords(subject, [name, wanted])}`
  if (wanted === null) return `${subject(name)} must not be set`
  if (typeof wanted !== 'object') return `${subject(name)} must be ${operand(wanted)}`
  const [[how, bound] = []] = Object.entries(wanted)
  return `${subject(name)} must be ${how === 'above' ? 'more than' : 'at least'} ${operand(bound)}`
}

function changeWords(
  subject: (name: string) => string,
  isNew: boolean,
  [name, wanted]: [string, unknown],
): string {
  const what = subject(name)
  if (wanted === 'any') return `${what} changes`
  if (wanted === `before.${name}`) return `${what} stays as it was`
  if (typeof wanted !== 'object' || wanted === null)
    return `${what} ${isNew ? 'is' : 'becomes'} ${operand(wanted)}`
  const [[how, by] = []] = Object.entries(wanted)
  return `${what} ${how === 'plus' ? 'rises' : 'falls'} by ${operand(by)}`
}

/** Says a field of a record: its owner in full at first, and in short afterwards. */
function subjectOf({ name, short }: ReturnType<typeof recordOf>) {
  let isNamed = false
  return (field: string) => {
    const words = isNamed ? `${short} ${code(field)}` : `${code(field)} of ${name}`
    isNamed = true
    return words
  }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** The rules of an effect, a sentence each. */
function sentencesOf(effect: EffectNode, statuses: Readonly<Record<string, number>>): string[] {
  const { of, when = {}, needs, without, otherwise = '', unless, becomes } = effect
  const record = recordOf(of)
  const isNew = record.name.startsWith('the new ')
  /** Each sentence names the record again. */
  const said = (write: (subject: (name: string) => string) => string[]) => {
    const subject = subjectOf(record)
    const conditions = Object.entries(when).map(item => conditionWords(subject, item))
    if (unless) conditions.push(`${listWords(unless)} finds nothing afterwards`)
    const begin = conditions.length > 0 ? `if ${joined(conditions)}, ` : ''
    return `${begin}${joined(write(subject))}`
  }
  const status = statuses[otherwise]
  const refusal = otherwise
    ? `else ${status === undefined ? '' : `${status} `}${code(otherwise)}`
    : 'else the request is refused'
  const demands: string[] = []
  if (needs)
    demands.push(
      said(subject => {
        const entries = Object.entries(needs)
        if (entries.length > 0) return entries.map(entry => demandWords(subject, entry))
        return [
          record.sender === undefined
            ? `${record.name} must exist`
            : `${code(record.sender)} must name ${withArticle(record.kind)}`,
        ]
      }),
    )
  if (without) demands.push(said(() => [`${listWords(without)} must find nothing`]))
  return [
    ...demands.map(demand => sentence(`${demand}, ${refusal}`)),
    ...(becomes
      ? [sentence(said(subject => Object.entries(becomes).map(item => changeWords(subject, isNew, item))))]
      : []),
  ]
}

/**
 * The rules between records (`x-effects`) of an operation in sentences of Markdown.
 * @param statuses of its refusals, by code
 */
export function rulesOf(operation: object, statuses: Readonly<Record<string, number>>): string[] {
  const effects: unknown = 'x-effects' in operation ? operation['x-effects'] : []
  const nodes: EffectNode[] = Array.isArray(effects) ? effects : []
  return nodes.flatMap(effect => sentencesOf(effect, statuses))
}
