import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromServer, ToServer } from './messages.ts'

/** The one server that serves, and the next one, which takes its place once it is ready. */
export interface Servers {
  /**
   * Starts the code as it stands on the disk in a new process; the last one is ended when that is known to work, as one
   * process at a time can open the embedded database.
   * @returns what keeps it from starting; undefined: it listens
   */
  replace(): Promise<string | undefined>
  /** Makes the next process ready, so that the next start takes less. */
  prepare(): void
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
  ended: Promise<unknown>
}

export function openServers(): Servers {
  let present: Server | undefined
  /** has loaded no code of the project yet */
  let standby: Server | undefined = start()
  let shown: string[] = []

  function start(): Server {
    const child = spawn(process.execPath, ['--max-semi-space-size=16', script], {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: { SHUTDOWN_TIMEOUT_MS: String(leavingMs), ...process.env },
    })
    const server: Server = {
      child,
      errors: '',
      ended: new Promise(resolve => child.once('close', resolve)),
    }
    child.stderr?.on('data', data => {
      server.errors += data
      if (server === present) process.stderr.write(data)
    })
    return server
  }

  const tell = ({ child }: Server, message: ToServer) => void (child.connected && child.send(message))

  /** Waits for a message; false when the process ends first. */
  const hears = ({ child, ended }: Server, wanted: FromServer) =>
    Promise.race([
      new Promise<boolean>(resolve =>
        child.on('message', (message: FromServer) => message === wanted && resolve(true)),
      ),
      ended.then(() => false),
    ])

  async function end(server: Server | undefined): Promise<void> {
    server?.child.kill('SIGTERM')
    await server?.ended
  }

  return {
    async replace() {
      const own = standby ?? start()
      standby = undefined
      const ready = hears(own, 'ready')
      tell(own, { load: true })
      if (!(await ready)) return told(own.errors)
      await end(present)
      present = own
      const listening = hears(own, 'listening')
      tell(own, { go: true })
      if (!(await listening)) return told(own.errors)
      tell(own, { faults: shown })
      return undefined
    },
    prepare() {
      standby ??= start()
    },
    show(faults) {
      shown = faults
      if (present) tell(present, { faults })
    },
    async close() {
      await Promise.all([end(standby), end(present)])
    },
  }
}

/** What a process said when it ended, with files as they are called here and without what is no code of the project. */
function told(errors: string): string {
  return errors
    .replaceAll(`file://${process.cwd()}/`, '')
    .replaceAll(`${process.cwd()}/`, '')
    .split('\n')
    .filter(line => !/^\s+at .*(node:|node_modules)|^Node\.js v|^\s*$/.test(line))
    .join('\n')
}
