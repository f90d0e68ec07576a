import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Given, listed } from 'spec-served/internal/command/arguments'
import { built, emptyFolder, pack, retriesSoon, serving, shell } from '../support/package.ts'

/** The project, as its team keeps it. */
const library = 'src/engine/lab/lending'

/** A package manager: its install, without the packages for development and with all. */
interface Manager {
  name: string
  program: string
  without: string
  whole: string
  /** what stands before the options of a script */
  further: string
}

type Env = Record<string, string>

/** Runs the steps of a team with each package manager, side by side. */
export async function run({ keep, only }: { keep: boolean } & Given<'only'>): Promise<number> {
  const chosen = listed('only', only, ['npm', 'pnpm'])
  const root = emptyFolder()
  console.log(`In ${root}`)
  // Nothing of the repository is found by its name: neither its programs, nor what a package manager has kept elsewhere.
  const inPath = (process.env.PATH ?? '').split(delimiter).filter(path => !path.endsWith('node_modules/.bin'))
  const env: Env = {
    PATH: [dirname(process.execPath), ...inPath].join(delimiter),
    ...Object.fromEntries(
      ['DATA', 'CACHE', 'STATE', 'CONFIG'].map(kind => [`XDG_${kind}_HOME`, join(root, 'home')]),
    ),
    CARD_SECRET: 'the secret of the cards, of 32 bytes or more',
  }
  let packed: string | undefined
  try {
    packed = await built()
    const tell = tellerOf('packages', env)
    // The npm that runs this has a configuration that no other program reads. Where its certificates are needed, pnpm never ends
    // without them.
    const { npm_node_execpath: node = 'node', npm_execpath: npm = '--version' } = process.env
    const certificates = (await tell(`"${node}" "${npm}" config get cafile`, packed)).trim()
    if (existsSync(certificates)) env.NODE_EXTRA_CA_CERTS = process.env.NODE_EXTRA_CA_CERTS ?? certificates
    const files = await pack(packed)
    const quiet = `--no-audit --no-fund --prefer-offline ${retriesSoon}`
    const managers: Manager[] = [
      {
        ...{ name: 'npm', program: 'npm', further: '--' },
        without: `install --omit=dev ${quiet}`,
        whole: `install --include=dev ${quiet}`,
      },
      {
        ...{ name: 'pnpm', program: resolve('node_modules/.bin/pnpm'), further: '' },
        without: `install --prod ${retriesSoon}`,
        whole: `install ${retriesSoon}`,
      },
    ]
    const runs = await Promise.allSettled(
      managers
        .filter(({ name }) => chosen.includes(name))
        .map(one => follow(one, join(root, one.name), files, env)),
    )
    const failures = runs.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    for (const failure of failures) console.error(failure)
    return failures.length === 0 ? 0 : 1
  } finally {
    if (!keep) for (const one of [root, packed ?? root]) await rm(one, { recursive: true, force: true })
  }
}

/**
 * How long an installation may take before it begins again, in ms. pnpm 10 can wait for ever, with neither a connection nor a
 * timer of its own. What it has downloaded stays.
 */
const tries = [40_000, 120_000]

