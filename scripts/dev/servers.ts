import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { anew, type FromServer, type ToServer } from './messages.ts'

/** The one server that serves, and the next one, which takes its place once it is ready. */
export interface Servers {
  /**
   * Starts the code as it stands on the disk in a new process; the last one is ended when that is known to work, as one
   * process at a time can open the embedded database.
   * @returns what keeps it from starting; undefined: it listens
   */
  replace(): Promise<string | undefined>
  /** Makes the next process ready, so that the next start takes less; waits until it is, or has ended. */
  prepare(): Promise<void>
  /** Notes that code has changed, which the next process may have loaded already. */
  outdate(): void
  /** Shows faults on the docs page of the server that serves. */
  show(faults: string[]): void
  close(): Promise<void>
}

const script = fileURLToPath(new URL('standby.ts', import.meta.url))

/** How long requests to the last server may take on, in ms: who waits for a change waits for them. */
const leavingMs = 200

interface Server {
  child: ChildProcess
  /** what it has written to its standard error */
  errors: string
  prepared: Promise<unknown>
  /** Whether code has changed since it was started. */
  isOutdated: boolean
  ended: Promise<unknown>
}

export function openServers(): Servers {
  /** all that have not ended */
  const living = new Set<Server>()
  let present: Server | undefined
  /** has loaded all code, and waits */
  let standby: Server | undefined
  let shown: string[] = []

  const tell = ({ child }: Server, message: ToServer) => void (child.connected && child.send(message))

  /** Waits for a message; false when the process ends first. */
  const hears = ({ child, ended }: Pick<Server, 'child' | 'ended'>, wanted: FromServer) =>
    Promise.race([
      new Promise<boolean>(resolve =>
        child.on('message', (message: FromServer) => message === wanted && resolve(true)),
      ),
      ended.then(() => false),
    ])

  function start(): Server {
    const child = spawn(process.execPath, ['--max-semi-space-size=16', script], {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: { SHUTDOWN_TIMEOUT_MS: String(leavingMs), ...process.env },
    })
    const ended = new Promise(resolve => child.once('close', resolve))
    const prepared = hears({ child, ended }, 'prepared')
    const server: Server = { child, errors: '', prepared, isOutdated: false, ended }
    living.add(server)
    ended.then(() => {
      living.delete(server)
      if (standby === server) standby = undefined // code that it had loaded has ended it
    })
    child.stderr?.on('data', data => {
      server.errors += data
      if (server === present) process.stderr.write(data)
    })
    return server
  }

  /** Lets a server close all that it has; its process takes some time more to end. */
  async function end(server: Server): Promise<void> {
    const closed = hears(server, 'closed')
    server.child.kill('SIGTERM')
    await closed
  }

  standby = start()
  return {
    async replace() {
      const own = standby ?? start()
      standby = undefined
      own.errors = ''
      const ready = hears(own, 'ready')
      tell(own, { load: own.isOutdated ? 'all' : 'generated' })
      if (!(await ready)) return faultOf(own)
      if (present) await end(present)
      present = own
      const listening = hears(own, 'listening')
      tell(own, { go: true })
      if (!(await listening)) return faultOf(own)
      tell(own, { faults: shown })
      return undefined
    },
    async prepare() {
      standby ??= start()
      await standby.prepared
    },
    outdate() {
      if (standby) standby.isOutdated = true
    },
    show(faults) {
      shown = faults
      if (present) tell(present, { faults })
    },
    async close() {
      for (const { child } of living) child.kill('SIGTERM')
      await Promise.all([...living].map(({ ended }) => ended))
    },
  }
}

/** What a process said when it ended, with files as they are called here and without what is no code of the project. */
function faultOf({ child, errors }: Server): string {
  const told = errors
    .replaceAll(`file://${process.cwd()}/`, '')
    .replaceAll(`${process.cwd()}/`, '')
    .replaceAll(anew, '')
    .replace(/^node:internal.*\n.*\n\s*\^\n/m, '')
    .split('\n')
    .filter(line => !/^\s+at .*(node:|node_modules|scripts\/dev\/)|^Node\.js v|^\s*$/.test(line))
    .join('\n')
  return told || `The process ended without a word (${child.signalCode ?? child.exitCode}).`
}
