import { type Given, Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { loadEnvFile } from 'spec-served/internal/process/config'
import { origins as readOrigins } from 'spec-served/internal/process/setting-readers'
import { listenFault } from 'spec-served/internal/process/startup-messages'
import { onSignal } from 'spec-served/internal/process/stopping'
import { modelOf, unservedPlaces } from 'spec-served-document/model'
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

export async function run({
  spec,
  overlay,
  root,
  port,
  host,
  'base-path': basePath,
  ...values
}: Record<'spec' | 'host', string> &
  Given<'root' | 'port' | 'base-path' | 'seed' | 'credential' | 'latency' | 'errors' | 'webhooks'> & {
    stateless: boolean
    overlay: string[] | undefined
  }): Promise<number> {
  if (basePath !== undefined && !/^(\/[^/?#]+)*\/?$/.test(basePath))
    throw new Misuse('--base-path is a path as /api/v3')
  const disturbance = { latencyMs: latencyOf(values.latency), errorShare: shareOf(values.errors) }
  const webhooks = targetOf(values.webhooks)
  loadEnvFile()
  const { PORT = '4010', CORS_ORIGINS = '*' } = process.env
  const number = wholeNumber('--port', port ?? PORT, 0, 65_535)
  const { document, overlaid, notes, faultAt } = await readWithOverlays(spec, {
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
  const { stateless, seed, credential } = values
  if (stateless && (seed ?? credential) !== undefined)
    throw new Misuse('--stateless has no --seed and no --credential')
  const credentials = credential === undefined ? [] : [credential]
  const keeper = stateless
    ? undefined
    : createKeeper(contract, { given: credentials, ...(seed && { seed: await readSeed(seed) }) })
  const app = await serveContract(contract, {
    ...{ keeper, corsOrigins: readOrigins(CORS_ORIGINS) },
    ...disturbance,
    webhooks,
  })
  if (webhooks && !hasCalls(model))
    console.log(`${spec} declares no webhooks and no callbacks, so nothing is sent to ${webhooks.url.href}.`)
  const address = await app.listen({ port: number, host }).catch(error => {
    throw listenFault(error, host, number, '--port', '--host')
  })
  console.log(
    `${model.operations.length} operations of ${spec} at ${address}${model.basePath}, docs at ${address}/docs`,
  )
  for (const { message } of unservedPlaces(model))
    console.log(`${message} The option --base-path chooses another.`)
  await new Promise(resolve => onSignal(resolve))
  await app.close()
  return 0
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
