import { exec, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startOptions } from '../../scripts/start/options.ts'
import { dataDirectory } from '../../src/engine/test/support/data-directory.ts'
import { copyOfProject } from '../../src/engine/test/support/development.ts'
import { environment } from '../../src/engine/test/support/package.ts'
import { failToStart, type RunningServer, startProcess } from '../support/process.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-start-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('npm start without any setting', () => {
  test('npm start without any setting serves a sample store, keeps changes over restarts, and stops cleanly', async () => {
    const DATA_DIR = join(directory, 'data')
    const first = await startProcess({ DATA_DIR })
    const key = (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim()
    expect((await stat(join(DATA_DIR, 'api-key'))).mode & 0o777).toBe(0o600)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    expect((await fetch(`${first.url}/pets`)).status).toBe(401)
    const pets = (await (await fetch(`${first.url}/pets`, { headers })).json()) as object[] // the document says so
    expect(pets).toContainEqual({ id: 1, name: 'Rex', categoryId: 1, status: 'available' })
    const added = await fetch(`${first.url}/pets`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Luna', categoryId: 1 }),
    })
    expect(added.status).toBe(201)
    expect(await first.stop()).toBe(0)

    const second = await startProcess({ DATA_DIR })
    const found = await (await fetch(`${second.url}${added.headers.get('location')}`, { headers })).json()
    expect(found).toMatchObject({ name: 'Luna' })
    expect(await (await fetch(`${second.url}/pets`, { headers })).json()).toHaveLength(pets.length + 1)
    expect(await second.stop('SIGINT')).toBe(0)
  })

  test('npm start loses at most the last second of a day’s count when it is killed', async () => {
    const DATA_DIR = await dataDirectory(join(directory, 'killed'))
    const first = await startProcess({ DATA_DIR })
    const headers = { 'x-api-key': (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim() }
    for (let i = 0; i < 5; i++) await fetch(`${first.url}/pets`, { headers })
    await new Promise(resolve => setTimeout(resolve, 1500))
    await first.stop('SIGKILL')
    const second = await startProcess({ DATA_DIR })
    const usage = await (await fetch(`${second.url}/usage`, { headers })).json()
    expect(usage).toMatchObject({ windows: [{ remaining: 1000 }, { name: 'day', remaining: 99_995 }] })
    await second.stop()
  })
})

test.each(['start', 'run mock -- --port 0'])(
  'npm %s ends its server at SIGTERM in good order, and leaves the port free',
  async line => {
    const child = spawn('npm', line.split(' '), {
      env: environment({ PORT: '0', DATA_DIR: await dataDirectory(join(directory, 'npm')) }),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // so that what it may leave behind can be ended
    })
    onTestFinished(() => {
      if (child.pid !== undefined) execFile('kill', ['-KILL', '--', `-${child.pid}`], () => {})
    })
    let output = ''
    const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
    child.stdout.on('data', data => (output += data))
    const address = /(?:listening|operations of \S+) at (http:\/\/[\w.:]+)/
    await expect.poll(() => output).toMatch(address)
    const [, url = ''] = address.exec(output) ?? []
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
    if (line === 'start') await expect.poll(() => output).toContain('"msg":"stopped"')
  },
)

test('the first start after an installation finds all code compiled that it needs', async () => {
  const copy = await copyOfProject()
  // The copy has modules of its own, as compiled code is kept in there.
  const modules = join(copy, 'node_modules')
  await rm(modules)
  await mkdir(join(modules, '.cache'), { recursive: true })
  for (const name of await readdir('node_modules'))
    if (name !== '.cache')
      await symlink(
        name === 'spec-served' ? '../src/engine' : resolve('node_modules', name),
        join(modules, name),
      )
  await promisify(execFile)('node', ['scripts/prepare.ts'], { cwd: copy, env: { PATH: process.env.PATH } })
  const compiled = () => readdir(join(modules, '.cache/compiled'), { recursive: true })
  const before = await compiled()
  expect(before.length).toBeGreaterThan(1_000)
  const settings = { DATA_DIR: join(copy, 'data'), METRICS_PORT: '0', NODE_COMPILE_CACHE: '' }
  const server = await startProcess(settings, copy, startOptions())
  expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect((await compiled()).filter(name => !before.includes(name))).toEqual([])
  await rm(copy, { recursive: true })
})

describe('the log', () => {
  test('the log is JSON for programs, and says first where the docs are and where the key lies', async () => {
    const DATA_DIR = await dataDirectory(join(directory, 'json'))
    const server = await startProcess({ DATA_DIR, METRICS_PORT: '0' })
    const metrics = /(http:\/\/\S+\/metrics)/.exec(server.output())?.[1] ?? ''
    expect(await (await fetch(metrics)).text()).toContain('petstore_dependency_up{dependency="database"} 1')
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
    await server.stop()
    const lines = server
      .output()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).msg)
    expect(lines).toContain(
      `The docs are at ${server.url}/docs, the first API key is in ${join(DATA_DIR, 'api-key')}.`,
    )
    await expect(fetch(metrics)).rejects.toThrow()
  })

  test('the log has a line to paste into a shell, which calls the API', async () => {
    const DATA_DIR = await dataDirectory(join(directory, 'first-call'))
    const server = await startProcess({ DATA_DIR, LOG_FORMAT: 'pretty' })
    await expect.poll(() => server.output()).toMatch(/Try: curl/)
    const [, line = ''] = /Try: (curl .*)/.exec(server.output()) ?? []
    const { stdout } = await promisify(exec)(`${line} --silent`)
    await server.stop()
    expect(JSON.parse(stdout)[0]).toHaveProperty('name')
  })

  test('the log is for people if LOG_FORMAT says so, without any key', async () => {
    const DATA_DIR = await dataDirectory(join(directory, 'pretty'))
    const server = await startProcess({ DATA_DIR, LOG_FORMAT: 'pretty' })
    const key = (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim()
    await fetch(`${server.url}/pets?q=${key}`)
    await server.stop()
    expect(server.output()).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO.*request completed .*"status":401/m)
    expect(server.output()).not.toContain(key)
  })
})

