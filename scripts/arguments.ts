import { parseArgs } from 'node:util'
import { failureText } from '../src/failure-text.ts'
import { isDate } from './document/lifecycle.ts'

/** A use that a command does not know; the message is shown above its usage. */
export class Misuse extends Error {}

interface Text {
  type: 'string'
  default?: string
  multiple?: false
}
interface List {
  type: 'string'
  multiple: true
}
interface Flag {
  type: 'boolean'
  multiple?: false
}
type Options = Record<string, Text | List | Flag>

/** What an option holds: a flag that is not given is false, anything else undefined. */
type Values<O extends Options> = {
  [Name in keyof O]: O[Name] extends Flag
    ? boolean
    : O[Name] extends List
      ? string[] | undefined
      : O[Name] extends { default: string }
        ? string
        : string | undefined
}

interface Command<O extends Options> {
  /** shown with --help, and with each wrong use; names every option */
  usage: string
  options?: O
  /** how many arguments it takes besides options; 0 unless told */
  positionals?: number
  /** the exit code of a failure that is no wrong use; 1 unless told */
  failure?: number
}

/**
 * Runs a command on the arguments of the process and sets its exit code: what `run` gives, 2 for a wrong use.
 * @param run is not called for a use that the command does not know
 */
export async function runCommand<const O extends Options>(
  { usage, options, positionals = 0, failure = 1 }: Command<O>,
  run: (values: Values<O>, positionals: string[]) => Promise<number>,
): Promise<void> {
  try {
    const read = readArguments(options ?? {}, positionals)
    if (read.values.help) {
      console.log(usage)
      return
    }
    process.exitCode = await run(read.values as Values<O>, read.positionals) // as the options say
  } catch (error) {
    console.error(error instanceof Misuse ? `${error.message}\n\n${usage}` : failureText(error))
    process.exitCode = error instanceof Misuse ? 2 : failure
  }
}

/** @throws Misuse */
function readArguments(options: Options, most: number) {
  const all: Options = { ...options, help: { type: 'boolean' } }
  const { values, positionals, tokens } = parse(all)
  const extra = positionals[most]
  if (extra !== undefined) throw new Misuse(`Unexpected argument ${JSON.stringify(extra)}`)
  const given = tokens.flatMap(token => (token.kind === 'option' ? [token.name] : []))
  const twice = given.find((name, index) => given.indexOf(name) < index && !all[name]?.multiple)
  if (twice) throw new Misuse(`--${twice} is given twice`)
  const flags = Object.entries(all).filter(([, { type }]) => type === 'boolean')
  return {
    values: { ...Object.fromEntries(flags.map(([name]) => [name, false])), ...values },
    positionals,
  }
}

function parse(options: Options) {
  try {
    return parseArgs({ options, allowPositionals: true, tokens: true })
  } catch (error) {
    throw new Misuse((error as Error).message.split(/(?<=['"])\. |\n/)[0]) // parseArgs throws Errors; what follows is advice
  }
}

/**
 * Reads a day of the calendar, YYYY-MM-DD, from an option.
 * @throws Misuse
 */
export function day(option: string, text: string): string {
  if (isDate(text)) return text
  throw new Misuse(`${option} is a day, YYYY-MM-DD`)
}

/**
 * Reads a whole number from an option.
 * @throws Misuse
 */
export function wholeNumber(option: string, text: string, least = 0): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least) return value
  throw new Misuse(`${option} is a whole number, ${least} or more`)
}
