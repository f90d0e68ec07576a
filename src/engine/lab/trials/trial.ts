import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { Checker } from 'spec-served/internal/callers/security'
import { createEngine } from 'spec-served/internal/engine'
import type { AnyHandler } from 'spec-served/internal/routes/binding'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { generate } from 'spec-served-cli/internal/generate/emit'
import { openMemoryParts } from 'spec-served-cli/internal/local/memory-parts'
import { type Call, invalidCalls, validCalls } from 'spec-served-cli/internal/samples/calls'
import { type Model, modelOf, type OperationModel } from 'spec-served-document/model'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { readDocument } from 'spec-served-document/reading/read'
import type { OpenApi } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'

/** The outcome of a document's trial. */
export type Outcome =
  | { kind: 'served'; operations: number; valid: number; invalid: number }
  /** as it must be when it can't be true; `at` is file, line and column */
  | { kind: 'refused'; at: string; message: string; faults: number }
  | { kind: 'failed'; operations?: number; step: string; message: string }

/** `megabytes`: the most that the process has taken, without that of the compiler. */
export type Report = Outcome & { seconds: number; megabytes: number }

const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))
/** Operations of each document that are called. */
const called = 10

/** Takes a document from its text to answered calls; what it generates goes into `directory`. */
async function tryDocument(file: string, directory: string, folder?: string): Promise<Outcome> {
  let step = 'read'
  let operations: number | undefined
  try {
    const { document } = await readDocument(file, folder === undefined ? {} : { folder })
    step = 'generate'
    await mkdir(directory, { recursive: true })
    for (const [name, text] of await generate(document, 'the document', '0'))
      await writeFile(join(directory, name), text)
    step = 'compile'
    await compile(directory)
    step = 'boot'
    const text = await readFile(join(directory, 'document.json'), 'utf8')
    const model = modelOf(JSON.parse(text) as OpenApi) // it was written from one
    operations = model.operations.length
    const trial = await boot(model)
    step = 'call'
    const counts = await callSome(model, trial)
    await trial.app.close()
    return { kind: 'served', operations, ...counts }
  } catch (error) {
    if (error instanceof DocumentRefused && error.faults[0]) {
      const [{ file: place, line, column, message }] = error.faults as [(typeof error.faults)[0]] // there is one
      return {
        kind: 'refused',
        at: `${basename(place).split('__').at(-1)}:${line}:${column}`,
        message,
        faults: error.faults.length,
      }
    }
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', step, message, ...(operations !== undefined && { operations }) }
  }
}

async function compile(directory: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    // Bytes and streams are of Node.
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../../../../node_modules/@types', import.meta.url))],
    skipLibCheck: true,
  }
  const project = join(directory, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, files: ['schema.ts', 'operations.ts'] }))
  await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(error => {
    throw new Error(error.stdout || error.message) // where the compiler tells
  })
}

interface Trial {
  app: FastifyInstance
  /** operationIds, as their handlers are reached */
  reached: string[]
}

/** Serves a document: every credential is right, and handlers answer with the first status that is a success. */
async function boot(model: Model): Promise<Trial> {
  const reached: string[] = []
  const handlers = Object.fromEntries(
    model.operations.map(operation => [
      operation.id,
      (async () => {
        reached.push(operation.id)
        return { status: statusOf(operation) }
      }) satisfies AnyHandler<object>,
    ]),
  )
  const schemes = Object.keys(model.document.components?.securitySchemes ?? {})
  const holder = { id: 1, scopes: [], plan: '', quotas: null, bannedUntil: null }
  const checker: Checker = { find: () => holder }
  const contract = { ...contractOf('', model), rateLimits: undefined } // others may mean something else by their extensions
  const parts = await openMemoryParts(contract, Object.fromEntries(schemes.map(name => [name, checker])))
  const app = await createEngine(contract, handlers, parts, { maxWaitMs: 60_000 })
  await app.ready()
  return { app, reached }
}

function statusOf({ responses }: OperationModel): number {
  const statuses = [...responses.keys()].map(status => (/^[2-5]\d\d$/.test(status) ? Number(status) : 200))
  return statuses.find(status => status < 300) ?? statuses[0] ?? 200
}

/** Calls operations that are spread over the document, each once as it allows and once as it does not. */
async function callSome(model: Model, trial: Trial): Promise<{ valid: number; invalid: number }> {
  const { operations } = model
  const step = Math.max(1, operations.length / called)
  const chosen = Array.from(
    { length: Math.min(called, operations.length) },
    (_, i) => operations[Math.floor(i * step)],
  )
  const schemas = createSchemas(model)
  let [valid, invalid] = [0, 0]
  for (const [i, operation] of chosen.entries()) {
    if (!operation) continue
    const allowed = await validCalls(schemas, operation)
    const replies: string[] = []
    for (const call of allowed) {
      const { status, reached, body } = await send(trial, call)
      if (reached === operation.id && status === statusOf(operation)) break
      replies.push(`${call.method} ${call.url} with ${call.about}: ${status} ${body}`)
    }
    if (replies.length === allowed.length)
      throw new Error(`A valid call of ${operation.id} is refused: ${replies.join('; ')}`)
    valid++
    const forbidden = await invalidCalls(schemas, operation)
    const call = forbidden[i % forbidden.length]
    if (!call) continue
    const { status, reached } = await send(trial, call)
    if (reached !== undefined || ![400, 413, 415, 422].includes(status))
      throw new Error(`${call.method} ${call.url} with ${call.about} is answered ${status}`)
    invalid++
  }
  return { valid, invalid }
}

async function send({ app, reached }: Trial, { method, url, headers, payload }: Call) {
  reached.length = 0
  const response = await app.inject({
    method: method as 'GET', // whatever the document has
    url,
    headers,
    ...(payload && { payload }),
  })
  return { status: response.statusCode, reached: reached[0], body: response.body.slice(0, 500) }
}

const [documentFile = '', output = '', documentFolder] = process.argv.slice(2)
const outcome = await tryDocument(documentFile, output, documentFolder)
const report: Report = {
  ...outcome,
  seconds: performance.now() / 1_000,
  megabytes: process.resourceUsage().maxRSS / 1_024,
}
process.send?.(report)
process.disconnect?.()
