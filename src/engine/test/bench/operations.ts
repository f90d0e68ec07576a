/** The number of animals in the store. Those up to `available` are available, in numbers that no run exhausts. */
export const animals = 100_000
export const available = 90_000
/** An animal that is available, three times. */
export const scarce = available + 1

export interface Operation {
  name: string
  title: string
  method: 'GET' | 'POST'
  /** In path and body `{id}` stands for an identifier drawn for each request. */
  path: string
  body?: string
  /** the greatest identifier that is drawn */
  ids?: number
  /** the status of a success */
  status: number
}

export const operations: readonly Operation[] = [
  { name: 'read', title: 'read by id', method: 'GET', path: '/pets/{id}', ids: animals, status: 200 },
  { name: 'list', title: 'list of 20', method: 'GET', path: '/pets?limit=20', status: 200 },
  {
    name: 'order',
    title: 'place order',
    method: 'POST',
    path: '/store/orders',
    body: '{"petId":{id},"quantity":1}',
    ids: available,
    status: 201,
  },
  {
    name: 'create',
    title: 'create',
    method: 'POST',
    path: '/pets',
    body: '{"name":"Rex","categoryId":1}',
    status: 201,
  },
]

/** Returns the path and body of a request, with an identifier that is drawn for it. */
export function drawn({ path, body, ids = 1 }: Operation): { path: string; body?: string } {
  const id = String(1 + Math.floor(Math.random() * ids))
  const fill = (text: string) => text.replace('{id}', id)
  return { path: fill(path), ...(body !== undefined && { body: fill(body) }) }
}
