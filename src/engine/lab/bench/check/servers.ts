import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cp, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { peerDocument } from '../document.ts'
import { ours, type Program, type Served, startServer } from '../servers.ts'

/** A server that tools are tried on. */
export interface Tried {
  name: string
  title: string
  /** the file of its document */
  document: string
  /** the path before those of the document */
  base: string
  /** by the name of the scheme, and as a header field */
  credential?: { scheme: string; secret: string; field: string }
  start(directory: string): Promise<Served>
}

const bundled = (file: string) => fileURLToPath(new URL(`./servers/${file}`, import.meta.url))
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const serving = (program: Program) => (directory: string) => startServer(program, directory)

/** The command of Python 3; undefined where it is missing. */
export function pythonHere(): string | undefined {
  return ['python3', 'python'].find(command => {
    try {
      return execFileSync(command, ['--version'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).startsWith('Python 3.')
    } catch {
      return false
    }
  })
}

/** Returns the servers that this machine can start. @param directory takes their documents and data */
export async function serversFor(directory: string, python: string | undefined): Promise<Tried[]> {
  const plain = join(directory, 'plain.json')
  writeFileSync(plain, JSON.stringify(await plainDocument(), null, 2))
  const { execPath: command } = process
  return [
    {
      name: 'plain',
      title: 'plain Fastify',
      document: plain,
      base: '',
      start: serving({ name: 'plain', command, args: [bundled('plain.mjs')], env: { DOCUMENT: plain } }),
    },
    await petStore(directory),
    ...(python === undefined
      ? []
      : [
          {
            name: 'python',
            title: 'Python',
            document: bundled('notes.yaml'),
            base: '',
            start: serving({ name: 'python', command: python, args: [bundled('notes.py')], env: {} }),
          },
        ]),
    {
      name: 'mock',
      title: 'mock of a public API',
      document: bundled('bookings.yaml'),
      base: '/v2',
      credential: { scheme: 'Token', secret: 'given', field: 'Authorization: Bearer given' },
      start: serving({
        name: 'mock',
        command,
        args: [
          join(root, 'src/engine/service/cli.js'),
          'mock',
          '--spec',
          bundled('bookings.yaml'),
          '--credential',
          'given',
        ],
        env: {},
      }),
    },
  ]
}

/** The document of the plain peer, whose cursors are numbers. */
async function plainDocument() {
  const document = await peerDocument(false)
  const cursor = { name: 'cursor', in: 'query', schema: { type: 'string', pattern: '^[0-9]{1,15}$' } }
  const list = document.paths['/pets']?.get
  if (list)
    list.parameters = [list.parameters].flat().map(item => (Object(item).name === 'cursor' ? cursor : item))
  return document
}

/** The pet store on an embedded database, each time one with nothing in it but a key whose quotas are never used up. */
async function petStore(directory: string): Promise<Tried> {
  const prepared = join(directory, 'prepared')
  const env = { ...ours.env, DATA_DIR: prepared }
  const wish = [
    '--plan',
    'Enterprise',
    '--scopes',
    'read,write,admin',
    '--minute',
    '1000000',
    '--day',
    '1000000000',
  ]
  const args = [
    join(root, 'src/engine/service/cli.js'),
    'keys',
    'create',
    '--name',
    'Bench',
    ...wish,
    '--json',
  ]
  const options = { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' } as const
  const { secret }: { secret: string } = JSON.parse(execFileSync(process.execPath, args, options))
  return {
    name: 'petstore',
    title: 'the pet store',
    document: join(root, 'spec/openapi.yaml'),
    base: '',
    credential: { scheme: 'ApiKey', secret, field: `X-API-Key: ${secret}` },
    async start(place) {
      const DATA_DIR = await mkdtemp(join(place, 'data-'))
      await cp(prepared, DATA_DIR, { recursive: true })
      return startServer({ ...ours, env: { ...env, DATA_DIR } }, place)
    },
  }
}