test('a port for metrics that is in use is named by its setting', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'metrics-port'))
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo // of a server that listens on TCP
  const { code, output } = await failToStart({ DATA_DIR, METRICS_PORT: String(port), LOG_LEVEL: 'silent' })
  expect([code, output]).toEqual([1, expect.stringContaining('stop it, or set METRICS_PORT')])
  await new Promise(resolve => other.close(resolve))
})

test('a port in use is named: one line, exit code 1', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'port'))
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo // of a server that listens on TCP
  const { code, output } = await failToStart({ DATA_DIR, PORT: String(port), LOG_LEVEL: 'silent' })
  expect({ code, output }).toEqual({
    code: 1,
    output: `The service does not start: It can't listen on 127.0.0.1:${port}: another program listens there; stop it, or set PORT\n`,
  })
  await new Promise(resolve => other.close(resolve))
})

test('a limit of open files that is too low is named, with what to do', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'few-files'))
  const { PATH = '' } = process.env
  const started = promisify(execFile)('sh', ['-c', 'ulimit -n 40 && exec node src/main.js'], {
    env: { PATH, PORT: '0', DATA_DIR, LOG_LEVEL: 'silent' },
  })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The service does not start: EMFILE: .*open no more files: raise its limit .*ulimit -n.*\n$/,
    ),
  })
})

test('every fault of the configuration is reported, and nothing starts', async () => {
  const { code, output } = await failToStart({
    PORT: 'x',
    LOG_LEVEL: 'loud',
    DATA_DIR: join(directory, 'none'),
  })
  expect(code).toBe(1)
  expect(output).toContain('PORT must be')
  expect(output).toContain('LOG_LEVEL must be')
})

test('a file .env is read when there is one', async () => {
  const place = join(directory, 'dotenv')
  await mkdir(place)
  await symlink(resolve('src'), join(place, 'src'))
  await writeFile(join(place, '.env'), 'LOG_LEVEL=loud\nTRUST_PROXY=maybe\n')
  const { code, output } = await failToStart({ TRUST_PROXY: 'true' }, place)
  expect([code, output.includes('LOG_LEVEL must be'), output.includes('TRUST_PROXY')]).toEqual([
    1,
    true,
    false,
  ])
})

describe('a server that runs', () => {
  let DATA_DIR: string
  let server: RunningServer
  beforeAll(async () => {
    DATA_DIR = await dataDirectory(join(directory, 'running'))
    const hook = join(directory, 'loaded.mjs')
    await writeFile(
      hook,
      `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (/prometheus|pino-pretty|metrics|opentelemetry|traces.ts|src.cluster|fastify\\/fastify/.test(url)) console.log('loads ' + url); return next(url, context) } })
`,
    )
    server = await startProcess({ DATA_DIR, NODE_OPTIONS: `--import=${hook}` })
  })
  afterAll(() => server?.stop())

  test('a server has loaded nothing for metrics, traces, workers or a log for people unless asked', () => {
    expect(server.output()).toContain('loads file:')
    expect(server.output()).not.toMatch(
      /loads .*(prometheus|pino-pretty|metrics|opentelemetry|traces.ts|src.cluster)/,
    )
  })

  test('a server answers README’s first request', async () => {
    const readme = await readFile('README.md', 'utf8')
    const [, request = ''] = /```sh\n(curl .*\/pets\?.*)\n```/.exec(readme) ?? []
    const command = request
      .replace('data/api-key', join(DATA_DIR, 'api-key'))
      .replace('http://localhost:3000', server.url)
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} --silent`])
    expect(JSON.parse(stdout)).toEqual([{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }])
  })

  test('a server keeps others from its directory, with a clear message and exit code 1', async () => {
    const { code, output } = await failToStart({ DATA_DIR })
    expect(code).toBe(1)
    expect(output).toContain(`${DATA_DIR} is in use by another process (process ${server.child.pid})`)
    expect(output).not.toMatch(/^\s+at /m)
  })

  test('a server has the docs and the document, which names the server’s own origin', async () => {
    const page = await fetch(`${server.url}/docs`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const document = await (await fetch(`${server.url}/openapi.json`)).json()
    expect(document).toMatchObject({ servers: [{ variables: { base_url: { default: server.url } } }] })
    const yaml = await (await fetch(`${server.url}/openapi.yaml`)).text()
    expect(yaml).toContain(`default: ${server.url}`)
  })
})
