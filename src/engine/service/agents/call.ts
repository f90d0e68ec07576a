import { randomUUID } from 'node:crypto'
import type { ValidateFunction } from 'ajv'
import { isBase64 } from 'spec-served-document/formats/files'
import type { Values } from 'spec-served-document/formats/forms'
import { writeRequest } from 'spec-served-document/formats/forms'
import { noSegment, PathRefused } from 'spec-served-document/formats/writing'
import type { Model } from 'spec-served-document/model'
import type { Fault } from 'spec-served-document/values/faults'
import { describe, unknownName, within } from 'spec-served-document/values/faults'
import { createAjv } from 'spec-served-document/values/json-schema'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { type Forwarded, withForwarded } from '../callers/forwarding.ts'
import { invalidRequest } from '../errors/invalid-request.ts'
import type { Sending } from '../validation/sending.ts'
import { argumentOf, type Tool } from './tools.ts'

/** A tool's call as a request. */
export interface Call extends Sending {
  /** the Idempotency-Key that the call did not have */
  madeKey?: string | undefined
}

/** Arguments by their names. */
export type ToolInput = Readonly<Record<string, unknown>>

/** Returns the call of a tool. The service validates it. Arguments that do not fit the tool, or no request, are refused. */
export function callOf(model: Model, tool: Tool, input: ToolInput, forwarded: Forwarded): Call {
  const { operation, facts, bodyType = '' } = tool
  const faults = faultsOf(tool, input)
  const hasKey = input[argumentOf(tool, 'header', 'idempotency-key') ?? ''] !== undefined
  const madeKey = facts.repeatable && !hasKey ? randomUUID() : undefined
  try {
    if (faults.length === 0) {
      const values: Values = { path: {}, query: {}, header: {}, cookie: {} }
      for (const [argument, parameter] of tool.parameters)
        values[parameter.in][parameter.name] = input[argument]
      const { path, init } = writeRequest(model, operation, values, bodyType, input.body, tool.files)
      if (madeKey) init.headers.set('idempotency-key', madeKey)
      return { request: withForwarded(path, init, forwarded), madeKey }
    }
  } catch (error) {
    const argument = error instanceof PathRefused && argumentOf(tool, 'path', error.parameter)
    if (argument) faults.push({ path: within('', argument), message: notInPath })
    else faults.push({ path: '', message: 'can’t be written into a request' }) // such as an object in the place of a text
  }
  const request = withForwarded(
    operation.url.replace(/\{[^{}]*\}/g, '0'),
    { method: operation.method },
    forwarded,
  )
  return { request, refusal: invalidRequest('The arguments are', faults) }
}

/** The most unknown arguments that are looked at. A refusal lists no more. */
const mostUnknown = 100

/** Returns the faults of arguments. Written into a URL, `[55]` would pass for 55, so they are checked before. */
function faultsOf(tool: Tool, values: ToolInput): Fault[] {
  const checks = checksOf(tool)
  const unknown = Object.keys(values).filter(name => !checks.has(name))
  const faults = unknown
    .slice(0, mostUnknown)
    .map((name, i) => ({ path: within('', name), message: unknownName(name, checks.keys(), i) }))
  for (const [name, fits] of checks)
    if (values[name] === undefined && tool.parameters.get(name)?.in === 'path')
      faults.push({ path: within('', name), message: 'is missing' })
    else if (!fits(values)) faults.push(...describe(fits.errors ?? []))
  return faults
}

const notInPath = 'is no segment of a path'
const checksByTool = new WeakMap<Tool, ReadonlyMap<string, ValidateFunction>>()

/** Returns the checks of a tool's arguments. JSON has none: it is sent as it is, and the service checks it. */
function checksOf(tool: Tool): ReadonlyMap<string, ValidateFunction> {
  const made = checksByTool.get(tool)
  if (made) return made
  const { $defs, properties = {}, required = [] } = tool.definition.inputSchema
  // A tool's schema is a current JSON Schema. Each argument has one fault at most, so a long list costs little.
  const ajv = createAjv({ openapi: '3.1', verbose: true, allErrors: false })
  const demand = (keyword: string, message: string, validate: (_: unknown, value: unknown) => boolean) =>
    ajv.removeKeyword(keyword).addKeyword({ keyword, errors: false, error: { message }, validate })
  demand('in-path', notInPath, (_, value) => {
    const [only = '', ...more] = [value].flat()
    return more.length > 0 || typeof only !== 'string' || !noSegment.test(only)
  })
  demand('in-header', 'has characters that a header field does not carry', (_, value) =>
    /^[\t -~\x80-\xff]*$/.test(typeof value === 'string' ? value : JSON.stringify(value)),
  )
  if (tool.files.size > 0)
    demand('contentEncoding', 'must be the bytes of a file as base64', (_, text) => isBase64(text))
  const isJsonBody = isJson(parseMediaType(tool.bodyType ?? ''))
  const checks = Object.entries(properties).map(([name, schema]) => {
    const place = { [`in-${tool.parameters.get(name)?.in}`]: true }
    const allOf = [place, name === 'body' && isJsonBody ? {} : schema]
    const due = {
      $defs,
      properties: { [name]: { allOf } },
      required: required.filter(field => field === name),
    }
    return [name, ajv.compile(due)] as const
  })
  checksByTool.set(tool, new Map(checks))
  return new Map(checks)
}
