import { visibleLine } from '../../src/visible-text.ts'
import type { Options, Values } from '../arguments.ts'
import type { Call } from './call.ts'

/** An option, and what --help and the completion say of it. */
export type Option =
  | {
      type: 'string'
      /** what stands for its value */
      value: string
      text: string
      /** the values that it may have, where they can be counted */
      choices?: readonly string[]
    }
  | { type: 'boolean'; text: string }

/** What a command gives: the same for programs and for people. */
export interface Outcome {
  json: unknown
  lines: string[]
  /** the exit code; 0 where it says none */
  code?: number
}

/** A command with arguments of its own. */
export interface Leaf {
  text: string
  argument?: { name: string; text: string; choices?: readonly string[]; isDirectory?: boolean }
  options: Readonly<Record<string, Option>>
  /** Explains what no line of --help can. */
  more?: string
  run(values: never, argument: string | undefined, call: Call): Promise<Outcome>
}

/** A command that holds others. */
export interface Group {
  text: string
  commands: Readonly<Record<string, Leaf>>
  /** the one that is meant where none is named */
  usual?: string
}

/** Gives the values of a command's options their types. */
export function leaf<const O extends Readonly<Record<string, Option>>>(
  command: Omit<Leaf, 'options' | 'run'> & {
    options: O
    run(values: Values<O & Options>, argument: string | undefined, call: Call): Promise<Outcome>
  },
): Leaf {
  return command
}

/** Options of every command. */
export const common: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', text: 'print JSON, failures too' },
  help: { type: 'boolean', text: 'say what the command takes' },
}

/** Rows under the names of their columns, each as wide as its widest value. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [columns, ...rows].map(line => line.map(visibleLine))
  const widths = columns.map((_, index) => Math.max(...lines.map(line => line[index]?.length ?? 0)))
  return lines.map(line =>
    line
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
