import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

type Node = Record<string, unknown>
type Operation = Node & { operationId: string; parameters?: unknown; responses: Record<string, unknown> }
interface Document {
  openapi: string
  info: Node
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

type Served = Readonly<Record<string, readonly string[]>>

/** The operations that the peers serve, and the parameters that they know. */
const served: Served = {
  listPets: ['limit', 'cursor', 'status', 'categoryId'],
  createPet: [],
  getPet: ['petId'],
  placeOrder: [],
}
/** The same of those in Node. */
const servedInNode: Served = { ...served, createPets: [], updatePet: ['petId'] }
const schemas = ['Pet', 'PetStatus', 'NewPet', 'Order', 'NewOrder', 'Error', 'ErrorCode', 'ErrorDetail']

/**
 * Returns the part of our document that the peers serve: the measured operations with their parameters and bodies.
 * It leaves out keys, limits, versions and lifecycle.
 */
export async function peerDocument(
  isInNode: boolean,
  file = new URL('../../../../spec/openapi.yaml', import.meta.url),
): Promise<Document> {
  const ours: Document = parse(await readFile(file, 'utf8'))
  const paths: Document['paths'] = {}
  for (const [path, item] of Object.entries(ours.paths))
    for (const [method, operation] of Object.entries(item)) {
      const parameterNames = (isInNode ? servedInNode : served)[operation.operationId]
      if (parameterNames)
        paths[path] = { ...paths[path], [method]: peerOperation(ours, operation, parameterNames) }
    }
  return {
    openapi: ours.openapi,
    info: { title: ours.info.title, version: ours.info.version },
    paths,
    components: {
      schemas: Object.fromEntries(schemas.map(name => [name, plain(ours, ours.components.schemas[name])])),
    },
  }
}

const text = { schema: { type: 'string' } }
const location = { Location: { ...text, required: true } }
const headers: Readonly<Record<string, Node>> = {
  listPets: { 'X-Next-Cursor': text },
  createPet: location,
  placeOrder: location,
}
const refusal = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

function peerOperation(
  ours: Document,
  { operationId, parameters = [], requestBody, responses }: Operation,
  parameterNames: readonly string[],
) {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const replies = answers.map(([status, answer]) => {
    return [status, { ...(plain(ours, answer) as Node), headers: headers[operationId] ?? {} }] // an object, as linted
  })
  return {
    operationId,
    parameters: (plain(ours, parameters) as Node[]).filter(({ name }) =>
      parameterNames.includes(String(name)),
    ),
    ...(requestBody !== undefined && { requestBody: plain(ours, requestBody) }),
    responses: {
      ...Object.fromEntries(replies),
      default: { description: 'A refusal.', content: refusal },
    },
  }
}

/** A part of the document without extensions and examples. Only parts with a name of their own are referred to. */
function plain(ours: Document, node: unknown): unknown {
  if (Array.isArray(node)) return node.map(item => plain(ours, item))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...rest } = node as Node // it is an object, and no array
  if (typeof $ref === 'string')
    return schemas.some(name => $ref === `#/components/schemas/${name}`)
      ? { $ref }
      : plain(ours, lookUp(ours, $ref))
  const kept = Object.entries(rest).filter(([name]) => !name.startsWith('x-') && name !== 'example')
  const { allOf, ...keywords } = Object.fromEntries(kept.map(([name, value]) => [name, plain(ours, value)]))
  return Array.isArray(allOf) ? Object.assign({}, ...allOf, keywords) : keywords
}

function lookUp(root: unknown, pointer: string): unknown {
  let node = root
  for (const name of pointer.slice(2).split('/')) node = (node as Node)[name] // the document has been linted
  return node
}
