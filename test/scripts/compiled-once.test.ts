import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RequestTemplate, startLoadGenerator } from '../../scripts/bench/load.ts'
import { type RunningServer, startProcess } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** How often a function may turn out to be compiled for what it is not given; each is so a few times as it warms up. */
const most = 10

/** So many requests show it. */
const enough = 1_000

const directory = temporaryDirectory()
const log = join(directory, 'v8.log')
const load = startLoadGenerator()
let server: RunningServer
let headers: Record<string, string>

beforeAll(async () => {
  const data = join(directory, 'data')
  server = await startProcess({ DATA_DIR: data, LOG_LEVEL: 'info', MAX_WAIT_MS: '10000' }, '.', [
    '--log-deopt',
    '--no-logfile-per-isolate',
    `--logfile=${log}`,
  ])
  const admin = (await readFile(join(data, 'api-key'), 'utf8')).trim()
  const quotas = { minute: 1_000_000, day: 1_000_000 }
  const made = await fetch(`${server.url}/api-keys`, {
    method: 'POST',
    headers: { 'X-API-Key': admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Load', plan: 'Enterprise', quotas, scopes: ['read', 'write'] }),
  })
  const { secret } = (await made.json()) as { secret: string } // the document says so
  headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' }
}, 60_000)

afterAll(async () => {
  load.stop()
  await server.stop()
  await rm(directory, { recursive: true })
})

/** The functions that were thrown away, with how often, by where they gave way. */
async function thrownAway(): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    const [, place] = /^code-deopt,.*<([^>]+)>/.exec(line) ?? []
    if (place) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return counts
}

const pet = JSON.stringify({ name: 'Rex', categoryId: 1 })
const requests: [string, number, RequestTemplate][] = [
  ['reads', 200, { method: 'GET', path: '/pets/{id}', ids: [1, 3] }],
  ['lists', 200, { method: 'GET', path: '/pets?limit=3&status=available' }],
  ['creates', 201, { method: 'POST', path: '/pets', body: pet }],
  [
    'changes',
    200,
    { method: 'PATCH', path: '/pets/{id}', ids: [1, 3], body: JSON.stringify({ name: 'Rex' }) },
  ],
  ['refusals', 400, { method: 'GET', path: '/pets/none' }],
  ['what is not there', 404, { method: 'GET', path: '/pets/{id}', ids: [1_000_000, 2_000_000] }],
]

test.each(requests)('%s do not make V8 compile the same again and again', async (_, status, request) => {
  const before = await thrownAway()
  const task = {
    port: Number(new URL(server.url).port),
    connections: 16,
    seconds: 3,
    request: { ...request, headers },
  }
  for (let answered = 0; answered <= enough; ) {
    const result = await load.run(task)
    answered += result.answered
    expect(Object.keys(result.statuses)).toEqual([String(status)])
  }
  const often = [...(await thrownAway())].filter(([place, count]) => count - (before.get(place) ?? 0) > most)
  expect(often).toEqual([])
})
