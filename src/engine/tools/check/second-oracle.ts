import { registerSchema, validate } from '@hyperjump/json-schema/openapi-3-0'
import { bundle, createConfig } from '@redocly/openapi-core'
import type { WireReply } from '../records/messages.ts'

/** Judges replies and examples by a validator and a reader of files that share no code with the engine. */
export interface SecondOracle {
  /**
   * Returns the parts of a reply that the document's schemas do not allow, its header fields included. These are values
   * as they were read, or texts.
   * @param path template, as it stands in the document
   */
  reply(
    method: string,
    path: string,
    reply: Pick<WireReply, 'status' | 'body'> & { headers: Readonly<Record<string, unknown>> },
  ): Promise<string[]>
  /** The examples of media types, parameters and headers that do not fit their schemas, each by its place. */
  examples(): Promise<{ judged: number; faults: string[] }>
}

/** How the validator's output format BASIC tells a fault. */
interface OutputUnit {
  instanceLocation: string
  absoluteKeywordLocation: string
}

/** The validator's type of any JSON value. */
type Json = Parameters<Awaited<ReturnType<typeof validate>>>[0]
type Node = Record<string, unknown>
/** A node of the document and its JSON Pointer, as a URL's fragment has it. */
interface Place {
  pointer: string
  node: Node
}

const dialect = 'https://spec.openapis.org/oas/3.0/schema'
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
const unescaped = (name: string) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')

let opened = 0

/**
 * @param file the document; the files that it refers to are read, too
 * @returns undefined for a document that does not keep OpenAPI's own schema, which the validator does not take
 */
export async function openSecondOracle(file: string): Promise<SecondOracle | undefined> {
  const whole = await bundle({ ref: file, config: await createConfig({}) })
  const document = whole.bundle.parsed as Node // of a file that holds an object
  for (const node of nodesIn(document)) dropWriteOnly(node)
  // The validator keeps what it is given for good, and takes each address once.
  const uri = `https://${++opened}.invalid/`
  // A document is no schema, but it holds them: the validator goes by pointers.
  registerSchema(document as { type?: never }, uri, dialect)
  if (!(await validate(dialect, document as Json)).valid) return undefined
  const root: Place = { pointer: '', node: document }

  /** The node below another. References on the way are followed. */
  function below(place: Place, ...names: string[]): Place | undefined {
    const [name, ...others] = names
    if (name === undefined) return place
    const child = Object.hasOwn(place.node, name) ? place.node[name] : undefined
    if (!isNode(child)) return undefined
    const { $ref } = child
    const next =
      typeof $ref === 'string'
        ? below(root, ...$ref.split('/').slice(1).map(unescaped))
        : { pointer: `${place.pointer}/${escaped(name)}`, node: child }
    return next && below(next, ...others)
  }

  async function faultsOf({ pointer }: Place, value: unknown): Promise<string[]> {
    const output = await validate(`${uri}#${pointer}`, value as Json, 'BASIC')
    const errors = 'errors' in output ? (output.errors as OutputUnit[]) : [] // of the format BASIC
    return errors.map(
      ({ instanceLocation, absoluteKeywordLocation: rule }) =>
        `${instanceLocation} does not fit ${rule.replace(/^.*#/, '')}`,
    )
  }

  /** Every example that stands beside a schema. */
  function* examplesIn(place: Place): Generator<{ schema: Place; value: unknown; pointer: string }> {
    const { pointer, node } = place
    const schema = isNode(node.schema) && below(place, 'schema')
    if (schema && 'example' in node) yield { schema, value: node.example, pointer }
    for (const name of schema ? Object.keys(Object(node.examples)) : []) {
      const example = below(place, 'examples', name)
      if (schema && example && 'value' in example.node)
        yield { schema, value: example.node.value, pointer: example.pointer }
    }
    for (const [name, child] of Object.entries(node))
      if (isNode(child) && !isData.has(name))
        yield* examplesIn({ pointer: `${pointer}/${escaped(name)}`, node: child })
  }

  return {
    async reply(method, path, { status, headers, body }) {
      const operation = below(root, 'paths', path, method.toLowerCase())
      const names = [String(status), `${String(status)[0]}XX`, 'default']
      const response = operation && names.map(name => below(operation, 'responses', name)).find(Boolean)
      if (!response) return [`a second validator says: the status ${status} is not declared`]
      const type =
        String(headers['content-type'] ?? '')
          .split(';')[0]
          ?.trim()
          .toLowerCase() ?? ''
      const types = Object.keys(below(response, 'content')?.node ?? {})
      const media = types.find(name => name.split(';')[0]?.toLowerCase() === type)
      const schema = media !== undefined && below(response, 'content', media, 'schema')
      const faults = schema && body !== undefined ? await faultsOf(schema, body) : []
      for (const name of Object.keys(below(response, 'headers')?.node ?? {})) {
        const field = below(response, 'headers', name, 'schema')
        const text = headers[name.toLowerCase()]
        if (!field || text === undefined) continue
        const isNumber = typeof text === 'string' && /^-?\d+$/.test(text) && field.node.type !== 'string'
        const value = isNumber ? Number(text) : text
        faults.push(...(await faultsOf(field, value)).map(fault => `${name}: ${fault}`))
      }
      return faults.map(fault => `a second validator says: ${fault}`)
    },
    async examples() {
      const found = [...examplesIn(root)]
      const faults: string[] = []
      for (const { schema, value, pointer } of found)
        faults.push(...(await faultsOf(schema, value)).map(fault => `${pointer}: ${fault}`))
      return { judged: found.length, faults }
    },
  }
}

/** The keys whose contents are values or schemas, whatever they look like. */
const isData = new Set(['example', 'examples', 'default', 'enum', 'value', 'schema', 'schemas'])

/** A reply never holds `writeOnly` properties, so none is required (OpenAPI 3.0.3, 4.7.24.2). */
function dropWriteOnly(node: Node): void {
  const { required, properties } = node
  if (Array.isArray(required))
    node.required = required.filter(name => Object(Object(properties)[name]).writeOnly !== true)
}

function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return
  yield value
  for (const child of Object.values(value)) yield* nodesIn(child)
}
