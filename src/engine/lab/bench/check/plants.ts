import type { Came, Change } from './planting.ts'

/** The kinds of faults that tools tell. */
export type Kind =
  | 'caller'
  | 'content'
  | 'failure'
  | 'header field'
  | 'list'
  | 'media type'
  | 'method'
  | 'schema'
  | 'status'
  | 'takes invalid'
  | 'refuses valid'
  | 'not stored'
  | 'not removed'

/** A fault that a client can notice. */
export interface Plant {
  name: string
  /** the operation that has it, then those at which it may also be told */
  operations: readonly [string, ...string[]]
  /** the kinds as which it may be told */
  kinds: readonly Kind[]
  change: Change
}

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('latin1')
const jsonIn = (text: string): unknown => JSON.parse(Buffer.from(text, 'latin1').toString())

/** Changes what a success shows: each record, or the record. */
const showing =
  (edit: (record: Record<string, unknown>) => void): Change =>
  async (sent, forward) => {
    const came = await forward(sent)
    if (came.status >= 300 || came.body === '') return came
    const value = jsonIn(came.body)
    const { data = value } = value as { data?: unknown } // a list, or an object with one
    for (const record of [data].flat()) edit(record as Record<string, unknown>) // lists and replies are of records
    return { ...came, body: bytesOf(value) }
  }

/** Changes successes. */
const replying =
  (edit: (came: Came) => Came): Change =>
  async (sent, forward) => {
    const came = await forward(sent)
    return came.status < 300 ? edit(came) : came
  }

/** Changes the JSON of a request, where it is an object, before the server sees it. */
const taking =
  (edit: (record: Record<string, unknown>) => void): Change =>
  (sent, forward) => {
    try {
      const value = jsonIn(sent.body)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        edit(value as Record<string, unknown>) // it is an object
        return forward({ ...sent, body: bytesOf(value) })
      }
    } catch {} // the server refuses it
    return forward(sent)
  }

