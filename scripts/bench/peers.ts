import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { peerDocument } from './document.ts'
import type { Program } from './servers.ts'

const run = promisify(execFile)

/** Where the peers are installed and built; outside of git. */
const place = fileURLToPath(new URL('./.peers', import.meta.url))
const sources = fileURLToPath(new URL('./peers', import.meta.url))
const document = join(place, 'openapi.json')

/** Longest time that an installation takes, in ms. */
const timeout = 900_000

interface Peer {
  /** the tool that must be on the machine, beside Node and npm */
  tool?: string
  /** Makes it ready in its folder. */
  build?: (folder: string) => Promise<void>
  command: (folder: string) => readonly string[]
}

const nodePeer = (name: string): Peer => ({
  command: () => [process.execPath, join(place, name, 'main.mjs')],
})

/** In the order in which they are shown. */
const peers: Readonly<Record<string, Peer>> = {
  plain: nodePeer('plain'),
  express: nodePeer('express'),
  go: {
    tool: 'go',
    async build(cwd) {
      const options = { cwd, timeout }
      const generate = [
        'tool',
        'ogen',
        '--config',
        'ogen.yml',
        '--target',
        'api',
        '--package',
        'api',
        '--clean',
      ]
      await run('go', [...generate, document], options)
      await run('go', ['build', '-o', 'server', '.'], options)
    },
    command: folder => [join(folder, 'server')],
  },
}

export const peerNames = Object.keys(peers)

/** What each of them is, for a reader. */
export const titles: Readonly<Record<string, string>> = {
  plain: 'plain Fastify + glue + Kysely',
  express: 'Express 5 + express-openapi-validator',
  go: 'Go: ogen + pgx',
}

/**
 * Installs peers in exact versions and builds them, once; what is built already is only looked at.
 * @param tell is told which one is left out, and why
 * @returns those that can be started
 */
export async function installPeers(
  names: readonly string[],
  tell: (message: string) => void,
): Promise<Map<string, (databaseUrl: string, orders: string) => Program>> {
  const ready = new Map<string, (databaseUrl: string, orders: string) => Program>()
  await mkdir(place, { recursive: true })
  await writeFile(document, JSON.stringify(await peerDocument(), null, 2))
  if (names.some(name => !peers[name]?.tool)) await installPackages(tell)
  for (const name of names) {
    const peer = peers[name]
    if (!peer) continue
    const folder = join(place, name)
    try {
      await cp(join(sources, name), folder, { recursive: true })
      if (peer.tool) tell(`building ${name} …`)
      await peer.build?.(folder)
    } catch (error) {
      tell(`${name} is left out: ${reasonOf(error, peer.tool)}`)
      continue
    }
    ready.set(name, (databaseUrl, orders) => {
      const [command = '', ...args] = peer.command(folder)
      return { name, command, args, env: { DATABASE_URL: databaseUrl, DOCUMENT: document, ORDERS: orders } }
    })
  }
  return ready
}

async function installPackages(tell: (message: string) => void): Promise<void> {
  await cp(join(sources, 'store.mjs'), join(place, 'store.mjs'))
  const wanted = await readFile(join(sources, 'package.json'), 'utf8')
  const installed = await readFile(join(place, 'installed.json'), 'utf8').catch(() => '')
  if (installed === wanted) return
  tell('installing the Node peers …')
  await writeFile(join(place, 'package.json'), wanted)
  const options = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', options, { cwd: place, timeout, shell: process.platform === 'win32' })
  await writeFile(join(place, 'installed.json'), wanted)
}

function reasonOf(error: unknown, tool: string | undefined): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string } // of execFile
  if (code === 'ENOENT' && tool) return `there is no ${tool} on this machine`
  return (stderr?.trim() || message).split('\n').slice(-3).join(' ')
}
