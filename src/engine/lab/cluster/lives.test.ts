import { spawn, spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from 'spec-served/internal/testing/temporary'
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../support/database.ts'
import { shared, sharedDirectory } from '../support/fixtures.ts'
import { createClient, listen } from '../support/http.ts'
import { failToStart } from '../support/petstore.ts'
import { ample, issueKey } from '../support/store.ts'
import { type ServerWithWorkers, startWorkers } from '../support/workers.ts'

const database = shared(freshPostgres)
const directory = sharedDirectory()
let url: string
let key: string
let server: ServerWithWorkers | undefined
beforeAll(async () => {
  url = database.config.url
  key = await issueKey(database.db, ample)
})
afterEach(async () => {
  await server?.stop('SIGTERM')
  server = undefined
})

/** Calls from several callers at once, on kept and on new connections, until it is told to end. */
function callOn(origin: string, callers: number) {
  const statuses: (number | string)[] = []
  let isOver = false
  const calling = Array.from({ length: callers }, async (_, caller) => {
    let client = createClient(origin, key)
    for (let turn = 0; !isOver; turn++) {
      if (caller % 2 === 0) {
        client.close()
        client = createClient(origin, key)
      }
      const sent =
        turn % 4 === 3
          ? client.send('POST', '/categories', { body: { name: `Kind ${crypto.randomUUID()}` } })
          : client.send('GET', '/pets?limit=5')
      statuses.push(await sent.then(({ status }) => status, String))
      await sleep(2)
    }
    client.close()
  })
  return {
    statuses,
    async end() {
      isOver = true
      await Promise.all(calling)
      return new Set(statuses)
    },
  }
}

test('SIGHUP replaces the workers one by one, and no request under load fails', async () => {
  server = await startWorkers({ DATABASE_URL: url })
  const before = server.workers()
  const load = callOn(server.url, 6)
  await sleep(300)
  server.child.kill('SIGHUP')
  await expect.poll(() => server?.output()).toContain('All workers are replaced')
  const count = load.statuses.length
  await expect.poll(() => load.statuses.length).toBeGreaterThan(count + 50)
  expect(await load.end()).toEqual(new Set([200, 201]))
  expect(before.filter(isAlive)).toEqual([])
  expect(server.workers()).toHaveLength(4)
  // Each of the new ones listened before the old one stopped.
  const steps = server.lines().flatMap(({ msg, pid }) => {
    if (msg.startsWith('Server listening')) return before.includes(pid) ? [] : 'new'
    return msg === 'stopped' ? 'old' : []
  })
  expect(steps).toEqual(['new', 'old', 'new', 'old'])
  // The signal to stop reaches the new ones, too, and nothing stays behind.
  expect(await server.stop()).toBe(0)
  expect(server.workers().filter(isAlive)).toEqual([])
})

test('signals that come during a replacement cause one more, whatever their number', async () => {
  server = await startWorkers({ DATABASE_URL: url })
  server.child.kill('SIGHUP')
  await expect.poll(() => server?.workers().length).toBeGreaterThan(2)
  for (let i = 0; i < 9; i++) {
    server.child.kill('SIGHUP')
    await sleep(20) // the system joins signals that nobody has taken yet
  }
  const done = () => server?.output().match(/All workers are replaced/g)?.length
  await expect.poll(done).toBe(2)
  await sleep(500)
  expect(server.output().match(/Replacing the workers one by one/g)).toHaveLength(2)
  expect(server.workers()).toHaveLength(6)
})

test('a killed worker is replaced, and its counts are not forgotten', async () => {
  server = await startWorkers({ DATABASE_URL: url, METRICS_PORT: '0' })
  const metrics = /(http:\/\/\S+\/metrics)/.exec(server.output())?.[1] ?? ''
  const counted = async () => {
    const text = await (await fetch(metrics)).text()
    const line = /^petstore_request_duration_seconds_count\{operation="listPets",status="2xx"\} (\d+)$/m
    const workers = /^petstore_workers (\d+)$/m
    return [line, workers].map(form => Number(form.exec(text)?.[1]))
  }
  for (let i = 0; i < 10; i++) {
    const { send, close } = createClient(server.url, key)
    expect((await send('GET', '/pets')).status).toBe(200)
    close()
  }
  expect(await counted()).toEqual([10, 2])
  const [first = 0] = server.workers()
  process.kill(first, 'SIGKILL')
  await expect.poll(() => server?.workers().length).toBe(3)
  await expect.poll(counted).toEqual([10, 2])
  expect(server.output()).toContain('A worker has ended (SIGKILL)')
  server.child.kill('SIGHUP')
  await expect.poll(() => server?.output()).toContain('All workers are replaced')
  expect(await counted()).toEqual([10, 2])
  // A stop ends those, too, that are being started.
  server.child.kill('SIGHUP')
  await sleep(50)
  expect(await server.stop()).toBe(0)
  expect(server.workers().filter(isAlive)).toEqual([])
})

test('workers that fall over again and again are restarted ever more rarely, and come back', async () => {
  const fault = join(directory, 'fault')
  const hook = join(directory, 'fault.mjs')
  await writeFile(
    hook,
    `import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
if (cluster.isWorker && existsSync(${JSON.stringify(fault)})) throw new Error('It falls over')
`,
  )
  server = await startWorkers({
    DATABASE_URL: url,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS} --import=${hook}`,
  })
  await writeFile(fault, '')
  // A server that can't be started replaces nothing.
  server.child.kill('SIGHUP')
  await expect.poll(() => server?.output()).toContain('A worker can’t be replaced')
  const [first = 0, second = 0] = server.workers()
  expect([first, second].map(isAlive)).toEqual([true, true])

  process.kill(first, 'SIGKILL')
  await expect.poll(() => server?.output()).toContain('Another worker is started in 2000 ms')
  const pauses = server.lines().flatMap(({ msg }) => /started in (\d+) ms/.exec(msg)?.[1] ?? [])
  expect(pauses).toEqual(['250', '500', '1000', '2000'])
  const { send, close } = createClient(server.url, key)
  expect((await send('GET', '/pets')).status).toBe(200)
  close()
  await rm(fault)
  await expect.poll(() => server?.workers().length).toBe(3)
})

test('a server that can’t start says why, once', async () => {
  const other = createServer()
  const port = await listen(other)
  const { code, output } = await failToStart({
    DATABASE_URL: url,
    WORKERS: '3',
    PORT: String(port),
  })
  expect(code).toBe(1)
  expect(output.split('another program listens there')).toHaveLength(2)
  await new Promise(resolve => other.close(resolve))
})

test('SIGUSR1 opens no debugger in the primary, nor in a worker', async () => {
  server = await startWorkers({ DATABASE_URL: url })
  server.child.kill('SIGUSR1')
  for (const worker of server.workers()) process.kill(worker, 'SIGUSR1')
  // Each of them has had the signal by the time that it stops.
  expect(await server.stop()).toBe(0)
  expect(server.output()).not.toContain('Debugger')
})

test.runIf(process.platform === 'linux' && spawnSync('script', ['--version']).status === 0)(
  'workers and their primary stop when their terminal closes',
  async () => {
    const env = {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      DATABASE_URL: url,
      WORKERS: '2',
      PORT: '0',
      LOG_FORMAT: 'json',
    }
    const terminal = spawn('script', ['-qfc', 'exec node src/main.js', '/dev/null'], { env })
    let output = ''
    terminal.stdout.on('data', data => (output += data))
    await expect.poll(() => output).toContain('2 workers serve')
    const pids = new Set([...output.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid)))
    onTestFinished(() => {
      for (const pid of [...pids].filter(isAlive)) process.kill(pid, 'SIGKILL')
    })
    expect([...pids].filter(isAlive)).toHaveLength(3)
    terminal.kill('SIGKILL')
    await expect.poll(() => [...pids].filter(isAlive)).toEqual([])
  },
)

test('workers end with a primary that is killed', async () => {
  server = await startWorkers({ DATABASE_URL: url })
  await server.stop('SIGKILL')
  await expect.poll(() => server?.workers().filter(isAlive)).toEqual([])
})
