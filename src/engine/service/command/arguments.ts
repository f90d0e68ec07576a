import { parseArgs } from 'node:util'
import { isDate } from 'spec-served-document/dates'
import { distance } from 'spec-served-document/spelling'
import { Misuse } from '../runtime/command.ts'

export { Misuse }

/** An option, and what --help says of it; one without a text is explained by the usage. */
export interface Option {
  type: 'string' | 'boolean'
  /** the name of its value */
  value?: string
  text?: string
  default?: string
  /** the values that it may have, where they can be counted */
  choices?: readonly string[]
  multiple?: boolean
}
export type Options = Readonly<Record<string, Option>>

/** An option with a value. @param value its name in --help */
export const option = <const More extends Omit<Option, 'type' | 'value' | 'text'>>(
  value: string,
  text: string,
  more?: More,
) => Object.assign({ type: 'string' as const, value, text }, more)

/** An option without a value. */
export const flag = (text: string) => ({ type: 'boolean', text }) as const

/** The option of commands that read a document. */
export const overlayOption = option(
  'FILE',
  'an overlay that is applied to the document first; may be given several times (default: those in package.json)',
  { multiple: true as const },
)

/** The option of commands that read a document of others. */
export const rootOption = option(
  'DIRECTORY',
  'the folder that holds all files of the document, where its references go beside its own folder',
)

/** The values of options. A flag that is not given is false; any other option is undefined. */
export type Values<O extends Options> = {
  [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { multiple: true }
      ? string[] | undefined
      : O[Name] extends { default: string }
        ? string
        : string | undefined
}

/** Names and their descriptions, in two columns. */
export function aligned(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length))
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

/** Returns the lines of `--help` for options. */
export const optionLines = (options: Options): string[] =>
  aligned(
    Object.entries(options).flatMap(([name, { value, text, default: usual }]) =>
      text === undefined
        ? []
        : [[`--${name}${value ? ` ${value}` : ''}`, usual ? `${text} (default: ${usual})` : text]],
    ),
  )

/**
 * Reads arguments, those of the process by default.
 * @param most how many there may be besides options
 * @throws Misuse
 */
export function readArguments(options: Options, most: number, args?: string[]) {
  const all: Options = { ...options, help: { type: 'boolean' } }
  const { values, positionals, tokens } = parse(all, args)
  const extra = positionals[most]
  if (extra !== undefined) {
    const isFile = 'spec' in options && /\.(ya?ml|json)$/i.test(extra)
    const instead = isFile ? `: name the document as --spec ${extra}` : ': leave it out'
    throw new Misuse(`Unexpected argument ${JSON.stringify(extra)}${instead}`)
  }
  const optionNames = tokens.flatMap(token => (token.kind === 'option' ? [token.name] : []))
  const twice = optionNames.find((name, index) => optionNames.indexOf(name) < index && !all[name]?.multiple)
  if (twice) throw new Misuse(`--${twice} is given twice`)
  for (const [name, { choices = [] }] of Object.entries(all)) {
    const value = values[name]
    if (typeof value === 'string') holdToChoices(`--${name}`, value, choices)
  }
  const flags = Object.entries(all).filter(([, { type }]) => type === 'boolean')
  return {
    values: { ...Object.fromEntries(flags.map(([name]) => [name, false])), ...values },
    positionals,
  }
}

function parse(options: Options, args = process.argv.slice(2)) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    const [message = ''] = (error as Error).message.split(/(?<=['"])\. |\n/) // parseArgs throws Errors; what follows is advice
    const unknown = /^Unknown option '--(.+)'/.exec(message)?.[1]
    throw new Misuse(
      unknown === undefined ? message : message + didYouMean(unknown, Object.keys(options), '--'),
    )
  }
}

/** The most names that a message lists. */
const mostListed = 8

/** Says what there is instead of a name that is not known: the nearest, or all if they are few. The end of a sentence. */
export function didYouMean(name: string, names: readonly string[], prefix = ''): string {
  const few = names.length <= mostListed
  const all = !few
    ? ''
    : `: there ${names.length === 1 ? 'is' : 'are'} ${names.map(other => prefix + other).join(', ')}`
  return nearest(name, names, prefix) || all
}

/** Asks whether the nearest of the names that are known was meant; '' where none is near. The end of a sentence. */
export function nearest(name: string, names: readonly string[], prefix = ''): string {
  const away = (other: string) => distance(name.toLowerCase(), other.toLowerCase())
  const near = names.filter(
    other => name !== '' && (other.startsWith(name) || away(other) <= Math.min(2, name.length - 1)),
  )
  return near.length > 0 ? `: did you mean ${near.map(other => prefix + other).join(' or ')}?` : ''
}

/**
 * Holds what was given against the values that there are; anything passes where these can't be counted.
 * @param what was given, as the beginning of a sentence
 * @throws Misuse
 */
export function holdToChoices(what: string, text: string, choices: readonly string[]): void {
  if (choices.length > 0 && !choices.includes(text))
    throw new Misuse(`${what} must be one of ${choices.join(', ')}${nearest(text, choices)}`)
}

/** The options of a command by their names. */
export type Given<Name extends string> = Partial<Record<Name, string | undefined>>

/** The day that it is, YYYY-MM-DD. */
export const today = () => new Date().toISOString().slice(0, 10)

/**
 * Reads a day of the calendar, YYYY-MM-DD, from an option.
 * @throws Misuse
 */
export function day(name: string, text: string): string {
  if (isDate(text)) return text
  throw new Misuse(`${name} is a day, YYYY-MM-DD`)
}

/**
 * Reads a whole number from an option.
 * @throws Misuse
 */
export function wholeNumber(name: string, text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
  throw new Misuse(`${name} is a whole number${range}`)
}

/** Refuses a credential that no header field carries. The message has nothing of it. @throws Misuse */
export function checkCredential(credential: string): void {
  if (/[^\t -~\x80-\xff]/.test(credential))
    throw new Misuse('The key holds a line break or another character that no header field carries')
}

/** Some of all names, as an option lists them; all where it is not given. @throws Misuse for another name */
export function listed(name: string, text: string | undefined, all: readonly string[]): string[] {
  const names = text?.split(',') ?? [...all]
  if (names.some(chosen => !all.includes(chosen)))
    throw new Misuse(`--${name} is a list of ${all.join(', ')}`)
  return all.filter(each => names.includes(each))
}
