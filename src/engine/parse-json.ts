import type { Fault } from './faults.ts'

/**
 * A parser of JSON texts, bounded in what it costs.
 * @returns the value; or where the text is no JSON, `at position 7`; or what else stands against it
 */
export type ParseJson = (text: string) => { value: unknown } | { syntax: string } | { faults: Fault[] }
