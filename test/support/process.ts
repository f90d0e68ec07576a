import { type ChildProcess, spawn } from 'node:child_process'

/** A server in a process of its own. */
export interface RunningServer {
  url: string
  port: number
  child: ChildProcess
  /** its output so far */
  output(): string
  /** Ends it; resolves with its exit code, null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts `src/main.js` of a directory on a free port and waits until it listens. It is one process unless `WORKERS` says more.
 * @param options of Node
 */
export async function startProcess(
  env: Record<string, string>,
  directory = '.',
  options: readonly string[] = [],
): Promise<RunningServer> {
  const { child, output, ended } = launch(env, directory, options)
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`It does not start:\n${output()}`)))
    child.stdout?.on('data', function look() {
      const address = /listening at (http:\/\/[\w.:[\]]+)/i.exec(output())?.[1]
      if (!address) return
      child.stdout?.off('data', look) // what follows may be long
      resolve(address)
    })
  })
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return {
    url,
    port: Number(new URL(url).port),
    child,
    output,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

/** Runs `src/main.js` where it is expected not to start; one that does is ended. */
export async function failToStart(
  env: Record<string, string>,
  directory = '.',
  options: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const { child, output, ended } = launch(env, directory, options)
  child.stdout?.on('data', () => {
    if (/listening at/i.test(output())) child.kill() // it starts all the same, and would not end
  })
  return { code: await ended, output: output() }
}

function launch(env: Record<string, string>, directory: string, options: readonly string[]) {
  const { PATH = '', NODE_OPTIONS = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn('node', [...options, 'src/main.js'], {
    env: { PATH, NODE_OPTIONS, PORT: '0', WORKERS: '1', NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: directory,
  })
  let text = ''
  child.stdout.on('data', data => (text += data))
  child.stderr.on('data', data => (text += data))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  return { child, ended, output: () => text }
}
