import { type ChildProcess, fork } from 'node:child_process'

/** Requests of one kind. In path and body `{id}` stands for a number drawn for each of them. */
export interface RequestTemplate {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** the least and the greatest number that is drawn; 1 and 100,000 unless told */
  ids?: readonly [number, number]
}

/** How a server is put under load. */
export interface LoadTask {
  port: number
  connections: number
  seconds: number
  request: RequestTemplate
}

export interface LoadResult {
  /** how many were answered, by status */
  statuses: Record<number, number>
  /** all answers */
  answered: number
  /** how long it took, in seconds */
  seconds: number
  /** of a request, in ms */
  p50: number
  p99: number
}

/** Something that sends requests, in a process of its own. */
export interface LoadGenerator {
  run(task: LoadTask): Promise<LoadResult>
  stop(): void
}

/** How long after its time a run is given up, in ms. */
const patience = 30_000

export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('./load-worker.ts', import.meta.url))
  return {
    run: task => ask(child, task),
    stop: () => child.kill('SIGKILL'),
  }
}

function ask(child: ChildProcess, task: LoadTask): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('exit', onExit)
      end()
    }
    const onExit = () => settle(() => reject(new Error('The load generator has ended')))
    const onMessage = (message: unknown) => {
      const reply = message as LoadResult | { error: string } // load-worker.ts sends nothing else
      settle(() => ('error' in reply ? reject(new Error(reply.error)) : resolve(reply)))
    }
    const timer = setTimeout(
      () => settle(() => reject(new Error('The load generator does not come to an end'))),
      task.seconds * 1_000 + patience,
    )
    child.on('message', onMessage).on('exit', onExit)
    child.send(task)
  })
}
