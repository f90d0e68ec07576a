import { readFile } from 'node:fs/promises'
import { Misuse, nearest } from 'spec-served/internal/command/arguments'
import { exampleIn } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { parse } from 'yaml'
import type { Endpoint, Interface } from '../records/interface.ts'
import type { Draft } from '../records/messages.ts'

/** Data that a service has, or takes, of which the check could not know. */
export interface Examples {
  /** parts of requests, by operationId */
  requests: ReadonlyMap<string, Partial<Draft>>
  /** values of path parameters, by name */
  values: ReadonlyMap<string, readonly unknown[]>
}

export const noExamples: Examples = { requests: new Map(), values: new Map() }

/**
 * Reads a file of examples, in YAML or JSON: by the name of a path parameter a value or a list of values, or by an
 * operationId the parts of a request (`path`, `query`, `header`, `cookie`, `body`).
 * @throws Misuse
 */
export async function readExamples(file: string, { endpoints }: Interface): Promise<Examples> {
  const content: unknown = parse(await readFile(file, 'utf8'))
  if (!isObject(content)) throw new Misuse(`${file} holds no examples: it is to be an object`)
  const requests = new Map<string, Partial<Draft>>()
  const values = new Map<string, readonly unknown[]>()
  const names = new Set(endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  const ids = new Set(endpoints.map(({ id }) => id))
  for (const [name, value] of Object.entries(content)) {
    if (ids.has(name) && isObject(value)) requests.set(name, value)
    else if (names.has(name)) values.set(name, [value].flat())
    else
      throw new Misuse(
        `${file}: ${name} is neither an operation nor a parameter of the document${nearest(name, [...ids, ...names])}`,
      )
  }
  return { requests, values }
}

/** Returns the values that are known of a path parameter: those of the examples, or else those of the document. */
export function valuesOfPath(
  { values }: Examples,
  { parameters }: Endpoint,
  name: string,
): readonly unknown[] {
  const chosen = values.get(name)
  if (chosen) return chosen
  const parameter = parameters.find(candidate => candidate.in === 'path' && candidate.name === name)
  const { example, examples = {}, schema = {} } = parameter ?? {}
  const named = Object.values(examples).flatMap(item => ('value' in item ? [item.value] : []))
  return [example, ...named, '$ref' in schema ? undefined : exampleIn(schema)].filter(
    candidate => candidate !== undefined,
  )
}
