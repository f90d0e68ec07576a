import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { answering, end, endWithUs } from 'spec-served-cli/internal/local/process'
import { table } from 'spec-served-cli/internal/texts/escapes'
import { issueKey, startDatabases } from './database.ts'
import { median, titleOf } from './figures.ts'
import { drawn, type Operation } from './operations.ts'
import { installPeers } from './peers.ts'
import { lastWords, ours, type Program } from './servers.ts'

/** The counts that a server process tells its parent. */
export interface Counts {
  /** between the starts of requests; and of all, by the number of requests */
  promises: { each: number[]; mean: number }
  /** of a request */
  bytes: number
  /** by file, of a request */
  calls: { file: string; functions: number; calls: number }[]
}

/** The work of a server for a request. */
export interface Work {
  /** if requests come one after the other: the same at each count */
  promises: number
  /** if many come at once, and share statements: differs by some percent */
  sharedPromises: number
  /** the own files that run, the functions of them, and the calls of these functions */
  files: string[]
  functions: number
  calls: number
}

/** A server that counts, in a process of its own. */
export interface Counted {
  count(operation: Operation): Promise<Work>
  /** Returns the bytes that are allocated for each of many requests at once. No call of `count` may come before. */
  countBytes(operation: Operation): Promise<number>
  [Symbol.asyncDispose](): Promise<void>
}

/** How many requests come one after the other, at once, and in a while: for so many code is compiled. */
const [few, connections, many] = [30, 64, 1_000]

/** Room for what `many` requests allocate, so that nothing is collected meanwhile. */
const roomy = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']

/** Starts a server that counts its work for requests of a client in this process. */
export async function startCounted(program: Program, key: string): Promise<Counted> {
  const directory = temporaryDirectory()
  const closing = new AsyncDisposableStack()
  closing.defer(() => rm(directory, { recursive: true, force: true }))
  const { child, url, log } = await launchCounted(program, directory)
  closing.defer(async () => void (await end(child, 'SIGKILL')))
  const agent = new Agent({ keepAlive: true })
  closing.defer(() => agent.destroy())
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(lastWords(log))))
  ended.catch(() => {}) // it ends in the end
  async function tell(message: keyof Counts | 'end'): Promise<unknown> {
    child.send(message)
    const [{ counted }] = await Promise.race([once(child, 'message'), ended])
    return counted
  }
  async function sendAll(operation: Operation, times: number, atOnce = 1): Promise<void> {
    let left = times
    const sendSome = async () => {
      while (left-- > 0) await send(url, agent, key, operation)
    }
    await Promise.all(Array.from({ length: atOnce }, sendSome))
  }
  async function during<Kind extends keyof Counts>(kind: Kind, ...sent: Parameters<typeof sendAll>) {
    await tell(kind)
    await sendAll(...sent)
    return (await tell('end')) as Counts[Kind] // as counter.ts answers
  }
  return {
    async count(operation) {
      await sendAll(operation, few)
      const { each } = await during('promises', operation, few)
      const { mean } = await during('promises', operation, 5 * connections, connections)
      const run = await during('calls', operation, few)
      return {
        promises: median(each),
        sharedPromises: mean,
        files: run.map(({ file }) => file),
        functions: run.reduce((total, { functions }) => total + functions, 0),
        calls: run.reduce((total, { calls }) => total + calls, 0),
      }
    },
    async countBytes(operation) {
      await sendAll(operation, many, connections)
      return during('bytes', operation, many, connections)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Starts a server with `counter.ts` in its process. */
async function launchCounted({ command, args, env }: Program, directory: string) {
  const port = await freePort()
  const [log, url] = [join(directory, 'server.log'), `http://127.0.0.1:${port}`]
  const output = openSync(log, 'a')
  const options = [...args.slice(0, -1), ...roomy, '--import', import.meta.resolve('./counter.ts')]
  const child: ChildProcess = endWithUs(
    fork(args.at(-1) ?? '', {
      execPath: command,
      execArgv: options,
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: String(port), ...env },
      stdio: ['ignore', output, output, 'ipc'],
    }),
  )
  closeSync(output)
  await answering(url, child, log, () => true)
  return { child, url, log }
}

/**
 * Sends one request, with no other header fields than it needs, and reads the reply.
 * @throws Error when that is another than it should be
 */
async function send(url: string, agent: Agent, key: string, operation: Operation): Promise<void> {
  const { method, status } = operation
  const { path, body, fields } = drawn(operation)
  const headers = {
    'x-api-key': key,
    ...fields,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
  }
  const sent = request(url + path, { method, agent, headers }).end(body)
  const [reply]: IncomingMessage[] = await once(sent, 'response')
  const answer = reply ? await text(reply) : ''
  if (reply?.statusCode !== status)
    throw new Error(`${method} ${path} is answered with ${reply?.statusCode}: ${answer}`)
}

/** Counts the work of this service and of the peers in Node, and prints it. */
export async function printCounts(
  operations: readonly Operation[],
  peerNames: readonly string[],
  isJson: boolean,
): Promise<void> {
  const inNode = peerNames.filter(name => name !== 'go')
  const peers = inNode.length > 0 ? await installPeers(inNode, console.error) : []
  const databases = await startDatabases()
  await using closing = new AsyncDisposableStack()
  closing.defer(databases.stop)
  const counted: Row[] = []
  for (const program of [...peers, ours]) {
    const url = await databases.copy()
    const env = { ...program.env, DATABASE_URL: url }
    await using server = await startCounted({ ...program, env }, await issueKey(url))
    const bytes: number[] = []
    for (const operation of operations) bytes.push(await server.countBytes(operation))
    for (const [index, operation] of operations.entries())
      counted.push({
        server: titleOf(program.name),
        operation: operation.title,
        bytes: bytes[index] ?? Number.NaN,
        ...(await server.count(operation)),
      })
  }
  console.log(isJson ? JSON.stringify(counted, null, 2) : countsTable(counted))
}

type Row = Work & { server: string; operation: string; bytes: number }

function countsTable(counted: readonly Row[]): string {
  const load = `at ${connections} connections`
  const head = ['', '', `promises ${load}`, `KiB ${load}`, 'promises', 'own files', 'functions', 'calls']
  const rows = counted.map(({ server, operation, bytes, promises, sharedPromises, ...run }) => {
    const numbers = [sharedPromises, bytes / 1_024, promises, run.files.length, run.functions, run.calls]
    return [server, operation, ...numbers.map(number => number.toFixed(0))]
  })
  return table(head, rows, column => column > 1)
}
