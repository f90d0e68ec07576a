import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { peerDocument } from './document.ts'
import type { Program } from './servers.ts'

const run = promisify(execFile)

/** The directory in which the peers are installed and built, outside of git. */
const place = fileURLToPath(new URL('./.peers', import.meta.url))
const sources = fileURLToPath(new URL('./peers', import.meta.url))
const document = join(place, 'openapi.json')
const documentOfGo = join(place, 'openapi-go.json')

/** Longest time that an installation takes, in ms. */
const timeout = 900_000

/** The title of each peer, in the order of display. */
export const titles: Readonly<Record<string, string>> = {
  plain: 'plain Fastify + glue + Kysely',
  express: 'Express 5 + express-openapi-validator',
  go: 'Go: ogen + pgx',
}
export const peerNames = Object.keys(titles)

/**
 * Installs peers in exact versions and builds them, once; what is built already is only looked at.
 * @param tell is told which one is left out, and why
 * @returns those that can be started; each is told of its database by DATABASE_URL
 */
export async function installPeers(
  names: readonly string[],
  tell: (message: string) => void,
): Promise<Program[]> {
  await mkdir(place, { recursive: true })
  await cp(sources, place, { recursive: true })
  await writeFile(document, JSON.stringify(await peerDocument(true), null, 2))
  await writeFile(documentOfGo, JSON.stringify(await peerDocument(false), null, 2))
  await installPackages(tell)
  const env = { DOCUMENT: document }
  const programs = names.map(async name => {
    if (name !== 'go') return { name, command: process.execPath, args: [join(place, name, 'main.mjs')], env }
    const command = await buildGo(join(place, name), tell)
    return command === undefined ? [] : { name, command, args: [], env }
  })
  return (await Promise.all(programs)).flat()
}

async function installPackages(tell: (message: string) => void): Promise<void> {
  const wanted = await readFile(join(place, 'package.json'), 'utf8')
  const installed = await readFile(join(place, 'installed.json'), 'utf8').catch(() => '')
  if (installed === wanted) return
  tell('installing the Node peers …')
  const options = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', options, { cwd: place, timeout, shell: process.platform === 'win32' })
  await writeFile(join(place, 'installed.json'), wanted)
}

/** Builds the server in Go; undefined: it can't be. */
async function buildGo(cwd: string, tell: (message: string) => void): Promise<string | undefined> {
  tell('building go …')
  const ogen = ['tool', 'ogen', '--config', 'ogen.yml', '--target', 'api', '--package', 'api', '--clean']
  try {
    await run('go', [...ogen, documentOfGo], { cwd, timeout })
    await run('go', ['build', '-o', 'server', '.'], { cwd, timeout })
    return join(cwd, 'server')
  } catch (error) {
    const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string } // of execFile
    const reason = code === 'ENOENT' ? 'there is no go on this machine' : stderr?.trim() || message
    tell(`go is left out: ${reason.split('\n').slice(-3).join(' ')}`)
    return undefined
  }
}
