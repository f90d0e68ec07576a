import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { listen } from 'spec-served-lab/support/http'
import { failToStart, type RunningServer, startProcess } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const directory = sharedDirectory()

test('a server loses at most the last second of a day’s count when it is killed', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'killed'))
  const first = await startProcess({ DATA_DIR })
  const headers = { 'x-api-key': (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim() }
  for (let i = 0; i < 5; i++) await fetch(`${first.url}/pets`, { headers })
  await new Promise(done => setTimeout(done, 1500))
  await first.stop('SIGKILL')
  const second = await startProcess({ DATA_DIR })
  const usage = await (await fetch(`${second.url}/usage`, { headers })).json()
  expect(usage).toMatchObject({ windows: [{ remaining: 1000 }, { name: 'day', remaining: 99_995 }] })
  await second.stop()
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
  const port = await listen(other)
  const { code, output } = await failToStart({ DATA_DIR, METRICS_PORT: String(port), LOG_LEVEL: 'silent' })
  expect([code, output]).toEqual([1, expect.stringContaining('stop it, or set METRICS_PORT')])
  await new Promise(done => other.close(done))
})

test('a port in use is named: one line, exit code 1', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'port'))
  const other = createServer()
  const port = await listen(other)
  const { code, output } = await failToStart({ DATA_DIR, PORT: String(port), LOG_LEVEL: 'silent' })
  expect({ code, output }).toEqual({
    code: 1,
    output: `The service does not start: It can't listen on 127.0.0.1:${port}: another program listens there; stop it, or set PORT\n`,
  })
  const empty = join(directory, 'never-made')
  expect((await failToStart({ DATA_DIR: empty, PORT: String(port) })).code).toBe(1)
  expect(existsSync(empty)).toBe(false)
  await new Promise(done => other.close(done))
})

test('a limit of open files that is too low is named, with what to do', async () => {
  const DATA_DIR = await dataDirectory(join(directory, 'few-files'))
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  const started = promisify(execFile)('sh', ['-c', 'ulimit -n 40 && exec node src/main.js'], {
    env: { PATH, NODE_OPTIONS, PORT: '0', DATA_DIR, LOG_LEVEL: 'silent' },
  })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The service does not start: EMFILE: .*open no more files: raise its limit .*ulimit -n.*\n$/,
    ),
  })
})

test.each([
  ['the pet store', 'src/main.js'],
  ['a project that init makes', 'src/engine/lab/lending/src/main.ts'],
])('a file that %s lacks is named in one line, with what to do', async (_, main) => {
  const place = join(directory, basename(main))
  await mkdir(join(place, 'src'), { recursive: true })
  await symlink(resolve('node_modules'), join(place, 'node_modules'))
  await writeFile(join(place, 'package.json'), '{ "type": "module" }')
  await cp('src/compile-cache.js', join(place, 'src/compile-cache.js'))
  await cp(main, join(place, 'src', basename(main)))
  await writeFile(join(place, 'src/server.ts'), "import './handlers/books.ts'\nexport default {}\n")
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  const started = promisify(execFile)('node', [join('src', basename(main))], {
    cwd: place,
    env: { PATH, NODE_OPTIONS },
  })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The service does not start: src\/handlers\/books\.ts is missing, which src\/server\.ts imports: restore it, .*\n$/,
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
    server = await startProcess({ DATA_DIR })
  })
  afterAll(() => server?.stop())

  test('a server has loaded nothing for metrics, traces, workers or a log for people unless asked', async () => {
    const NODE_V8_COVERAGE = join(directory, 'coverage') // Node lists there all that a process has loaded
    const measured = await startProcess({
      DATA_DIR: await dataDirectory(join(directory, 'listed')),
      NODE_V8_COVERAGE,
    })
    await measured.stop()
    const lists = await Promise.all(
      (await readdir(NODE_V8_COVERAGE)).map(name => readFile(join(NODE_V8_COVERAGE, name), 'utf8')),
    )
    const loaded: string[] = lists.flatMap(list =>
      JSON.parse(list).result.map(({ url }: { url: string }) => url),
    )
    expect(loaded).toContainEqual(expect.stringMatching(/fastify\/fastify\.js$/))
    const unasked = /prometheus|pino-pretty|metrics|opentelemetry|traces\.ts|src.cluster/
    expect(loaded.filter(url => unasked.test(url))).toEqual([])
  })

  test('a server keeps others from its directory, with a clear message and exit code 1', async () => {
    const { code, output } = await failToStart({ DATA_DIR })
    expect(code).toBe(1)
    expect(output).toContain(`${DATA_DIR} is in use by another process (process ${server.child.pid})`)
    expect(output).not.toMatch(/^\s+at /m)
  })
})

test('an issuer of tokens that can’t be read from the start is named in the log', async () => {
  const TOKEN_ISSUER = 'http://127.0.0.1:1'
  const server = await startProcess({
    DATA_DIR: directory,
    TOKEN_ISSUER,
    TOKEN_AUDIENCE: 'a',
    LOG_FORMAT: 'json',
  })
  await expect.poll(server.output).toContain('The keys of the issuer of tokens can’t be read.')
  const lines = server
    .output()
    .split('\n')
    .filter(line => line.includes('issuer of tokens'))
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, issuer: TOKEN_ISSUER })
  await server.stop()
})
