import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkContract } from '../../scripts/contract/check.ts'
import type { Service } from '../../scripts/contract/world.ts'
import { type OpenDatabase, openDatabase } from '../../src/database/connect.ts'
import { contractOf } from '../../src/engine/contract.ts'
import { type Copies, openCopies } from '../support/copies.ts'
import { dataDirectory } from '../support/data-directory.ts'
import { ownModel } from '../support/model.ts'

const model = await ownModel()
let directory: string
let database: OpenDatabase
let copies: Copies
beforeAll(async () => {
  directory = await dataDirectory()
  database = await openDatabase({ kind: 'embedded', dataDir: directory })
  copies = await openCopies()
})
afterAll(async () => {
  await copies.close()
  await database.close()
  await rm(directory, { recursive: true })
})

/** The first fault of a service with one line of its code changed. */
async function faultWith({ file, from, to, operations, during }: Break) {
  const broken = await copies.make(contractOf('', model), async directory => {
    const path = join(directory, file)
    const text = await readFile(path, 'utf8')
    expect(text.split(from), `${file} has the line once`).toHaveLength(2)
    await writeFile(path, text.replace(from, to))
  })
  return check(broken, operations, during)
}

async function check(service: Service, operations: string[], during?: string) {
  const { faults } = await checkContract({
    model,
    service,
    database: database.db,
    seed: 1,
    now: new Date('2026-11-21T12:00:00Z'),
    only: {
      operations: new Set(operations),
      limits: operations.length === 0,
      known: model,
    },
    ...(during !== undefined && { probes: new Set([during]) }),
    untilFault: true,
  })
  return faults.map(({ operation, message }) => `${operation}: ${message}`).join()
}

interface Break {
  file: string
  from: string
  to: string
  operations: string[]
  /** the probes that tell, where those before them would take long and find nothing */
  during?: string
  told: RegExp
}

