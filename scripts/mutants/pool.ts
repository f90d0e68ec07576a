import { type ChildProcess, fork } from 'node:child_process'
import type { Verdict } from './judge.ts'

/**
 * Judges mutants in processes side by side.
 * @param ids of the mutants
 * @param onVerdict told of each verdict, in the order in which they come
 * @throws Error when a process ends before its time
 */
export async function judgeAll(
  ids: readonly string[],
  processes: number,
  onVerdict: (verdict: Verdict) => void,
): Promise<void> {
  const waiting = [...ids]
  const children: ChildProcess[] = []
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(new URL('./worker.ts', import.meta.url), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      children.push(child)
      child.on('message', (message: Verdict | 'ready') => {
        if (message !== 'ready') onVerdict(message)
        const next = waiting.shift()
        if (next === undefined) child.disconnect()
        else child.send(next)
      })
      child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`A process ended with ${code}`))))
    })
  try {
    await Promise.all(Array.from({ length: Math.min(processes, ids.length) }, work))
  } finally {
    for (const child of children) child.kill()
  }
}
