import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { linkPackages } from './petstore.ts'

const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))

/** A copy of the project, without its tests. The caller removes it. */
export async function copyOfProject(): Promise<string> {
  const copy = temporaryDirectory()
  const left = /^(node_modules|\.git|data|test|src\/engine\/(\w+\/test|lab))$/
  await cp('.', copy, { recursive: true, filter: name => !left.test(relative('.', name)) })
  linkPackages(copy)
  return copy
}

function environment(): NodeJS.ProcessEnv {
  const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env.PATH}`, PORT: '0' }
  const foreign = Object.entries(env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV)/.test(name))
  return Object.fromEntries(foreign)
}

/** A command as a shell runs it; npm's own start is left out. */
function lineOf(command: string): string {
  const [, name = '', rest = ''] = /^npm (?:run )?([\w:-]+)(?: --)?(.*)$/.exec(command) ?? []
  return name ? `${scripts[name]}${rest}` : command
}

/** Runs a command in a copy. */
export function run(command: string, cwd: string): Promise<{ code: number; output: string }> {
  return new Promise(done =>
    execFile('sh', ['-c', lineOf(command)], { cwd, env: environment() }, (error, stdout, stderr) =>
      done({ code: error ? 1 : 0, output: stdout + stderr }),
    ),
  )
}

/**
 * `npm run dev` in a copy, or in another project, on any free port: each server has another one unless one is given.
 * @param args of the command
 */
export async function develop(cwd: string, args: string[] = [], port = 0) {
  const cli = 'src/engine/service/cli.js'
  const program = existsSync(join(cwd, cli)) ? cli : resolve(cli)
  const child: ChildProcess = spawn('node', [program, 'dev', ...args], {
    cwd,
    env: { ...environment(), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', data => (output += data))
  child.stderr?.on('data', data => (output += data))
  const ended = new Promise(done => child.once('close', done))
  /** Waits until it says something. */
  const said = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output)
      if (found) return found
      if (child.exitCode !== null) throw new Error(output)
      await new Promise(done => setTimeout(done, 20))
    }
  }
  return {
    said,
    /** of the last server */
    url: async () =>
      (await said(/(?:listening| s,) at (http:\/\/[\w.:]+)(?![\s\S]*(?:listening| s,) at http)/))[1] ?? '',
    output: () => output,
    /** Forgets the output so far. */
    forget() {
      output = ''
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
