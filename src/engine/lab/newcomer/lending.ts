import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Given, listed } from 'spec-served/internal/command/arguments'
import { built, emptyFolder, pack, packageNames, retriesSoon, serving, shell } from '../support/package.ts'
import { packedIn, startRegistry } from '../support/registry.ts'

/** The project, as its team keeps it. */
const library = 'src/engine/lab/lending'

/** A package manager: its install, without the packages for development and with all. */
interface Manager {
  name: string
  program: string
  without: string
  whole: string
  /** the words that run a program of the project */
  runs: string
  /** further variables of its environment */
  env?: Env
}

/** The package managers that teams use. Yarn runs by its file, as two versions have one name. `pnp`: Yarn 4 with Plug'n'Play. */
function managersOf(): Manager[] {
  const byNode = (file: string) => `"${process.execPath}" "${resolve('node_modules', file)}"`
  const yarn4 = {
    ...{ program: byNode('@yarnpkg/cli-dist/bin/yarn.js'), runs: 'run' },
    ...{ without: 'workspaces focus --all --production', whole: 'install' },
  }
  return [
    {
      ...{ name: 'npm', program: 'npm', runs: 'exec --' },
      without: `install --omit=dev --no-audit --no-fund --prefer-offline ${retriesSoon}`,
      whole: `install --include=dev --no-audit --no-fund --prefer-offline ${retriesSoon}`,
    },
    {
      ...{ name: 'pnpm', program: byNode('pnpm/bin/pnpm.cjs'), runs: 'exec' },
      without: `install --prod ${retriesSoon}`,
      whole: `install --config.confirmModulesPurge=false ${retriesSoon}`,
    },
    {
      ...{ name: 'yarn1', program: byNode('yarn/bin/yarn.js'), runs: 'run --silent' },
      without: 'install --production --no-lockfile --non-interactive',
      whole: 'install --production=false --non-interactive',
    },
    { name: 'yarn4', ...yarn4 },
    { name: 'pnp', ...yarn4, env: { YARN_NODE_LINKER: 'pnp' } },
  ]
}

/** Returns the settings by which Yarn 4 takes a registry of this machine. */
const settingsOfYarn = (url: string): Env => ({
  YARN_NPM_REGISTRY_SERVER: url,
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
  YARN_NODE_LINKER: 'node-modules',
  YARN_ENABLE_TELEMETRY: '0',
  YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
  // The packages of this repository have no date of their own.
  YARN_NPM_MINIMAL_AGE_GATE: '0',
})

type Env = Record<string, string>

/** Runs the steps of a team with each package manager, side by side. */
export async function run({
  keep,
  workspace,
  only,
}: { keep: boolean; workspace: boolean } & Given<'only'>): Promise<number> {
  const chosen = listed(
    'only',
    only,
    managersOf().map(({ name }) => name),
  )
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
    const ask = async (name: string) => (await tell(`"${node}" "${npm}" config get ${name}`, root)).trim()
    const certificates = await ask('cafile')
    if (existsSync(certificates)) env.NODE_EXTRA_CA_CERTS = process.env.NODE_EXTRA_CA_CERTS ?? certificates
    const files = await pack(packed)
    const folders = Object.entries(packageNames).map(([part, name]) => [
      join(packed ?? root, part),
      files[name] ?? '',
    ])
    await using registry = await startRegistry(
      await packedIn(Object.fromEntries(folders)),
      await ask('registry'),
    )
    const { url } = registry
    Object.assign(env, settingsOfYarn(url))
    const runs = await Promise.allSettled(
      managersOf()
        .filter(({ name }) => chosen.includes(name))
        .map(manager =>
          follow(manager, join(root, manager.name), workspace, url, { ...env, ...manager.env }),
        ),
    )
    const failures = runs.flatMap(item => (item.status === 'rejected' ? [item.reason] : []))
    for (const failure of failures) console.error(failure)
    return failures.length === 0 ? 0 : 1
  } finally {
    if (!keep)
      for (const leftover of [root, packed ?? root]) await rm(leftover, { recursive: true, force: true })
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
    const isInstallation = /\b(install|focus)\b/.test(line)
    const command = isInstallation ? `exec ${line}` : line // what is ended is the program, not the shell
    const { code, output } = await inTime(isInstallation ? tries : [], within =>
      shell(command, folder, { ...env, ...more }, within),
    )
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
    const shown = line.replaceAll(/"\S+\/([\w.-]+)"/g, '$1').replace(` ${retriesSoon}`, '')
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
 * @param top the folder that has it, or the workspace to which it belongs
 * @param registry the URL from which its packages come
 * @throws Error at the first step that fails
 */
async function follow(
  manager: Manager,
  top: string,
  isWorkspace: boolean,
  registry: string,
  env: Env,
): Promise<void> {
  const { name, program, without, whole, runs } = manager
  const folder = isWorkspace ? join(top, 'packages/library') : top
  const carryOut = tellerOf(name, env)
  const step = (line: string, due?: number) => carryOut(`${program} ${line}`, folder, due)
  await cp(library, folder, { recursive: true, filter: path => !/\/(node_modules|data)$/.test(path) })

  if (program.includes('yarn'))
    await edit(join(folder, 'package.json'), text => text.replaceAll('"exec ', '"')) // as `init` does
  if (isWorkspace) {
    await writeFile(
      join(top, 'package.json'),
      '{ "name": "top", "private": true, "workspaces": ["packages/*"] }',
    )
    await writeFile(join(top, 'pnpm-workspace.yaml'), 'packages: ["packages/*"]\n')
  }
  await writeFile(join(top, '.npmrc'), `registry=${registry}\n`)
  await writeFile(join(top, '.yarnrc'), `registry "${registry}"\n`)
  await writeFile(join(top, 'yarn.lock'), '') // Yarn 4 looks for the root of a project above it otherwise

  await step(without)
  assert.match(await step('run release', 2), /npm install --save-dev spec-served-cli/)
  assert.match(await step('run keys list', 1), /There is no database/)
  await step('test')
  await serve(async (url, key) => {
    const headers = { 'x-library-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Emma', form: { kind: 'print', pages: 474 } })
    assert.equal((await fetch(`${url}/v1/books`, { method: 'POST', headers, body })).status, 201)
  })
  assert.match(await step('run keys list'), /scopes/)

  await step(whole)
  await step('run check')
  await step('run release')
  assert.ok((await readdir(join(folder, 'spec/released'))).includes('0.1.0.yaml'))
  await step(`${runs} spec-served client --out client`)
  await writeFile(join(folder, 'call.js'), call)
  await serve(async (url, key) =>
    assert.equal(await carryOut('node call.js', folder, 0, { URL: url, KEY: key }), 'Emma\n'),
  )
  const agent = new Client({ name: 'agent', version: '1' })
  const command = `${program} ${runs} spec-served mcp`
  await agent.connect(
    new StdioClientTransport({ command: 'sh', args: ['-c', `exec ${command}`], cwd: folder, env }),
  )
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

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')))
}

/** A program that calls the service by the client that was written for it. */
const call = `import { createClient } from './client/index.js'

const { URL: url, KEY: key } = process.env
const client = createClient({ baseUrl: \`\${url}/v1\`, headers: { 'X-Library-Key': key } })
const { data } = await client.GET('/books/{book}', { path: { book: 1 } })
console.log(data?.title)
`
const operations = ['addBook', 'getBook', 'getCover', 'lendBook', 'putCover', 'searchBooks']
