import { type ChildProcess, fork } from 'node:child_process'

/** What a process says: that it can begin, that its work goes on, or what came of it. */
export type Message<Result> = 'ready' | 'alive' | { result: Result }

export interface Work<Result> {
  /** what is to be judged next; undefined when there is nothing left */
  next(): string | undefined
  onResult(result: Result): void
  /**
   * What came of something during which its process ended, or did nothing for too long.
   * @throws Error when that is no result
   */
  lost(id: string, how: string): Result
}

export interface PoolOptions {
  processes: number
  /** how long a process may do nothing, in ms */
  patience?: number
  /** how many one process judges: what it has loaded stays in its memory */
  most?: number
  /** the module that judges, for tests */
  worker?: URL
}

/**
 * Judges things by their names in processes side by side. One that ends or hangs is replaced by another: a change of the
 * code may do that to it.
 * @throws Error when a process ends before it has begun
 */
export async function judgeAll<Result>(
  work: Work<Result>,
  { processes, patience = 90_000, most = 40, worker = new URL('./worker.ts', import.meta.url) }: PoolOptions,
): Promise<void> {
  const running = new Set<ChildProcess>()

  /** One process; gives whether there may be more to do. */
  const runOne = () =>
    new Promise<boolean>((resolve, reject) => {
      const child = fork(worker, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
      running.add(child)
      let current: string | undefined
      let [judged, isHung, isReady, isDone] = [0, false, false, false]
      let said = ''
      child.stderr?.on('data', data => {
        said = `${said}${data}`.slice(-2_000)
      })
      const hang = () => {
        isHung = true
        child.kill('SIGKILL')
      }
      let timer = setTimeout(hang, patience)
      const isAlive = () => {
        clearTimeout(timer)
        timer = setTimeout(hang, patience)
      }
      child.on('message', (message: Message<Result>) => {
        isAlive()
        if (message === 'alive') return
        if (message === 'ready') isReady = true
        else {
          current = undefined
          judged += 1
          work.onResult(message.result)
        }
        if (judged < most) current = work.next()
        if (current !== undefined) return void child.send(current)
        isDone = judged < most
        clearTimeout(timer)
        child.disconnect()
      })
      child.on('exit', code => {
        clearTimeout(timer)
        running.delete(child)
        const how = isHung
          ? `nothing happened for ${patience / 1_000} s`
          : `it ended with ${code}: ${said.trim()}`
        if (!isReady) return reject(new Error(`A process could not begin: ${how}`))
        try {
          if (current !== undefined) work.onResult(work.lost(current, how))
          resolve(!isDone)
        } catch (error) {
          reject(error)
        }
      })
    })
  const keepOn = async () => {
    while (await runOne());
  }
  try {
    await Promise.all(Array.from({ length: processes }, keepOn))
  } finally {
    for (const child of running) child.kill()
  }
}
