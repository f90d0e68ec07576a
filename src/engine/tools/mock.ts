import { dirname, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Given, Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { loadEnvFile } from 'spec-served/internal/process/config'
import { origins as readOrigins } from 'spec-served/internal/process/setting-readers'
import { listenFault } from 'spec-served/internal/process/startup-messages'
import { onSignal } from 'spec-served/internal/process/stopping'
import { type Model, modelOf, unservedPlaces } from 'spec-served-document/model'
import { formatFaults } from 'spec-served-document/reading/fault'
import { createSchemas } from 'spec-served-document/values/schemas'
import { checkDocument } from './lint/lint.ts'
import { longestDelayMs } from './mock/disturbance.ts'
import { createKeeper } from './mock/keeper.ts'
import { misfitsIn } from './mock/misfits.ts'
import { readSeed } from './mock/seed.ts'
import { mockContract, serveContract } from './mock/serve.ts'
import { hasCalls, type WebhookTarget } from './mock/webhooks.ts'
import { readWithOverlays } from './project-document.ts'
import { watchFolders } from './watch.ts'

type Settings = Record<'spec' | 'host', string> &
  Given<'root' | 'port' | 'base-path' | 'seed' | 'credential' | 'latency' | 'errors' | 'webhooks'> &
  Record<'stateless' | 'watch', boolean> & { overlay: string[] | undefined }

export async function run(settings: Settings): Promise<number> {
  const { spec, host, port, seed, stateless, credential, 'base-path': basePath } = settings
  if (basePath !== undefined && !/^(\/[^/?#]+)*\/?$/.test(basePath))
    throw new Misuse('--base-path is a path as /api/v3')
  if (stateless && (seed ?? credential) !== undefined)
    throw new Misuse('--stateless has no --seed and no --credential')
  const disturbance = { latencyMs: latencyOf(settings.latency), errorShare: shareOf(settings.errors) }
  const webhooks = targetOf(settings.webhooks)
  loadEnvFile()
  const { PORT = '4010' } = process.env
  const number = wholeNumber('--port', port ?? PORT, 0, 65_535)

  let mock = await mockOf(settings, disturbance, webhooks)
  const listen = async (portToTry: number) => {
    const address = await mock.app.listen({ port: portToTry, host }).catch(error => {
      throw listenFault(error, host, portToTry, '--port', '--host')
    })
    const { operations, basePath: base } = mock.model
    console.log(`${operations.length} operations of ${spec} at ${address}${base}, docs at ${address}/docs`)
    return Number(new URL(address).port)
  }
  const listened = await listen(number)
  /** Serves the document as it is now; the one before where that is refused. */
  async function renew(): Promise<void> {
    try {
      const next = await mockOf(settings, disturbance, webhooks)
      await mock.app.close()
      mock = next
      await listen(listened)
    } catch (error) {
      const { message } = error as Error // nothing else is thrown
      console.log(`not loaded, and the document before is still served:\n${message}`)
    }
  }
  let working: Promise<void> = Promise.resolve()
  const isOfMock = (file: string) => mock.files.includes(resolve(file))
  const watching = settings.watch
    ? watchFolders(
        () => [...new Set(mock.files.map(file => dirname(file)))],
        changed => {
          if (changed.some(isOfMock)) working = working.then(renew)
        },
      )
    : undefined
  await new Promise(done => onSignal(done))
  watching?.close()
  await working
  await mock.app.close()
  return 0
}

interface Mock {
  app: FastifyInstance
  model: Model
  /** those that it is made of, by whole paths */
  files: readonly string[]
}

/** Makes a mock, and says what is to be known of its document. @throws Error for a document or a seed that is refused */
async function mockOf(
  { spec, overlay, root, stateless, seed, credential, 'base-path': basePath }: Settings,
  disturbance: { latencyMs: readonly [number, number] | undefined; errorShare: number | undefined },
  webhooks: WebhookTarget | undefined,
): Promise<Mock> {
  const { document, overlaid, notes, faultAt, files } = await readWithOverlays(spec, {
    overlays: overlay,
    folder: root,
  })
  const model = modelOf(document, basePath)
  const misfits = [...misfitsIn(model, createSchemas(model))]
  const noted = [...notes(), ...misfits.map(({ path, message }) => faultAt(path, 'note', message))]
  if (noted.length > 0) console.log(formatFaults(noted.slice(0, 20)))
  const isOurs = 'x-rate-limits' in document
  const faults = isOurs ? await checkDocument(spec, 'limits', { overlays: overlay }) : []
  if (faults.length > 0) console.log(`${formatFaults(faults)}\nSo nobody is limited.`)
  const contract = mockContract(overlaid, model, isOurs && faults.length === 0)
  const credentials = credential === undefined ? [] : [credential]
  const keeper = stateless
    ? undefined
    : createKeeper(contract, { secrets: credentials, ...(seed && { seed: await readSeed(seed) }) })
  const { CORS_ORIGINS = '*' } = process.env
  const app = await serveContract(contract, {
    ...{ keeper, corsOrigins: readOrigins(CORS_ORIGINS) },
    ...disturbance,
    webhooks,
  })
  if (webhooks && !hasCalls(model))
    console.log(`${spec} declares no webhooks and no callbacks, so nothing is sent to ${webhooks.url.href}.`)
  for (const { message } of unservedPlaces(model))
    console.log(`${message} The option --base-path chooses another.`)
  return { app, model, files: [...files, ...(seed ? [seed] : [])].map(file => resolve(file)) }
}

/** @throws Misuse for what is no number of milliseconds, or two of them */
function latencyOf(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined
  const [, least = '', greatest = least] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const isRange = least !== '' && Number(least) <= Number(greatest) && Number(greatest) <= longestDelayMs
  if (!isRange)
    throw new Misuse(`--latency is a number of milliseconds up to ${longestDelayMs}, or two as 200-800`)
  return [Number(least), Number(greatest)]
}

/** @throws Misuse for what is no URL */
function targetOf(text: string | undefined): WebhookTarget | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Misuse('--webhooks is a URL as http://localhost:8000/hooks')
  return { url, say: line => console.log(line) }
}

/** @throws Misuse for what is no share */
function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^(0?\.\d{1,9}|[01](\.0+)?)$/.test(text)) throw new Misuse('--errors is a share from 0 to 1, as 0.05')
  return Number(text)
}