/** Returns a function that runs a line, says how long it took, and returns its output. It throws what differs from the code. */
function tellerOf(who: string, env: Env) {
  return async (line: string, folder: string, due = 0, more: Env = {}): Promise<string> => {
    const begun = performance.now()
    const isInstallation = line.includes(retriesSoon)
    const given = isInstallation ? `exec ${line}` : line // what is ended is the program, not the shell
    const { code, output } = await inTime(isInstallation ? tries : [], within =>
      shell(given, folder, { ...env, ...more }, within),
    )
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
    const shown = line.replace(/^\S+\//, '').replace(` ${retriesSoon}`, '')
    console.log(`${who}: ${shown}: ${code === due ? 'ok' : 'FAILED'}, ${seconds} s`)
    if (code !== due) throw new Error(`${who}: ${line} ended with ${code}\n${output}`)
    return output
  }
}

/** Runs a line, and again if it takes too long. */
async function inTime(most: readonly number[], runWithin: (ms?: number) => ReturnType<typeof shell>) {
  for (const ms of most) {
    const ended = await runWithin(ms)
    if (!ended.isLate) return ended
    console.log(`An installation had no end within ${ms / 1_000} s, and begins again.`)
  }
  return runWithin()
}

/**
 * Works with the library as its team does.
 * @param files the packed packages, by their names
 * @throws Error at the first step that fails
 */
async function follow(
  manager: Manager,
  folder: string,
  files: Readonly<Record<string, string>>,
  env: Env,
): Promise<void> {
  const { name, program, without, whole, further } = manager
  const carryOut = tellerOf(name, env)
  const step = (line: string, due?: number) => carryOut(`${program} ${line}`, folder, due)
  await cp(library, folder, { recursive: true, filter: path => !/\/(node_modules|data)$/.test(path) })
  await usePacked(join(folder, 'package.json'), files)

  await step(without)
  assert.match(await step('run release', 2), /npm install --save-dev spec-served-cli/)
  assert.match(await step('run keys list'), /pet|key/i)
  await step('test')
  await serve(async (url, key) => {
    const headers = { 'x-library-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Emma', form: { kind: 'print', pages: 474 } })
    assert.equal((await fetch(`${url}/v1/books`, { method: 'POST', headers, body })).status, 201)
  })

  await step(whole)
  await step('run check')
  await step('run release')
  assert.ok((await readdir(join(folder, 'spec/released'))).includes('0.1.0.yaml'))
  await step(`run client ${further} --out client`)
  await writeFile(join(folder, 'call.js'), call)
  await serve(async (url, key) =>
    assert.equal(await carryOut('node call.js', folder, 0, { URL: url, KEY: key }), 'Emma\n'),
  )
  const agent = new Client({ name: 'agent', version: '1' })
  const args = ['run', '--silent', 'mcp']
  await agent.connect(new StdioClientTransport({ command: program, args, cwd: folder, env }))
  const { tools } = await agent.listTools().finally(() => agent.close())
  assert.deepEqual(tools.map(tool => tool.name).sort(), operations)
  console.log(`${name}: ${tools.length} tools of agents: ok`)

  /** Starts the service, and stops it after the use. */
  async function serve(use: (url: string, key: string) => Promise<void>) {
    const begun = performance.now()
    const { url, output, stop } = await serving(`${program} start`, folder, env)
    try {
      await use(url, (await readFile(join(folder, 'data/api-key'), 'utf8')).trim())
    } catch (error) {
      throw new Error(`${name}: start: ${output()}`, { cause: error })
    } finally {
      await stop()
    }
    console.log(`${name}: start, and a request: ok, ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  }
}

/** Names the packed packages in a package.json, also for each other: no registry has them. */
async function usePacked(file: string, files: Readonly<Record<string, string>>): Promise<void> {
  const description = JSON.parse(await readFile(file, 'utf8'))
  const packed = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, `file:${path}`]))
  for (const names of [description.dependencies, description.devDependencies])
    for (const name of Object.keys(names)) names[name] = packed[name] ?? names[name]
  for (const name of ['spec-served-document', 'spec-served-docs'])
    description.dependencies[name] = packed[name]
  description.pnpm = { overrides: packed }
  await writeFile(file, JSON.stringify(description, null, 2))
}

/** A program that calls the service by the client that was written for it. */
const call = `import { createClient } from './client/index.js'

const { URL: url, KEY: key } = process.env
const client = createClient({ baseUrl: \`\${url}/v1\`, headers: { 'X-Library-Key': key } })
const { data } = await client.GET('/books/{book}', { params: { path: { book: 1 } } })
console.log(data?.title)
`
const operations = ['addBook', 'getBook', 'getCover', 'lendBook', 'putCover', 'searchBooks']
