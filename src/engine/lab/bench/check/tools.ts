import { execFile, spawn } from 'node:child_process'
import { access, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endWithUs } from 'spec-served-cli/internal/local/process'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import type { Kind } from './plants.ts'
import type { Tried } from './servers.ts'

/** A fault as a tool tells it. */
export interface Finding {
  operation: string
  /** undefined: it is none that is planted */
  kind: Kind | undefined
  text: string
}

/** Stands for an operation that a report does not name. It counts as any. */
export const anywhere = 'any operation'

/** A tool that holds a server to its document. */
export interface Tool {
  name: string
  /** Runs it on a server at a URL. @param place is a file for its report */
  judge(tried: Tried, url: string, place: string): Promise<Finding[]>
}

/** The longest time of a tool on a server, in ms. */
const within = 120_000

/** Kinds by what the messages of our check say, the first that fits. */
const ourKinds: readonly (readonly [RegExp, Kind])[] = [
  [/an invalid request was answered 2/, 'takes invalid'],
  [/a valid request was answered 4/, 'refuses valid'],
  [/answered 5\d\d| 5\d\d( has |: )|status 5\d\d/, 'failure'],
  [/(without|no) (a )?(key|credential)|unknown key|need(s|ed) .*credential/, 'caller'],
  [/and yet .* is answered (404|410)|is not stored/, 'not stored'],
  [/is gone, and yet|still (there|found|shown)|removed/, 'not removed'],
  [/does not declare the status|is not declared|undeclared status/, 'status'],
  [/ has [\w.+-]+\/[\w.+-]+, but declares|media type|Content-Type/, 'media type'],
  [/header/, 'header field'],
  [/limit|items|page/, 'list'],
  [/ 2\d\d: the body/, 'schema'],
  [/shows|was sent|differs|stays/, 'content'],
]

/** Kinds by the types of failures in a report of Schemathesis. */
const itsKinds: Readonly<Record<string, Kind>> = {
  AcceptedNegativeData: 'takes invalid',
  MissingHeaderNotRejected: 'takes invalid',
  RejectedPositiveData: 'refuses valid',
  ServerError: 'failure',
  IgnoredAuth: 'caller',
  EnsureResourceAvailability: 'not stored',
  UseAfterFree: 'not removed',
  UndefinedStatusCode: 'status',
  UndefinedContentType: 'media type',
  MissingContentType: 'media type',
  MalformedMediaType: 'media type',
  MissingHeaders: 'header field',
  JsonSchemaError: 'schema',
  MalformedJson: 'schema',
  UnsupportedMethodResponse: 'method',
  MissingAllowHeader: 'method',
}

/** This project's check, as its command runs. */
export const ours: Tool = {
  name: 'this check',
  async judge({ document, credential }, url) {
    const cli = fileURLToPath(new URL('../../../service/cli.js', import.meta.url))
    const auth = credential ? ['--auth', `${credential.scheme}=${credential.secret}`] : []
    const wishes = [
      'check',
      '--url',
      url,
      '--spec',
      document,
      '--yes',
      '--json',
      '--seed',
      '1',
      '--requests',
      '1000000',
      ...auth,
    ]
    const output = await outputOf(process.execPath, [cli, ...wishes])
    const { faults }: { faults: { operation: string; message: string }[] } = JSON.parse(output)
    // One request may show several faults, after the form that it has.
    return faults.flatMap(({ operation, message }) =>
      message
        .replace(/^(any request|\/[^:]*): /, '')
        .split('; ')
        .map(text => ({
          operation,
          kind: ourKinds.find(([pattern]) => pattern.test(text))?.[1],
          text,
        })),
    )
  },
}

/** Schemathesis, as its command runs. @param command of its environment */
export const schemathesis = (command: string): Tool => ({
  name: 'Schemathesis',
  async judge({ document, base, credential }, url, place) {
    const field = credential ? ['-H', credential.field] : []
    const report = ['--report', 'json', '--report-json-path', place]
    const rest = ['--no-color', '--seed', '1', '--continue-on-failure', '--generation-database', 'none']
    await outputOf(
      command,
      ['run', document, '-u', `${url}${base}`, ...field, ...report, ...rest],
      dirname(place),
    )
    const { failures }: { failures: { type: string; title: string; operations: string[] }[] } = JSON.parse(
      await readFile(place, 'utf8'),
    )
    const { operations } = modelOf((await readDocument(document)).document)
    const idOf = (text: string) =>
      operations.find(({ method, path }) => text.endsWith(`${method} ${path}`))?.id ??
      (text.startsWith('Stateful') ? anywhere : text)
    return failures.flatMap(({ type, title, operations: places }) =>
      places.map(text => ({ operation: idOf(text), kind: itsKinds[type], text: `${type}: ${title}` })),
    )
  },
})

/** Returns what a program writes to its output. One that takes too long is interrupted, and reports so far. */
function outputOf(command: string, args: readonly string[], cwd = '.'): Promise<string> {
  const child = endWithUs(spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }))
  let text = ''
  let words = ''
  child.stdout.setEncoding('utf8').on('data', chunk => (text += chunk))
  child.stderr.setEncoding('utf8').on('data', chunk => (words = `${words}${chunk}`.slice(-2_000)))
  const timers = [
    setTimeout(() => child.kill('SIGINT'), within),
    setTimeout(() => child.kill('SIGKILL'), within + 20_000),
  ]
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      for (const timer of timers) clearTimeout(timer)
      if (code === 0 || code === 1 || code === 130) resolve(text)
      else reject(new Error(`${command} ended with ${code}: ${words}`))
    })
  })
}

const run = promisify(execFile)

/** The version that is measured. */
const version = '4.32.5'

/** Installs Schemathesis into an environment of its own, once, and returns its command. */
export async function installSchemathesis(python: string): Promise<string> {
  const place = fileURLToPath(new URL(`../.peers/schemathesis-${version}`, import.meta.url))
  const bin = join(place, process.platform === 'win32' ? 'Scripts' : 'bin')
  const command = join(bin, 'schemathesis')
  const isThere = await access(command).then(
    () => true,
    () => false,
  )
  if (isThere) return command
  await mkdir(place, { recursive: true })
  const timeout = 300_000
  await run(python, ['-m', 'venv', place], { timeout })
  await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`], { timeout })
  return command
}
