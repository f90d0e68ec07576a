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

/** The schemas of a response: of its bodies by media type, and of its header fields. */
interface DeclaredResponse {
  bodies: readonly { essence: string | undefined; schema: Place | undefined }[]
  fields: readonly { name: string; field: Place }[]
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

  type Validator = Awaited<ReturnType<typeof validate>>
  /** Compiled schemas by their pointers. Compiling one takes longer than all that is judged by it. */
  const validators = new Map<string, Promise<Validator>>()

  async function faultsOf({ pointer }: Place, value: unknown): Promise<string[]> {
    const compiled = validators.get(pointer) ?? validate(`${uri}#${pointer}`)
    validators.set(pointer, compiled)
    const output = (await compiled)(value as Json, 'BASIC')
    const errors = 'errors' in output ? (output.errors as OutputUnit[]) : [] // of the format BASIC
    return errors.map(
      ({ instanceLocation, absoluteKeywordLocation: rule }) =>
        `${instanceLocation} does not fit ${rule.replace(/^.*#/, '')}`,
    )
  }

  /** The declared responses that replies were judged by, each read once. */
  const responses = new Map<string, DeclaredResponse | undefined>()

  /** The response that an operation declares for a status; undefined for none. */
  function responseFor(method: string, path: string, status: number): DeclaredResponse | undefined {
    const key = `${method} ${path} ${status}`
    if (!responses.has(key)) responses.set(key, readResponse(method, path, status))
    return responses.get(key)
  }

  function readResponse(method: string, path: string, status: number): DeclaredResponse | undefined {
    const operation = below(root, 'paths', path, method.toLowerCase())
    const names = [String(status), `${String(status)[0]}XX`, 'default']
    const response = operation && names.map(name => below(operation, 'responses', name)).find(Boolean)
    if (!response) return undefined
    const bodies = Object.keys(below(response, 'content')?.node ?? {}).map(name => ({
      essence: name.split(';')[0]?.toLowerCase(),
      schema: below(response, 'content', name, 'schema'),
    }))
    const fields = Object.keys(below(response, 'headers')?.node ?? {}).flatMap(name => {
      const field = below(response, 'headers', name, 'schema')
      return field ? [{ name, field }] : []
    })
    return { bodies, fields }
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
      const response = responseFor(method, path, status)
      if (!response) return [`a second validator says: the status ${status} is not declared`]
      const type =
        String(headers['content-type'] ?? '')
          .split(';')[0]
          ?.trim()
          .toLowerCase() ?? ''
      const schema = response.bodies.find(({ essence }) => essence === type)?.schema
      const faults = schema && body !== undefined ? await faultsOf(schema, body) : []
      for (const { name, field } of response.fields) {
        const text = headers[name.toLowerCase()]
        if (text === undefined) continue
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
