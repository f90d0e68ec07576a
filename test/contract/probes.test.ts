import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCoverage } from '../../scripts/contract/coverage.ts'
import { type Endpoint, readInterface } from '../../scripts/contract/interface.ts'
import { probeAdministrators } from '../../scripts/contract/probes/administrators.ts'
import { probeBodies } from '../../scripts/contract/probes/bodies.ts'
import { probeCosts } from '../../scripts/contract/probes/costs.ts'
import { probeCredentials } from '../../scripts/contract/probes/credentials.ts'
import { probeEntitlements } from '../../scripts/contract/probes/entitlements.ts'
import { probeHealth } from '../../scripts/contract/probes/health.ts'
import { probeHindrances } from '../../scripts/contract/probes/hindrances.ts'
import { probeLifecycle } from '../../scripts/contract/probes/lifecycle.ts'
import { probeLifetimes } from '../../scripts/contract/probes/lifetimes.ts'
import { probeMethods } from '../../scripts/contract/probes/methods.ts'
import { probeVersions } from '../../scripts/contract/probes/preconditions.ts'
import { probeQueries } from '../../scripts/contract/probes/queries.ts'
import { probeRefusals } from '../../scripts/contract/probes/refusals.ts'
import { probeRetries } from '../../scripts/contract/probes/retries.ts'
import { probeTargets } from '../../scripts/contract/probes/targets.ts'
import { probeTogether } from '../../scripts/contract/probes/together.ts'
import { probeUnique } from '../../scripts/contract/probes/unique.ts'
import { createReport, type Report } from '../../scripts/contract/report.ts'
import { openSession, type Session } from '../../scripts/contract/session.ts'
import { openWorld } from '../../scripts/contract/world.ts'
import { type OpenDatabase, openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import { contractOf } from '../../src/engine/contract.ts'
import { type Copies, openCopies } from '../support/copies.ts'
import { ownModel } from '../support/model.ts'

const model = await ownModel()
let database: OpenDatabase
let copies: Copies
beforeAll(async () => {
  database = await openDatabase({ kind: 'embedded', dataDir: null })
  await migrateToLatest(database.db)
  copies = await openCopies()
})
afterAll(async () => {
  await copies.close()
  await database.close()
})

type Probe = (session: Session, endpoints: readonly Endpoint[], report: Report) => Promise<void>
const ofAll =
  (probe: (session: Session, report: Report) => Promise<void>): Probe =>
  (session, _, report) =>
    probe(session, report)
const ofEach =
  (probe: (session: Session, endpoint: Endpoint, report: Report) => Promise<void>): Probe =>
  async (session, endpoints, report) => {
    for (const endpoint of endpoints) await probe(session, endpoint, report)
  }

interface Break {
  file: string
  from: string
  to: string
  probe: Probe
  /** absent: all */
  operations?: string[]
  alone?: boolean
  /** the first identifier of each kind of records */
  firstId?: number
  told: RegExp
}

/** What one probe tells of a service with one line of its code changed. */
async function toldOf({ file, from, to, probe, operations, alone, firstId }: Break): Promise<string[]> {
  const broken = await copies.make(contractOf('', model), async directory => {
    const path = join(directory, file)
    const text = await readFile(path, 'utf8')
    expect(text.split(from), `${file} has the line once`).toHaveLength(2)
    await writeFile(path, text.replace(from, to))
  })
  const contract = readInterface(model)
  const world = await openWorld(broken, database.db, new Date('2026-11-21T12:00:00Z'), {
    ...(firstId !== undefined && { firstId }),
  })
  try {
    const session = await openSession(contract, world, 1, createCoverage(contract), {
      alone: alone === true,
    })
    const report = createReport()
    const some = contract.endpoints.filter(({ id }) => operations?.includes(id) ?? true)
    await report.attempt(() => probe(session, some, report))
    return report.faults.map(({ operation, message }) => `${operation}: ${message}`)
  } finally {
    await world.close()
  }
}

test.each<[string, Break]>([
  [
    'takes a request with two Hosts',
    {
      file: 'engine/routes/target.ts',
      from: 'if (hosts > 1)',
      to: 'if (hosts > 2)',
      probe: ofAll(probeTargets),
      told: /a request with Host twice is answered 200 , and not 400 invalid_request/,
    },
  ],
  [
    'refuses OPTIONS',
    {
      file: 'engine/plugins/not-found.ts',
      from: "if (method !== 'OPTIONS')",
      to: "if (method !== 'OPTIONS' || methods.length === 1)",
      probe: ofAll(probeMethods),
      told: /OPTIONS \/pets\/batch is answered 405 method_not_allowed/,
    },
  ],
  [
    'stays unavailable when its database is back',
    {
      file: 'store/health.ts',
      from: '    isDoubtful = false\n',
      to: '    if (isDoubtful) throw new Error()\n',
      probe: probeHealth,
      operations: ['getHealth'],
      told: /when its database is back, it is told unavailable, and it is ok/,
    },
  ],
  [
    'counts disabled keys among those that administer',
    {
      file: 'store/api-keys.ts',
      from: "!scopes.includes('admin') || disabled ||",
      to: "!scopes.includes('admin') ||",
      probe: ofAll(probeAdministrators),
      alone: true,
      told: /and not last_admin_key \[some credential can always administer the others/,
    },
  ],
  [
    'keeps the limits of the plan before',
    {
      file: 'handlers/api-keys.ts',
      from: '  await keyChanged(path.keyId)\n  return { status: 200, body: toApiKey(outcome, tools) }',
      to: '  return { status: 200, body: toApiKey(outcome, tools) }',
      probe: ofAll(probeEntitlements),
      told: /with the plan Pro it is told "minute";q=60;w=60,"day";q=1000;w=86400, and not/,
    },
  ],
  [
    'counts no request to an unknown path',
    {
      file: 'engine/plugins/authentication.ts',
      from: 'return facts ? facts.quotaFree && !isGuess(request) : !isUnknown(request)',
      to: 'return facts ? facts.quotaFree && !isGuess(request) : true',
      probe: ofAll(probeCosts),
      told: /a path without an operation .* costs a key 0 and 0 of the windows, and not 1/,
    },
  ],
  [
    'makes one order of several that come at once',
    {
      file: 'store/orders.ts',
      from: 'const [row] = await placement.rows(db, {}, values)\n  return row',
      to: 'Reflect.set(placement, order.petId, Reflect.get(placement, order.petId) ?? placement.rows(db, {}, values))\n  return (await Reflect.get(placement, order.petId))[0]',
      probe: probeTogether,
      operations: ['placeOrder'],
      told: /of 5 at once [2-5] are taken, which make 1 records/,
    },
  ],
  [
    'takes a name that differs in case alone',
    {
      file: 'store/categories.ts',
      from: '.values({ name, name_key: foldName(name),',
      to: '.values({ name, name_key: name,',
      probe: probeUnique,
      operations: ['createCategory'],
      told: /the name of another in other letters is answered 201 , and not 409 category_name_taken/,
    },
  ],
  [
    'reads bodies that are no UTF-8',
    {
      file: 'engine/requests/bodies.ts',
      from: "const text = utf8(bytes)\n  if (text === undefined) throw malformed('is not UTF-8')\n  if (text.trim()",
      to: "const text = bytes.toString()\n  if (text === undefined) throw malformed('is not UTF-8')\n  if (text.trim()",
      probe: ofEach(probeBodies),
      operations: ['createCategory'],
      told: /a body with a byte that no UTF-8 has is read as one with/,
    },
  ],
  [
    'takes the version of an animal for that of its stock',
    {
      file: 'store/pets.ts',
      from: "where('stock_version', '=', anyOf(",
      to: "where('version', '=', anyOf(",
      probe: ofEach(probeVersions),
      operations: ['updateInventory'],
      told: /the present version "2", after 1 changes, is refused/,
    },
  ],
  [
    'finds nothing where something is in use',
    {
      file: 'handlers/categories.ts',
      from: "return refusal('category_in_use',",
      to: "return noCategory(path.categoryId) ?? refusal('category_in_use',",
      probe: probeRefusals,
      operations: ['deleteCategory'],
      told: /nothing is found at \/categories\/\{categoryId\}, and yet GET .* is answered 200 \[what is not found/,
    },
  ],
  [
    'lets a replaced secret in although its key is disabled',
    {
      file: 'store/key-cache.ts',
      from: 'const [hash, { id }] of keys.entries()) if (ids.includes(id))',
      to: 'const [hash, { id, hash: own }] of keys.entries()) if (ids.includes(id) && own === hash)',
      probe: ofAll(probeCredentials),
      told: /a credential that is disabled, with two secrets, is answered 200/,
    },
  ],
  [
    'keeps the secret before where one is replaced at once',
    {
      file: 'store/api-keys.ts',
      from: "previous_hash: previousExpiresAt && eb.ref('hash'),\n      previous_expires_at: previousExpiresAt,",
      to: "...(previousExpiresAt && { previous_hash: eb.ref('hash'), previous_expires_at: previousExpiresAt }),",
      probe: ofAll(probeCredentials),
      told: /a credential that was replaced at once, or before is answered 200/,
    },
  ],
  [
    'goes on with the secret before where its replacement may be repeated',
    {
      file: 'engine/execution.ts',
      from: 'await Promise.all([...changed].map(keyChanged))',
      to: '',
      probe: ofAll(probeCredentials),
      told: /a credential that was replaced twice is answered 200/,
    },
  ],
  [
    'tells the first use of a key as its last',
    {
      file: 'store/key-cache.ts',
      from: 'merge: (_, later) => later',
      to: 'merge: earlier => earlier',
      probe: ofAll(probeCredentials),
      told: /lastUsedAt is 2026-11-21T12:05:00.000Z, and it was 2026-11-21T12:07:01.000Z/,
    },
  ],
  [
    'tells no more the calls that it has told',
    {
      file: 'store/deprecated-calls.ts',
      from: "calls: eb('deprecated_calls.calls', '+', eb.ref('excluded.calls'))",
      to: "calls: eb.ref('excluded.calls')",
      probe: probeLifetimes,
      operations: ['getUsage'],
      told: /after 2 calls of getPet, deprecated is .*"calls":1/,
    },
  ],
  [
    'goes by the beginning of an Idempotency-Key',
    {
      file: 'engine/execution.ts',
      from: 'key: key.replace(/^"(.*)"$/, \'$1\'),',
      to: 'key: key.replace(/^"(.*)"$/, \'$1\').slice(0, 64),',
      probe: ofEach(probeRetries),
      operations: ['createCategory'],
      told: /an Idempotency-Key that ends otherwise, or in another case, counts/,
    },
  ],
  [
    'answers HEAD after the end of its operation',
    {
      file: 'engine/plugins/lifecycle.ts',
      from: '    refuseAfterSunset(id, own, now())',
      to: "    if (request.method !== 'HEAD') refuseAfterSunset(id, own, now())",
      probe: probeLifecycle,
      operations: ['getPet'],
      told: /HEAD is answered 200 from its sunset date on/,
    },
  ],
  [
    'reads cursors as numbers of 32 bits',
    {
      file: 'store/orders.ts',
      from: "where('id', '>', value('lastId'))",
      to: "where('id', '>', eb => eb.cast<number>(value('lastId'), 'integer'))",
      probe: probeQueries,
      operations: ['listOrders'],
      firstId: 2 ** 32 - 20,
      told: /value "\d+" is out of range for type integer/,
    },
  ],
  [
    'lets fulfilled orders hold an animal',
    {
      file: 'store/pets.ts',
      from: ".where('open_orders', '=', 0)",
      to: ".where('open_orders', '=', 0).where(eb => eb.not(eb.exists(eb.selectFrom('orders').whereRef('pet_id', '=', 'pets.id'))))",
      probe: probeHindrances,
      operations: ['deletePet'],
      told: /it is answered 409 although no record of listOrders hinders it/,
    },
  ],
  [
    'has an animal sold while an order for it is open',
    {
      file: 'store/pets.ts',
      from: "when('open_orders', '>', 0)",
      to: "when('open_orders', '>', 1)",
      probe: probeHindrances,
      operations: ['updateInventory'],
      told: /had status "pending" and has "sold"/,
    },
  ],
  [
    'leaves the version of an order that loses its animal',
    {
      file: 'store/pets.ts',
      from: "set(eb => ({ pet_id: null, version: eb('orders.version', '+', 1) }))",
      to: 'set(() => ({ pet_id: null }))',
      probe: probeHindrances,
      operations: ['deletePet'],
      told: /GET \/store\/orders\/1 has the ETag "2" for two contents/,
    },
  ],
])('the check sees that a service %s', async (_, broken) => {
  expect(await toldOf(broken)).toContainEqual(expect.stringMatching(broken.told))
})