test.each<[string, Break]>([
  [
    'has one strong ETag for two codings',
    {
      file: 'engine/replies/etag.ts',
      from: "coding === null || tag.startsWith('W/')",
      to: 'coding !== undefined',
      operations: ['getCategory'],
      during: 'bans and lengths of time',
      told: /^getCategory: asked for in "br", it has the ETag "1", as in identity/,
    },
  ],
  [
    'takes what is appended to a cursor',
    {
      file: 'engine/replies/pages.ts',
      from: '/^[\\w-]+$/',
      to: '/^[\\w-]+/',
      operations: ['listOrders'],
      during: 'queries and sequences',
      told: /^listOrders: the cursor ".*=" is answered 200/,
    },
  ],
  [
    'forgets the last of two bans that could not be stored',
    {
      file: 'engine/limits/bans.ts',
      from: 'merge: (_, later) => later',
      to: 'merge: earlier => earlier',
      operations: [],
      told: /the same after a restart with one is answered 401/,
    },
  ],
  [
    'gives quota back over a restart',
    {
      file: 'store/limits.ts',
      from: '({ count }) => count)',
      to: '() => 0)',
      operations: [],
      told: /one too many in a day is answered 200/,
    },
  ],
  [
    'ignores a filter',
    {
      file: 'handlers/animals.ts',
      from: 'readPets(db, { ...query, order,',
      to: 'readPets(db, { ...query, status: undefined, order,',
      operations: ['listPets'],
      during: 'queries and sequences',
      told: /^listPets: the query parameter status has no meaning that explains its replies/,
    },
  ],
  [
    'leaves one out at the edge of a filter',
    {
      file: 'store/pet-pages.ts',
      from: "pet('stock', '<=', ",
      to: "pet('stock', '<', ",
      operations: ['listInventory'],
      during: 'queries and sequences',
      told: /^listInventory: the query parameter maxQuantity has no meaning/,
    },
  ],
  [
    'returns a field that the document does not have',
    {
      file: 'handlers/animals.ts',
      from: 'status: row.status }',
      to: "status: row.status, colour: 'brown' }",
      operations: ['getPet'],
      told: /body\/colour is not known/,
    },
  ],
  [
    'answers with a status that the document does not have',
    {
      file: 'handlers/categories.ts',
      from: 'status: 201,',
      to: 'status: 202,',
      operations: ['createCategory'],
      told: /createCategory does not declare the status 202/,
    },
  ],
  [
    'answers with a declared status that is the wrong one',
    {
      file: 'handlers/categories.ts',
      from: 'return { status: 204 }',
      to: 'return noCategory(path.categoryId)',
      operations: ['deleteCategory'],
      told: /^deleteCategory: any request: it was refused, and yet GET .categories.\d+ changes from/,
    },
  ],
  [
    'returns null where none is allowed',
    {
      file: 'handlers/categories.ts',
      from: 'if (row.description !== null) category.description',
      to: 'category.description',
      operations: ['getCategory'],
      told: /description must be string/,
    },
  ],
  [
    'returns a date that is no date-time',
    {
      file: 'handlers/orders.ts',
      from: 'order.shipDate = row.ship_date.toISOString()',
      to: 'order.shipDate = row.ship_date.toDateString()',
      operations: ['placeOrder'],
      told: /shipDate must be a date and time/,
    },
  ],
  [
    'returns a value that only the serialiser makes fit',
    {
      file: 'handlers/orders.ts',
      from: 'order.shipDate = row.ship_date.toISOString()',
      to: 'order.shipDate = row.ship_date',
      operations: ['placeOrder'],
      told: /shipDate must be string/,
    },
  ],
  [
    'leaves out a header',
    {
      file: 'handlers/orders.ts',
      from: 'headers: { Location: `/store/orders/',
      to: 'headers: { location: undefined, Elsewhere: `/store/orders/',
      operations: ['placeOrder'],
      told: /the header Location is missing/,
    },
  ],
  [
    'sends a header that the document does not have',
    {
      file: 'handlers/inventory.ts',
      from: 'headers: { ETag: etagOf(row.stock_version) }',
      to: "headers: { ETag: etagOf(row.stock_version), 'X-Shelf': '7' }",
      operations: ['getInventoryItem'],
      told: /the header x-shelf is not declared/,
    },
  ],
  [
    'does not keep what it was sent',
    {
      file: 'handlers/orders.ts',
      from: 'insertOrderIfInStock(db, { petId, quantity, shipDate: toDate(shipDate) })',
      to: 'insertOrderIfInStock(db, { petId, quantity, shipDate: undefined })',
      operations: ['placeOrder'],
      told: /shipDate was sent as .*, and its reply shows/,
    },
  ],
  [
    'ignores If-Match',
    {
      file: 'handlers/animals.ts',
      from: 'store.deletePet(db, path.petId, ifMatch)',
      to: 'store.deletePet(db, path.petId, undefined)',
      operations: ['deletePet'],
      during: 'refusals and conditions',
      told: /a change of another version is answered 204/,
    },
  ],
  [
    'asks for another scope',
    {
      file: 'engine/plugins/authentication.ts',
      from: '!caller.scopes.includes(scope)',
      to: '!caller.scopes.some(own => own !== scope)',
      operations: ['listCategories'],
      told: /scope read/,
    },
  ],
  [
    'goes on after its sunset date',
    {
      file: 'engine/replies/lifecycle.ts',
      from: 'now.getTime() < midnight(deprecation.sunset)',
      to: 'now.getTime() <= midnight(deprecation.sunset)',
      operations: ['getPet'],
      during: 'queries and sequences',
      told: /a request from its sunset date on is answered 200/,
    },
  ],
  [
    'bans too late',
    {
      file: 'engine/plugins/rate-limits.ts',
      from: 'refusals.remaining === 0 && !refusals.exceeded',
      to: 'refusals.exceeded',
      operations: [],
      told: /a caller who went on is answered 429/,
    },
  ],
  [
    'leaves an ETag as it was when another request changes the record',
    {
      file: 'store/orders.ts',
      from: "open_orders: eb('open_orders', '+', 1),\n            stock_version: eb('stock_version', '+', 1),",
      to: "open_orders: eb('open_orders', '+', 1),",
      operations: ['placeOrder'],
      told: /^placeOrder: any request: GET .store.inventory.\d+ has the ETag "1" for two contents/,
    },
  ],
  [
    'does not do to another record what the document says',
    {
      file: 'store/orders.ts',
      from: "stock: eb('stock', '-', value('quantity')),",
      to: '',
      operations: ['placeOrder'],
      told: /^placeOrder: any request: .petId. \d+ had quantity 1 and has 1, where the document has it become 0/,
    },
  ],
  [
    'stores a part of what it refuses',
    {
      file: 'handlers/categories.ts',
      from: "if (row === 'name taken') return nameTaken(body.name)\n  if (row)",
      to: "if (row === 'name taken' || row?.version === 2) return nameTaken(body.name)\n  if (row)",
      operations: ['replaceCategory'],
      told: /^replaceCategory: any request: it was refused, and yet GET .categories.\d+ changes from/,
    },
  ],
  [
    'answers one caller with what another has asked for',
    {
      file: 'engine/execution.ts',
      from: 'tools.caller.counter}`,',
      to: '0}`,',
      operations: ['createPet'],
      during: 'refusals and conditions',
      told: /^createPet: an Idempotency-Key of another caller counts/,
    },
  ],
  [
    'forgets the id of a request',
    {
      file: 'engine/engine.ts',
      from: 'saneRequestId.test(given) ? given :',
      to: 'saneRequestId.test(given) ? crypto.randomUUID() :',
      operations: ['getPet'],
      told: /^getPet: any request: its request id check-\d+ comes back as/,
    },
  ],
  [
    'says another code than the rule that is broken',
    {
      file: 'handlers/orders.ts',
      from: "return refusal('insufficient_stock'",
      to: "return refusal('pet_not_available'",
      operations: ['placeOrder'],
      told: /^placeOrder: .*it is refused with pet_not_available, and nothing that this code stands for is so/,
    },
  ],
  [
    'points at what is not in the body',
    {
      file: 'handlers/animals.ts',
      from: 'index}/categoryId`',
      to: 'index + 1}/categoryId`',
      operations: ['createPets'],
      told: /^createPets: .*it is refused for .\d+.categoryId, which is nowhere in its body/,
    },
  ],
  [
    'answers the items of a batch in another order',
    {
      file: 'handlers/animals.ts',
      from: 'return { status: 201, body: rows.map(toPet) }',
      to: 'return { status: 201, body: rows.toReversed().map(toPet) }',
      operations: ['createPets'],
      told: /^createPets: any request: \w+ was sent as .* in item \d, and its reply shows/,
    },
  ],
  [
    'keeps replies for too short a time',
    {
      file: 'store/idempotency.ts',
      from: "'>', ago(kept, now)",
      to: "'>', ago((kept ?? 0) / 2, now)",
      operations: ['createCategory'],
      during: 'bans and lengths of time',
      told: /^createCategory: a reply is not kept for 86400 seconds/,
    },
  ],
  [
    'takes a name twice in an object',
    {
      file: 'engine/requests/strict-json.ts',
      from: '...(names.has(name) ?',
      to: '...(false ?',
      operations: ['createCategory'],
      during: 'bans and lengths of time',
      told: /^createCategory: name twice is answered \d+ .*, and not 400/,
    },
  ],
  [
    'tells the preview of another secret',
    {
      file: 'handlers/api-keys.ts',
      from: '{ hash: stored(hashKey(secret)), preview: previewKey(secret) }',
      to: '{ hash: stored(hashKey(secret)), preview: previewKey(mintKey()) }',
      operations: ['rotateApiKey'],
      during: 'queries and sequences',
      told: /^rotateApiKey: the preview pet_live_.{4}… is of another secret/,
    },
  ],
])('the check finds a service that %s', async (_, broken) => {
  expect(await faultWith(broken)).toMatch(broken.told)
})

test('a fault comes with the fewest requests that show it', async () => {
  const told: string[] = []
  const broken = await copies.make(contractOf('', model), async directory => {
    const path = join(directory, 'store/orders.ts')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace("stock: eb('stock', '-', value('quantity')),", ''))
  })
  await checkContract({
    model,
    service: broken,
    database: database.db,
    seed: 1,
    now: new Date('2026-11-21T12:00:00Z'),
    only: { operations: new Set(['placeOrder']), limits: false, known: model },
    untilFault: true,
    onSteps: (_, steps, isAgain) => told.push(`${isAgain} ${steps}`),
  })
  expect(told.join()).toMatch(
    /^true 1\. POST .categories [\s\S]*2\. POST .pets [\s\S]*3\. POST .store.orders [\s\S]*quantity 1 and has 1, where/,
  )
  expect(told.join()).not.toContain('4. ')
})

test('the check finds nothing in the service as it is', async () => {
  const service = await copies.make(contractOf('', model), async () => {})
  expect(await check(service, ['getInventoryItem'])).toBe('')
})
