import type { RequestTemplate } from './load.ts'

/** So many animals are in the store; those up to `available` are, in numbers that no run exhausts. */
export const animals = 100_000
export const available = 90_000
/** An animal that is available, three times. */
export const scarce = available + 1

export interface Operation {
  name: string
  title: string
  request: RequestTemplate
  /** the status of what is done */
  status: number
  writes: boolean
}

export const operations: readonly Operation[] = [
  {
    name: 'read',
    title: 'read by id',
    request: { method: 'GET', path: '/pets/{id}', ids: [1, animals] },
    status: 200,
    writes: false,
  },
  {
    name: 'list',
    title: 'list of 20',
    request: { method: 'GET', path: '/pets?limit=20' },
    status: 200,
    writes: false,
  },
  {
    name: 'order',
    title: 'place order',
    request: {
      method: 'POST',
      path: '/store/orders',
      body: '{"petId":{id},"quantity":1}',
      ids: [1, available],
    },
    status: 201,
    writes: true,
  },
  {
    name: 'create',
    title: 'create',
    request: { method: 'POST', path: '/pets', body: '{"name":"Rex {id}","categoryId":1}' },
    status: 201,
    writes: true,
  },
]
