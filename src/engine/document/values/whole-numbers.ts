import { isExactNumber } from '../decimals.ts'
import { typesIn } from '../model.ts'
import type { Schema } from '../types.ts'
import { within } from './faults.ts'

/** The range of a whole number of 64 bits. */
export const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }

/** Whether all numbers of a schema are whole ones of 64 bits. */
export const isInt64 = (schema: Schema): boolean =>
  schema.format === 'int64' && typesIn(schema).join() === 'integer'

const isWithin = (whole: bigint) => whole >= int64.least && whole <= int64.most

/** The most digits of a whole number that is read: no double has more. */
const mostDigits = 310

/** Returns the whole number that a number of JSON is, however it is written: `1e3`, `1.0`; undefined for any other. */
export function wholeIn(text: string): bigint | undefined {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const all = digits + fraction
  if (digits === '' || all.length > mostDigits || Math.abs(Number(exponent)) > mostDigits) return undefined
  const shift = Number(exponent) - fraction.length
  if (shift >= 0) return BigInt(`${sign}${all}${'0'.repeat(shift)}`)
  return /[^0]/.test(all.slice(shift)) ? undefined : BigInt(`${sign}${all.slice(0, shift) || '0'}`)
}

// Node has these since version 22.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object } // TypeScript's libraries lack them
const parse = JSON.parse as (
  text: string,
  revive: (name: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

/** Numbers that may be whole and beyond 2^53. */
const mayBeLong = /\d{16}|\d[eE]/

/** Reads JSON. A whole number beyond ±(2^53 − 1) is a bigint. */
export const parseExactly = (text: string): unknown => revive(text, wholeIn)

/** Reads JSON that JSON.stringify writes again as it was: an object stands for a whole number that no double holds. */
export function parseToPassOn(text: string): unknown {
  return revive(text, source => {
    const whole = wholeIn(source)
    return whole === undefined || isExactNumber(source) ? undefined : rawNumber(whole)
  })
}

function revive(text: string, read: (source: string) => unknown): unknown {
  if (!mayBeLong.test(text)) return JSON.parse(text)
  return parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? (read(source) ?? value) : value,
  )
}

/** Reads JSON that `stringifyExactly` wrote. A whole number of 64 bits beyond ±(2^53 − 1) is a bigint. */
export function parseWritten(text: string): unknown {
  return revive(text, source => {
    const whole = wholeIn(source)
    return whole !== undefined && isWithin(whole) ? whole : undefined
  })
}

/** Writes JSON, in which bigints are numbers. @throws RangeError for one that has more than 64 bits */
export function stringifyExactly(value: unknown): string {
  return JSON.stringify(value, (name, child) => (typeof child === 'bigint' ? raw(name, child) : child))
}

function raw(name: string, whole: bigint): object {
  textOfInt64(whole, name === '' ? 'The value' : `The property ${name}`)
  return rawNumber(whole)
}

/** Returns what JSON.stringify writes as the digits of a whole number. */
export const rawNumber = (whole: bigint): object => rawJSON(String(whole))

/** Returns the digits of a whole number of 64 bits. @param name of the value @throws RangeError for any other */
export function textOfInt64(whole: bigint, name: string): string {
  if (isWithin(whole)) return String(whole)
  throw new RangeError(
    `${name} is ${whole}, beyond the whole numbers of 64 bits: ${int64.least} to ${int64.most}`,
  )
}

type Holder = Record<string, unknown>

/** A bigint in a value, in whose place the nearest double stands meanwhile. */
interface Long {
  holder: Holder
  name: string
  /** the JSON Pointer to it */
  path: string
  whole: bigint
}

/** The bigints of a value that is validated. Ajv knows doubles alone. */
export class Longs {
  readonly #all: Long[] = []
  readonly #byHolder = new Map<unknown, Map<string, Long>>()

  /**
   * Puts doubles in the places of all bigints below a member.
   * @param isCopied whether the member itself stays as it is, and its holder gets a copy
   */
  constructor(holder: Holder, name: string, isCopied: boolean) {
    this.#lower(holder, name, '', isCopied)
  }

  /** Returns the whole number at a place: the bigint that stood there, or the number itself. */
  at(holder: unknown, name: string | number, value: number): bigint | number {
    return this.#byHolder.get(holder)?.get(String(name))?.whole ?? value
  }

  /** The bigints that no double holds, except those at some places. */
  *inexact(isTaken: (holder: unknown, name: string) => boolean): Generator<string> {
    for (const { holder, name, path, whole } of this.#all)
      if (!isTaken(holder, name) && !isExactNumber(String(whole))) yield path
  }

  /** Does some work while the bigints stand in their places. */
  withBigints<T>(work: () => T): T {
    this.restore()
    try {
      return work()
    } finally {
      for (const { holder, name, whole } of this.#all) holder[name] = Number(whole)
    }
  }

  /** Puts the bigints back. */
  restore(): void {
    for (const { holder, name, whole } of this.#all) holder[name] = whole
  }

  #lower(holder: Holder, name: string, path: string, isCopied: boolean): void {
    const value = holder[name]
    if (typeof value === 'bigint') {
      const long = { holder, name, path, whole: value }
      holder[name] = Number(value)
      this.#all.push(long)
      this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? new Map()).set(name, long))
    } else if (isPlain(value) && (!isCopied || holdsBigint(value))) {
      const own = isCopied ? copyOf(value) : value
      holder[name] = own
      for (const below of Object.keys(own)) this.#lower(own, below, within(path, below), isCopied)
    }
  }
}

/** Whether a value is a list or an object of JSON, and no instance of a class. */
const isPlain = (value: unknown): value is Holder =>
  Array.isArray(value) ||
  (typeof value === 'object' &&
    value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value)))

const holdsBigint = (value: Holder): boolean =>
  Object.values(value).some(child => typeof child === 'bigint' || (isPlain(child) && holdsBigint(child)))

const copyOf = (value: Holder): Holder =>
  Array.isArray(value) ? ([...value] as unknown as Holder) : { ...value } // a list's members have names, too
