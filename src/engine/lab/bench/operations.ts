/** The number of animals in the store. Those up to `available` are available, in numbers that no run exhausts. */
export const animals = 100_000
export const available = 90_000
/** An animal that is available, three times. */
export const scarce = available + 1

export interface Operation {
  name: string
  title: string
  method: 'GET' | 'POST' | 'PATCH'
  /** In path and body `{id}` stands for an identifier drawn for each request. */
  path: string
  body?: string
  /** the greatest identifier that is drawn */
  ids?: number
  /** whether each request has an Idempotency-Key of its own */
  isKeyed?: boolean
  /** whether a connection keeps to one identifier, and sends the ETag of its last reply as If-Match */
  isConditional?: boolean
  /** whether only the peers in Node serve it */
  isInNodeAlone?: boolean
  /** the status of a success */
  status: number
}

const order = {
  method: 'POST',
  path: '/store/orders',
  ids: available,
  status: 201,
} as const
const create = { method: 'POST', path: '/pets', status: 201 } as const

/** The operations that a table shows, and that a comparison measures unless others are named. */
export const operations: readonly Operation[] = [
  { name: 'read', title: 'read by id', method: 'GET', path: '/pets/{id}', ids: animals, status: 200 },
  { name: 'list', title: 'list of 20', method: 'GET', path: '/pets?limit=20', status: 200 },
  { name: 'order', title: 'place order', ...order, body: '{"petId":{id},"quantity":1}' },
  { name: 'create', title: 'create', ...create, body: '{"name":"Rex","categoryId":1}' },
  { name: 'keyed', title: 'order with a key', ...order, body: '{"petId":{id},"quantity":1}', isKeyed: true },
]

/** Further forms of what clients send: bodies as Python and people write them, many records at once, a condition. */
export const furtherOperations: readonly Operation[] = [
  { name: 'order-spaced', title: 'order, spaced', ...order, body: '{"petId": {id}, "quantity": 1}' },
  { name: 'order-pretty', title: 'order, pretty', ...order, body: '{\n  "petId": {id},\n  "quantity": 1\n}' },
  { name: 'create-spaced', title: 'create, spaced', ...create, body: '{"name": "Rex", "categoryId": 1}' },
  {
    ...{ name: 'create-pretty', title: 'create, pretty' },
    ...create,
    body: '{\n  "name": "Rex",\n  "categoryId": 1\n}',
  },
  {
    ...{ name: 'batch', title: 'create 30', method: 'POST', path: '/pets/batch', status: 201 },
    body: JSON.stringify(Array.from({ length: 30 }, (_, i) => ({ name: `Rex ${i}`, categoryId: 1 }))),
    isInNodeAlone: true,
  },
  {
    ...{ name: 'patch', title: 'change by its ETag', method: 'PATCH', path: '/pets/{id}', status: 200 },
    ...{ ids: available, body: '{"name":"Max"}', isConditional: true, isInNodeAlone: true },
  },
]

/**
 * Returns the path, the body and further header fields of a request.
 * @param id the identifier in it; one is drawn if it is left out
 * @param tag the ETag that a condition names
 */
export function drawn(
  { path, body, ids = 1, isKeyed, isConditional }: Operation,
  id = 1 + Math.floor(Math.random() * ids),
  tag = '*',
): { path: string; body?: string; fields: Record<string, string> } {
  const fill = (text: string) => text.replace('{id}', String(id))
  return {
    path: fill(path),
    ...(body !== undefined && { body: fill(body) }),
    fields: {
      ...(isKeyed && { 'Idempotency-Key': crypto.randomUUID() }),
      ...(isConditional && { 'If-Match': tag }),
    },
  }
}