/** Fails where a property holds an odd text. */
const failing =
  (name: string, isOdd: RegExp): Change =>
  async (sent, forward) => {
    const came = await forward(sent)
    if (came.status >= 300) return came
    const value = jsonIn(sent.body) as Record<string, unknown> // the server took it
    if (!isOdd.test(String(value[name]))) return came
    return { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Something went wrong' }
  }

const without =
  (field: string) =>
  ({ headers: { [field]: _, ...headers }, ...came }: Came): Came => ({ ...came, headers })

/** Asks for as many as there may be. */
const ignoringLimit =
  (most: number): Change =>
  (sent, forward) => {
    const url = sent.url.replace(/([?&]limit=)\d+(?=&|$)/, (all, name) => {
      const limit = Number(all.slice(name.length))
      return limit >= 1 && limit <= most ? `${name}${most}` : all
    })
    return forward({ ...sent, url })
  }

/** Answers the removal of a record as if it were done. */
const keeping: Change = async (sent, forward) => {
  const { status } = await forward({ ...sent, method: 'GET', body: '' })
  return status === 200 ? { status: 204, headers: {}, body: '' } : forward(sent)
}

/** Forgets at once what it made, where a property has a value. */
const forgetting =
  (name: string, value: unknown): Change =>
  async (sent, forward) => {
    const came = await forward(sent)
    const { location } = came.headers
    if (came.status >= 300 || !location) return came
    const made = jsonIn(came.body) as Record<string, unknown> // the server shows a record
    if (made[name] === value) await forward({ method: 'DELETE', url: location, headers: {}, body: '' })
    return came
  }

/** Answers a replacement as if it were done. */
const replacingNothing: Change = async (sent, forward) => {
  const before = await forward({ ...sent, method: 'GET', body: '' })
  const came = await forward(sent)
  if (came.status === 200) {
    const { id: _, ...record } = jsonIn(before.body) as Record<string, unknown> // the server shows a record
    await forward({ ...sent, body: bytesOf(record) })
  }
  return came
}

/** By server: the faults, by operations so far apart that none hides another. */
export const plants: Readonly<Record<string, readonly Plant[]>> = {
  plain: [
    {
      name: 'a list ignores `limit`',
      operations: ['listPets'],
      kinds: ['list'],
      change: ignoringLimit(100),
    },
    {
      name: 'an identifier is shown as text',
      operations: ['getPet'],
      kinds: ['schema'],
      change: showing(pet => Object.assign(pet, { id: `${pet.id}` })),
    },
    {
      name: 'a number below its minimum is taken',
      operations: ['createPet'],
      kinds: ['takes invalid'],
      change: taking(pet => {
        if (Number(pet.categoryId) < 1) pet.categoryId = 1
      }),
    },
    {
      name: 'a required header field is missing',
      operations: ['placeOrder'],
      kinds: ['header field'],
      change: replying(without('location')),
    },
    {
      name: 'an odd text makes it fail',
      operations: ['createPet'],
      kinds: ['failure'],
      change: failing('name', /[^\0-\x7f]/),
    },
  ],
  python: [
    {
      name: 'an undeclared status',
      operations: ['addNote'],
      kinds: ['status'],
      change: replying(came => ({ ...came, status: 200 })),
    },
    {
      name: 'a required property is missing',
      operations: ['getNote'],
      kinds: ['schema'],
      change: showing(note => delete note.done),
    },
    {
      name: 'a removal removes nothing',
      operations: ['removeNote', 'getNote'],
      kinds: ['not removed'],
      change: keeping,
    },
    {
      name: 'a required header field is missing',
      operations: ['listNotes'],
      kinds: ['header field'],
      change: replying(without('x-total')),
    },
    {
      name: 'a replacement replaces nothing',
      operations: ['replaceNote', 'getNote'],
      kinds: ['content'],
      change: replacingNothing,
    },
    {
      name: 'some records are not stored',
      operations: ['addNote', 'getNote'],
      kinds: ['not stored'],
      change: forgetting('topic', 'work'),
    },
  ],
  mock: [
    {
      name: 'a number is shown as text',
      operations: ['get-bookings'],
      kinds: ['schema'],
      change: showing(booking => Object.assign(booking, { nights: `${booking.nights}` })),
    },
    {
      name: 'a number below its minimum is taken',
      operations: ['create-booking'],
      kinds: ['takes invalid'],
      change: taking(booking => {
        if (Number(booking.nights) < 1) booking.nights = 1
      }),
    },
    {
      name: 'a list needs no credential',
      operations: ['get-rooms'],
      kinds: ['caller'],
      change: (sent, forward) =>
        forward({ ...sent, headers: { ...sent.headers, authorization: 'Bearer given' } }),
    },
    {
      name: 'an undeclared media type',
      operations: ['get-booking'],
      kinds: ['media type'],
      change: replying(came => ({ ...came, headers: { ...came.headers, 'content-type': 'text/html' } })),
    },
    {
      name: 'an undeclared status',
      operations: ['delete-booking'],
      kinds: ['status'],
      change: replying(came => ({ ...came, status: 202 })),
    },
  ],
  petstore: [
    {
      name: 'a required header field is missing',
      operations: ['createCategory'],
      kinds: ['header field'],
      change: replying(without('location')),
    },
    {
      name: 'a list ignores `limit`',
      operations: ['listCategories'],
      kinds: ['list'],
      change: ignoringLimit(100),
    },
    {
      name: 'a removal removes nothing',
      operations: ['deleteCategory', 'getCategory'],
      kinds: ['not removed'],
      change: keeping,
    },
    {
      name: 'a number is shown as text',
      operations: ['getInventoryItem'],
      kinds: ['schema'],
      change: showing(item => Object.assign(item, { quantity: `${item.quantity}` })),
    },
    {
      name: 'a larger number than allowed is taken',
      operations: ['updateInventory'],
      kinds: ['takes invalid'],
      change: taking(item => {
        if (Number(item.quantity) > 1_000_000) item.quantity = 1_000_000
      }),
    },
    {
      name: 'an odd text makes it fail',
      operations: ['createPet'],
      kinds: ['failure'],
      change: failing('name', /[^\0-\x7f]/),
    },
  ],
}
