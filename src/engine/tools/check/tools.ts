import type { Tool } from 'spec-served/internal/agents/tools'
import type { Contract } from 'spec-served-document/contract/contract'
import { exampleIn } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { MediaType, Parameter } from 'spec-served-document/types'
import { createAjv } from 'spec-served-document/values/json-schema'
import { createSchemas } from 'spec-served-document/values/schemas'
import { sampler } from '../samples/samples.ts'

/**
 * Holds the tools of agents to the document: each must take the examples that the document takes.
 * @returns a line for each fault
 */
export function toolFaults({ model }: Pick<Contract, 'model'>, tools: readonly Tool[]): string[] {
  const schemas = createSchemas(model)
  const sample = sampler(schemas, { isFull: true })
  const ajv = createAjv({ openapi: '3.1' }) // a tool's schema is a current JSON Schema

  /** Returns an argument with the document's example, or else a drawn value; nothing if none fits. */
  function exampleOf(argument: string, node: Partial<Parameter & MediaType>): [string, unknown][] {
    const schema = node.schema ?? Object.values(node.content ?? {})[0]?.schema ?? {}
    const named = Object.values(node.examples ?? {}).map(
      example => model.resolve<{ value?: unknown }>(example).value,
    )
    const drawn = [node.example, ...named, exampleIn(model.resolve(schema)), sample(schema)]
    const values = drawn.filter(candidate => candidate !== undefined).map(item => structuredClone(item))
    const found = values.find(value => schemas.check(schema, value).length === 0) // which takes away what is `readOnly`
    return found === undefined ? [] : [[argument, found]]
  }

  return tools.flatMap(({ definition, parameters, operation, bodyType = '' }) => {
    const [misplaced] = fieldFaults(definition.inputSchema.properties)
    if (misplaced !== undefined) return `${operation.id}: clients leave out its tool: ${misplaced}`
    const exampleValues = [...parameters].flatMap(([name, parameter]) => exampleOf(name, parameter))
    const media = operation.body?.content[bodyType]
    if (media) exampleValues.push(...exampleOf('body', media))
    const takes = ajv.compile(definition.inputSchema)
    // Without an example of all that must be sent there is nothing to try.
    const due = definition.inputSchema.required ?? []
    const isWhole = due.every(name => exampleValues.some(([argument]) => argument === name))
    if (!isWhole || takes(Object.fromEntries(exampleValues))) return []
    const [fault] = takes.errors ?? []
    const where = fault?.instancePath || 'the whole'
    return `${operation.id}: its tool refuses what the document takes: ${where} ${fault?.message}`
  })
}

/** Returns the faults of arguments that are header fields, too (`x-mcp-header`). */
function fieldFaults(properties: Tool['definition']['inputSchema']['properties'] = {}): string[] {
  const seen = new Set<string>()
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { 'x-mcp-header': field, type } = isObject(schema) ? schema : {}
    if (field === undefined) return []
    const lower = `${field}`.toLowerCase()
    if (seen.has(lower)) return `two arguments have the x-mcp-header ${field}`
    seen.add(lower)
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(lower))
      return `the x-mcp-header of ${name} is no name of a header field`
    const isPlain = type === 'string' || type === 'integer' || type === 'boolean'
    return isPlain ? [] : `${name} has an x-mcp-header, and is no text, whole number or truth value`
  })
}
