import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Misuse, runCommand } from '../../scripts/arguments.ts'
import { type OwnDocument, ownDocuments } from './documents.ts'

const usage = `Usage: npm run test:own -- [--from REPOSITORY] [--only NAME] [--link] [--keep]

Takes three documents of other trades from their file to the first mocked reply, each in a clone of its own, and says how
long that takes; then writes one handler in each and holds what the check names as left. None may take more than a minute,
without the install.
  --from  what is cloned (default: this project, as committed)
  --only  one of the documents: ${ownDocuments.map(({ name }) => name).join(', ')}
  --link  take this project's node_modules instead of installing
  --keep  leave the clones where they are`

const options = {
  from: { type: 'string', default: '.' },
  only: { type: 'string' },
  link: { type: 'boolean' },
  keep: { type: 'boolean' },
} as const

/** From the file to the first mocked reply, in seconds. */
const longest = 60

interface Ran {
  code: number | null
  output: string
  seconds: number
}

/** Runs a command as a reader would. */
async function run(command: string, cwd: string): Promise<Ran> {
  const begun = performance.now()
  process.stdout.write(`  $ ${command}\n`)
  const child = spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: environment })
  let output = ''
  child.stdout.on('data', data => (output += data))
  child.stderr.on('data', data => (output += data))
  const code = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail))
  const seconds = (performance.now() - begun) / 1_000
  console.log(`    ${seconds.toFixed(1)} s`)
  return { code, output, seconds }
}

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/.test(name)),
)

async function expectRun(command: string, cwd: string): Promise<number> {
  const { code, output, seconds } = await run(command, cwd)
  if (code !== 0) throw new Error(`${command} has failed:\n${output}`)
  return seconds
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise(done => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

/** Serves the document with `npm run dev` until it has answered as expected. @returns seconds to the first reply */
async function serve({ mocked, refused }: OwnDocument, cwd: string): Promise<number> {
  const begun = performance.now()
  process.stdout.write('  $ npm run dev\n')
  const port = await freePort()
  const env = { ...environment, PORT: String(port), DATA_DIR: join(cwd, 'data') }
  // Of a group of its own, as npm does not hand signals on.
  const dev = spawn('npm', ['run', 'dev'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  dev.stdout.on('data', data => (output += data))
  dev.stderr.on('data', data => (output += data))
  const ended = new Promise(done => dev.on('close', done))
  const get = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
  try {
    let reply: Response | undefined
    while (!reply) {
      const key = mocked.keyIn && (await readFile(join(cwd, 'data/api-key'), 'utf8').catch(() => ''))
      const headers = { ...mocked.headers, ...(mocked.keyIn && key && { [mocked.keyIn]: key.trim() }) }
      if (dev.exitCode !== null || performance.now() - begun > 120_000) throw new Error(output)
      reply = await get(mocked.path, headers).catch(() => undefined)
      if (!reply) await new Promise(done => setTimeout(done, 50))
    }
    const seconds = (performance.now() - begun) / 1_000
    console.log(`    first reply after ${seconds.toFixed(1)} s`)
    const text = await reply.text()
    if (reply.status !== 200 || reply.headers.get('x-mock') !== 'true' || !mocked.shows.test(text))
      throw new Error(`GET ${mocked.path} is answered ${reply.status} ${text}`)
    const refusal = await get(refused.path)
    const told = await refusal.text()
    if (refusal.status !== refused.status || !refused.shows.test(told))
      throw new Error(`GET ${refused.path} is answered ${refusal.status} ${told}`)
    return seconds
  } finally {
    if (dev.pid !== undefined) process.kill(-dev.pid, 'SIGTERM')
    await ended
  }
}

/** @returns seconds from the file to the first mocked reply */
async function take(own: OwnDocument, root: string, from: string, isLinked: boolean): Promise<number> {
  const { name, source, before = [], handler, left } = own
  const directory = join(root, name.replace(/\..*/, ''))
  await expectRun(`git clone --quiet --no-hardlinks '${from}' '${directory}'`, root)
  if (isLinked) await symlink(resolve('node_modules'), join(directory, 'node_modules'))
  else
    console.log(`  npm ci took ${(await expectRun('npm ci', directory)).toFixed(1)} s, which does not count`)

  if ('file' in source) await copyFile(new URL(source.file, import.meta.url), join(directory, name))
  else await writeFile(join(directory, name), source.text)
  let seconds = 0
  for (const command of [...before, `npm run own -- ${name} --write`])
    seconds += await expectRun(command, directory)
  seconds += await serve(own, directory)

  await hold(await run('npm run check', directory), ['handlers are written'], left + 1)
  const file = join(directory, handler.file)
  const text = await readFile(file, 'utf8')
  if (!text.includes(handler.stub)) throw new Error(`${handler.file} has no ${handler.stub}`)
  const written = text.replace(handler.stub, () => handler.code)
  // The last stub of a file takes its import along, as the compiler says.
  await writeFile(
    file,
    written.includes('= stub(') ? written : written.replace(/^import \{ stub \}.*\n/m, ''),
  )
  await expectRun(`node_modules/.bin/biome check --write ${handler.file}`, directory)
  await expectRun('npm run generate', directory)
  await hold(await run('npm run check', directory), left > 0 ? ['handlers are written'] : [], left)
  return seconds
}

/** Holds the check to the steps that may fail, and to how much it names as left. */
async function hold({ output }: Ran, failing: readonly string[], left: number): Promise<void> {
  const failed = [...output.matchAll(/^FAILED {2}(.+?) \(/gm)].map(([, step]) => step)
  const named = Number(/(\d+) still to be written/.exec(output)?.[1] ?? 0)
  if (failed.join() !== failing.join() || named !== left)
    throw new Error(
      `The check fails at ${failed.join(', ') || 'nothing'} and names ${named} as left, not ${left}:\n${output}`,
    )
  console.log(
    `    ${left} left to be written, and ${failed.length === 0 ? 'nothing fails' : 'nothing else fails'}`,
  )
}

await runCommand({ usage, options }, async ({ from, only, link, keep }) => {
  const chosen = ownDocuments.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0) throw new Misuse(`There is no ${only}`)
  const root = await mkdtemp(join(tmpdir(), 'own-documents-'))
  const figures: string[] = []
  let isQuick = true
  try {
    for (const own of chosen) {
      console.log(`${own.name}, in ${root}`)
      const seconds = await take(own, root, resolve(from), link)
      figures.push(`${own.name}: ${seconds.toFixed(1)} s from the file to the first mocked reply`)
      isQuick &&= seconds <= longest
    }
    console.log(`\n${figures.join('\n')}\n${longest} s are allowed.`)
    return isQuick ? 0 : 1
  } finally {
    if (!keep) await rm(root, { recursive: true, maxRetries: 3 })
  }
})
