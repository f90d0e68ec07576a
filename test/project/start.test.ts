import { exec, execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOptions } from '../../scripts/start/options.ts'
import { linkPackages } from '../support/copy.ts'
import { failToStart, startProcess } from '../support/process.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-start-'))
})
afterAll(() => rm(directory, { recursive: true }))

test('an older Node is told which one the service needs, and reads no file that it can’t', async () => {
  const older =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
  const { code, output } = await failToStart({}, '.', [
    `--import=data:text/javascript,${encodeURIComponent(older)}`,
  ])
  expect([code, output.trim()]).toEqual([
    2,
    'The service needs Node 24 or newer, and this is 20.20.2: `npm start` runs the one that `npm ci` has installed.',
  ])
})

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

test.each(['start', 'run mock -- --port 0'])(
  'npm %s ends its server at SIGTERM in good order, and leaves the port free',
  async line => {
    const child = spawn('npm', line.split(' '), {
      // npm finds the project by itself, and not by the variables of the npm that runs the tests.
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(directory, 'npm') },
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
  const copy = join(directory, 'copy')
  const parts = ['package.json', 'spec', 'migrations', 'scripts', 'src']
  await Promise.all(parts.map(part => cp(part, join(copy, part), { recursive: true })))
  linkPackages(copy)
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
  const env = { PATH: process.env.PATH, NODE_OPTIONS: process.env.NODE_OPTIONS }
  const install = (more = {}) => promisify(exec)(scripts.postinstall, { cwd: copy, env: { ...env, ...more } })
  const failed = await install({ TMPDIR: join(copy, 'nowhere') })
  expect(failed.stderr).toMatch(/^The database is left to the first start: .*ENOENT/m)
  expect(failed.stderr).toMatch(/^The first start takes longer, as it was not prepared: ENOENT/m)
  expect(await install()).toEqual({
    stdout: expect.stringMatching(/^Preparing the first start, .*\nPrepared in \d+ s\.\n$/),
    stderr: '',
  })
  const compiled = () => readdir(join(copy, 'node_modules/.cache/compiled'), { recursive: true })
  const before = await compiled()
  expect(before.length).toBeGreaterThan(1_000)
  const settings = { DATA_DIR: join(copy, 'data'), METRICS_PORT: '0', NODE_COMPILE_CACHE: '' }
  const server = await startProcess(settings, copy, startOptions())
  expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect((await compiled()).filter(name => !before.includes(name))).toEqual([])
})

test('the log has a line to paste into a shell, which calls the API', async () => {
  const DATA_DIR = join(directory, 'first-call')
  const server = await startProcess({ DATA_DIR, LOG_FORMAT: 'pretty' })
  await expect.poll(() => server.output()).toMatch(/Try: curl/)
  const [, line = ''] = /Try: (curl .*)/.exec(server.output()) ?? []
  const { stdout } = await promisify(exec)(`${line} --silent`)
  await server.stop()
  expect(JSON.parse(stdout)[0]).toHaveProperty('name')
})

test('a server answers README’s first request', async () => {
  const DATA_DIR = join(directory, 'first-request')
  const server = await startProcess({ DATA_DIR })
  const readme = await readFile('README.md', 'utf8')
  const [, request = ''] = /```sh\n(curl .*\/pets\?.*)\n```/.exec(readme) ?? []
  const command = request
    .replace('data/api-key', join(DATA_DIR, 'api-key'))
    .replace('http://localhost:3000', server.url)
  const { stdout } = await promisify(execFile)('bash', ['-c', `${command} --silent`])
  await server.stop()
  expect(JSON.parse(stdout)).toEqual([{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }])
})
