import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { ownModel } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabase } from '../../check/empty-database.ts'
import type { ServiceName } from '../../check/probes.ts'
import { beforeSunsets, checkContract } from '../../check/service.ts'
import { type Built, builtBy, openStarted } from '../../check/world.ts'
import { contractOf } from '../../generate/contract.ts'

const model = await ownModel()
const now = new Date('2026-11-21T12:00:00Z')
let database: Awaited<ReturnType<typeof emptyDatabase>>
beforeAll(async () => {
  database = await emptyDatabase(service)
})
afterAll(() => database.close())

const own = builtBy(service, contractOf('', model))

/** The service with hooks that spoil its replies. */
const serviceWith = (spoil: (app: FastifyInstance) => void): Built => ({
  ...own,
  buildServer: (contract, resources, options) =>
    own.buildServer(contract, resources, {
      ...options,
      prepare(app) {
        options?.prepare?.(app)
        spoil(app)
      },
    }),
})

/** Returns the faults that the check finds in a service, and the requests that show them. */
async function check(built: Built, operation: string, during?: ServiceName) {
  const steps: string[] = []
  const { faults } = await checkContract({
    model,
    open: setting => openStarted(built, database.db, beforeSunsets(model, now), setting),
    seed: 1,
    only: { operations: new Set([operation]), limits: false, seen: model },
    ...(during !== undefined && { services: [during] }),
    untilFault: true,
    onSteps: (_, shown) => steps.push(shown),
  })
  return { told: faults.map(fault => `${fault.operation}: ${fault.message}`).join(), steps: steps.join('\n') }
}

let servers = 0

/** Changes the reply of an operation. */
const reply = (id: string, change: (payload: Record<string, unknown>) => unknown) => (app: FastifyInstance) =>
  app.addHook('preSerialization', async ({ routeOptions }, { statusCode }, payload) =>
    routeOptions.config.operationId === id && statusCode < 300
      ? change(payload as Record<string, unknown>) // the operations below answer with objects
      : payload,
  )

/** Changes the input of an operation before its handler gets it. */
const input =
  (id: string, change: (query: Record<string, unknown>, body: Record<string, unknown>) => void) =>
  (app: FastifyInstance) =>
    app.addHook('preHandler', async ({ routeOptions, query, body }) => {
      if (routeOptions.config.operationId !== id) return
      change(query as Record<string, unknown>, body as Record<string, unknown>) // validated by now
    })

test.each<[string, (app: FastifyInstance) => void, string, ServiceName | undefined, RegExp]>([
  [
    'returns a property that the document does not have',
    reply('getPet', pet => ({ ...pet, colour: 'brown' })),
    'getPet',
    undefined,
    /body\/colour is not known/,
  ],
  [
    'answers with a status that the document does not have',
    app =>
      app.addHook('preSerialization', async ({ routeOptions }, answer, payload) => {
        if (routeOptions.config.operationId === 'createCategory' && answer.statusCode === 201)
          answer.code(202)
        return payload
      }),
    'createCategory',
    undefined,
    /createCategory does not declare the status 202/,
  ],
  [
    'lacks a header field that the document promises',
    app =>
      app.addHook('preSerialization', async ({ routeOptions }, answer, payload) => {
        if (routeOptions.config.operationId === 'createCategory') answer.removeHeader('location')
        return payload
      }),
    'createCategory',
    undefined,
    /[Ll]ocation/,
  ],
  [
    'ignores a filter',
    input('listPets', query => {
      delete query.status
    }),
    'listPets',
    'queries and sequences',
    /^listPets: the query parameter status has no meaning that explains its replies/,
  ],
  [
    'loses one of two changes that come at once',
    app =>
      app.addHook('preHandler', async ({ routeOptions, params, body }) => {
        if (routeOptions.config.operationId !== 'updateCategory') return
        const { categoryId } = params as { categoryId: number } // validated by now
        const table = database.db.withTables<{ categories: { id: number; name: string } }>()
        const before = await table
          .selectFrom('categories')
          .select('name')
          .where('id', '=', categoryId)
          .executeTakeFirst()
        await sleep(20)
        Object.assign(body as object, { ...before, ...(body as object) }) // an object, as validated
      }),
    'updateCategory',
    'at once',
    /^updateCategory: as two properties are changed at once, name stays what it was/,
  ],
  [
    'carries a repeated request out at each of two servers',
    app => {
      const server = ++servers
      app.addHook('onRequest', async ({ headers }) => {
        if (headers['idempotency-key']) headers['idempotency-key'] += ` at ${server}`
      })
    },
    'createPet',
    'at once',
    /^createPet: of 5 at once with one key at two servers it makes 2 records/,
  ],
])('the check finds a service that %s', async (_, spoil, operation, during, told) => {
  expect((await check(serviceWith(spoil), operation, during)).told).toMatch(told)
})

test('a fault comes with the requests that show it', async () => {
  const ordersOne = input('placeOrder', (_, body) => {
    body.quantity = 1
  })
  const { told, steps } = await check(serviceWith(ordersOne), 'placeOrder')
  expect(told).toMatch(/^placeOrder: /)
  expect(steps).toMatch(/-X POST .*.store.orders/)
})

test('the check finds nothing in the service as it is', async () => {
  expect(
    await check(
      serviceWith(() => {}),
      'getInventoryItem',
    ),
  ).toEqual({ told: '', steps: '' })
})

const temporary = sharedDirectory()

// As root, PostgreSQL runs as another user, which this directory keeps out.
test.runIf(process.getuid?.() === 0)(
  'a check whose PostgreSQL can’t start says why and ends, and does not look at the rest first',
  async () => {
    await chmod(temporary, 0o700)
    const { PATH = '', NODE_OPTIONS = '' } = process.env
    const options = { env: { PATH, NODE_OPTIONS, TMPDIR: temporary }, timeout: 290_000 }
    const told = await new Promise(done =>
      execFile('node', ['src/engine/service/cli.js', 'check:contract'], options, (error, _, stderr) =>
        done({ code: error?.code, stderr }),
      ),
    )
    expect(told).toEqual({ code: 1, stderr: expect.stringContaining('Permission denied') })
  },
)
