import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { buildPackage, packages } from '../pack/build.ts'

export interface Ended {
  code: number
  output: string
}

/** An empty folder outside of the repository; whoever makes it removes it. */
export const emptyFolder = (): string => temporaryDirectory()

/** Without what the test runner says to programs of its own, and without the sources of this repository. */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env.PATH}`, ...more }
  const foreign = Object.entries(env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV|NODE_OPTIONS|npm_)/.test(name),
  )
  return Object.fromEntries(foreign)
}

/** The longest that a line takes to its end, or until it listens, on a busy machine, in ms. */
const longest = 600_000

/**
 * Options of an installation by npm or pnpm. By default each waits for 10 s and then for 60 s, without an open connection,
 * once a download has failed, and pnpm for 60 s, npm for 300 s, until it takes a silent one for failed.
 */
export const retriesSoon = [
  'timeout=30000',
  'retries=5',
  'retry-mintimeout=500',
  'retry-factor=2',
  'retry-maxtimeout=4000',
]
  .map(option => `--fetch-${option}`)
  .join(' ')

/** Runs a line as a shell does. It has no input, so a question ends it. @param within the longest that it may take, in ms */
export function shell(
  line: string,
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  within = longest,
): Promise<Ended & { isLate: boolean }> {
  return new Promise(done => {
    const child = execFile(
      'sh',
      ['-c', line],
      { cwd, env: environment(env), maxBuffer: 1e8, timeout: within, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const code = error ? Number(error.code ?? 1) : 0
        done({ code, output: stdout + stderr, isLate: error?.killed === true })
      },
    )
    child.stdin?.end()
  })
}

/** The names of the packages that npm publishes, by their folders. */
export const packageNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(packages).map(folder => [folder, nameOf(folder)]),
)

function nameOf(folder: string): string {
  const manifest = new URL(`../../${folder}/package.json`, import.meta.url)
  const { name }: { name: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return name
}

/** Puts the packages into the `node_modules` of a folder, beside all that the repository has there. */
export async function install(directory: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const names = Object.values(packageNames)
  await mkdir(join(modules, '.bin'), { recursive: true })
  for (const name of await readdir('node_modules'))
    if (!name.startsWith('.') && !names.includes(name))
      await symlink(resolve('node_modules', name), join(modules, name)).catch(() => {})
  // They must not be links themselves: Node reads TypeScript, and finds other packages, by where a file really is.
  for (const [part, name] of Object.entries(packageNames)) {
    await rm(join(modules, name), { recursive: true, force: true })
    await cp(join(directory, part), join(modules, name), { recursive: true })
  }
  await symlink(join(modules, 'spec-served/cli.js'), join(modules, '.bin/spec-served')).catch(() => {})
}

let compiled: Promise<string> | undefined

/** The packages, compiled once, each in a folder. The caller removes the folder of all. */
export function built(): Promise<string> {
  compiled ??= (async () => {
    const directory = temporaryDirectory()
    await Promise.all(Object.keys(packages).map(part => buildPackage(part, join(directory, part))))
    return directory
  })()
  return compiled
}

/** Packs the compiled packages as npm would publish them. @returns the files, by the names of the packages */
export async function pack(directory: string): Promise<Record<string, string>> {
  const files = Object.entries(packageNames).map(async ([part, name]) => {
    const { code, output } = await shell('npm pack --silent --ignore-scripts', join(directory, part))
    if (code !== 0) throw new Error(output)
    return [name, join(directory, part, output.trim())] as const
  })
  return Object.fromEntries(await Promise.all(files))
}

/** Installs packed packages in a folder with plain npm. */
export async function installByNpm(directory: string, folder: string): Promise<void> {
  const files = Object.values(await pack(directory)).join(' ')
  const { code, output } = await shell(
    `npm install ${files} --no-audit --no-fund --prefer-offline ${retriesSoon}`,
    folder,
  )
  if (code !== 0) throw new Error(output)
}

/** Starts a line that serves, and waits until it listens. */
export async function serving(line: string, cwd: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn('sh', ['-c', `exec ${line}`], {
    cwd,
    env: environment({ PORT: '0', LOG_FORMAT: 'json', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // so that all that it starts can be told to stop, as by Ctrl+C
  })
  let output = ''
  child.stdout.on('data', data => (output += data))
  child.stderr.on('data', data => (output += data))
  const ended = new Promise(done => child.once('close', done))
  const listens = /(?:listening|operations of \S+) at (http:\/\/[\w.:]+)/
  const until = Date.now() + longest
  const isDue = () => !listens.test(output) && child.exitCode === null && Date.now() < until
  async function stop() {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
    await ended
  }
  while (isDue()) await new Promise(done => setTimeout(done, 20))
  const [, url] = listens.exec(output) ?? []
  if (url === undefined) {
    await stop()
    throw new Error(output)
  }
  return { url, output: () => output, stop }
}
