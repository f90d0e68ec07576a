import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** How a program is started. */
export interface Program {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** the file for its output, as writing costs whoever reads too */
  log: string
}

/** Longest wait for a server to answer, in ms. */
const startsWithin = 60_000

/** Starts a program in a process that ends with this one. */
export function launch({ command, args, cwd, env, log }: Program): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_OPTIONS: process.env.NODE_OPTIONS ?? '', ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  return endWithUs(child)
}

/** Has a process killed when this one ends, by a signal too. */
export function endWithUs<Child extends ChildProcess>(child: Child): Child {
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** Ends a process that may have ended already; resolves with its exit code, null when a signal ended it. */
export async function end(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = await ended
  return code
}

/**
 * Waits until a server answers.
 * @param isReady says by a reply whether that is so
 * @throws Error when its process ends before, or it takes too long
 */
export async function answering(
  url: string,
  child: ChildProcess,
  log: string,
  isReady = (reply: Response) => reply.ok,
): Promise<void> {
  const latest = performance.now() + startsWithin
  while (performance.now() < latest) {
    const reply = await fetch(url).catch(() => undefined)
    await reply?.body?.cancel()
    if (reply && isReady(reply)) return
    if (child.exitCode !== null)
      throw new Error(`The process for ${url} has ended:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
    await setTimeout(20)
  }
  throw new Error(`The process at ${url} is not ready`)
}
