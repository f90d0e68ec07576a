import type { ErrorRequestHandler } from 'express'

/** A service of another make, as the papers of its framework write one. */
export interface Make {
  /** its document, as the framework writes it */
  document: object
  /** the credentials of its callers, as `--auth` has them */
  auth: readonly string[]
  /** each fault that it can have, and how the check names it */
  faults: Readonly<Record<string, RegExp>>
  /** Starts it, right or with a fault. @returns where it is */
  start(fault?: string): Promise<{ url: string; close(): void }>
}

const json = (schema: object) => ({ 'application/json': { schema } })

/** A reply of JSON. */
export const replies = (description: string, schema: object, headers?: object) => ({
  description,
  content: json(schema),
  ...(headers && { headers }),
})

/** A body of JSON that must be there. */
export const bodyOf = (schema: object) => ({ required: true, content: json(schema) })

export const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema })
export const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema })

/** The value of a JSON text; undefined for what is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A refusal that a handler throws. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, text = `Refused with ${status}`) {
    super(text)
    this.status = status
  }
}

/** Answers what a handler has thrown with the body for its text. */
export const onThrown =
  (bodyWith: (text: string) => object): ErrorRequestHandler =>
  (failure, _, response, __) => {
    const { status = 500, message } = Object(failure)
    response.status(status).json(bodyWith(String(message)))
  }

export const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && [...value].length <= most

export const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

/** A whole number of a path or a query; any other is refused with a status. */
export function wholeText(text: unknown, least: number, most: number, usual: number, status = 400): number {
  if (text === undefined) return usual
  const value = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined
  if (!isWhole(value, least, most)) throw new Refused(status)
  return value
}
