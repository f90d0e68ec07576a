import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Verdict } from './judge.ts'

/**
 * Judges mutants by their ids in processes side by side.
 * @param onVerdict is told of each verdict as it comes
 * @throws Error when a process ends before it has judged what it was given
 */
export async function judgeAll(
  ids: readonly string[],
  processes: number,
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const waiting = [...ids]
  const verdicts: Verdict[] = []
  const running: ChildProcess[] = []

  async function work(): Promise<void> {
    const child = fork(new URL('./worker.ts', import.meta.url))
    running.push(child)
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A process that judges has ended with ${code}`)
    })
    ended.catch(() => {}) // told by the race below, or it was let go
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      child.send(id)
      const [verdict] = (await Promise.race([once(child, 'message'), ended])) as [Verdict] // of worker.ts
      verdicts.push(verdict)
      onVerdict(verdict)
    }
    child.disconnect()
  }

  try {
    await Promise.all(Array.from({ length: Math.min(processes, ids.length) }, work))
  } finally {
    for (const child of running) child.kill()
  }
  return verdicts
}
