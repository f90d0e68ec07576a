import { type RunningServer, startProcess } from './petstore.ts'

/** A line of the log of a server with workers. */
interface Line {
  pid: number
  /** Unix time in ms */
  time: number
  worker: number | 'primary'
  msg: string
}

/** A server of several processes. */
export interface ServerWithWorkers extends RunningServer {
  /** in the order of their times */
  lines(): Line[]
  /** the processes that have begun to listen, in the order of that */
  workers(): number[]
}

/** Starts a server and waits until all of its workers serve. */
export async function startWorkers(env: Record<string, string>): Promise<ServerWithWorkers> {
  const server = await startProcess({ WORKERS: '2', LOG_FORMAT: 'json', ...env })
  const lines = (): Line[] =>
    server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{') && line.endsWith('}')) // the last one may not be there yet
      .map((line): Line => JSON.parse(line))
      .toSorted((a, b) => a.time - b.time)
  const workers = () => lines().flatMap(({ msg, pid }) => (msg.startsWith('Server listening') ? pid : []))
  while (!server.output().includes('workers serve;') || workers().length < 2) {
    if (server.child.exitCode !== null) throw new Error(`It has ended:\n${server.output()}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return {
    ...server,
    lines,
    workers,
  }
}
