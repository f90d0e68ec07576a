import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { unservedPlaces } from 'spec-served-document/model'
import { countKeysBesidePlans } from '../callers/api-keys.ts'
import { firstKeyFile } from '../callers/first-key.ts'
import { countSeals } from '../callers/key-seals.ts'
import { keyScheme } from '../callers/scheme.ts'
import type { Seal } from '../callers/seal.ts'
import { schemesOf } from '../callers/security.ts'
import type { Db } from '../database/tables.ts'
import { upcomingSunsets } from '../lifecycle/lifecycle.ts'
import { createErrorForms } from '../replies/error-forms.ts'
import { type Config, misspeltSettings } from './config.ts'
import type { Resources } from './resources.ts'

/** Logs what the document leaves open, and warns of faults that do not prevent the start. */
export function tellBeforeStart(
  log: FastifyBaseLogger,
  contract: Contract,
  { redis, redisFault }: Resources,
  aboutPepper: string | undefined,
): void {
  for (const note of misspeltSettings(process.env)) log.warn(note)
  if (!contract.rateLimits)
    log.info('The document has no x-rate-limits: nobody is limited, and nobody is banned.')
  if (!namesCodes(contract)) {
    const sample = { code: 'code', message: 'message', status: 404 }
    const { text } = createErrorForms(contract.model, () => new Date()).write(undefined, sample, 'id')
    const form =
      text === JSON.stringify(sample) ? '{ code, message, status } as JSON' : `as it has errors, ${text}`
    log.info(`The document names no codes of errors (x-codes): refusals are ${form}.`)
  }
  for (const { message } of unservedPlaces(contract.model))
    log.info(`${message} A proxy can lead these here.`)
  if (aboutPepper !== undefined) log.warn(aboutPepper)
  for (const warning of upcomingSunsets(contract, new Date())) log.warn(warning)
  const away = 'Redis does not answer at REDIS_URL: limits are counted in memory until it does.'
  if (redis && redis.status !== 'ready') log.warn({ err: redisFault }, away)
}

/** Whether a document names the codes of its errors. Then it is made for this service, and declares its own form. */
const namesCodes = ({ facts }: Contract): boolean =>
  [...facts.values()].some(({ codes }) => Object.keys(codes).length > 0)

/** Logs the addresses of the docs and of a first key. Facts that take a while to find follow. */
export function tellStart(
  log: FastifyBaseLogger,
  address: string,
  contract: Contract,
  { database }: Config,
  db: Db,
): void {
  const url = new URL(docsAddresses(contract.model).page, address)
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost' // a browser can't open the address of all interfaces
  const file = database.kind === 'embedded' && database.dataDir ? firstKeyFile(database.dataDir) : undefined
  log.info(`The docs are at ${url}${file ? `, the first API key is in ${file}` : ''}.`)
  const example = firstCall(contract, url.origin, file)
  if (example !== undefined) log.info(`Try: ${example}`)
  if (keyScheme(contract.model) !== undefined) void tellOfKeysBesidePlans(log, db, contract)
  setImmediate(() => {
    if (namesCodes(contract)) return
    for (const { text } of createErrorForms(contract.model, () => new Date()).unfit()) log.warn(text)
  })
}

/** Returns a shell command: the first GET that needs nothing but a key. @param file the file with a key */
function firstCall({ model }: Contract, origin: string, file: string | undefined): string | undefined {
  const name = keyScheme(model)
  const scheme = schemesOf(model).find(entry => entry.name === name)?.scheme
  const operation = model.operations.find(
    ({ method, parameters, path }) =>
      method === 'GET' && !path.includes('{') && parameters.every(({ required }) => required !== true),
  )
  if (!operation || (scheme && file === undefined)) return undefined
  const header = scheme && file !== undefined ? `-H "${scheme.name}: $(cat ${file})" ` : ''
  return `curl ${header}${origin}${operation.url}`
}

export async function tellOfKeysBesidePlans(log: FastifyBaseLogger, db: Db, { rateLimits }: Contract) {
  if (!rateLimits) return
  try {
    for (const { plan, keys } of await countKeysBesidePlans(db, Object.keys(rateLimits.plans))) {
      const what = `Keys have the plan ${plan}, which the document does not have: ${keys}.`
      log.warn(`${what} Each of their calls is over its limit.`)
    }
  } catch (err) {
    log.warn({ err }, 'Whether the document has the plans of all keys could not be found out.')
  }
}

/** Compares the pepper with the stored keys. @returns a warning where some lack it @throws Error for another one */
export async function checkPepper(db: Db, seal: Seal): Promise<string | undefined> {
  const { plain, foreign } = await countSeals(db, seal)
  if (foreign > 0)
    throw new Error(
      seal.mark
        ? `${foreign} API keys are hashed with another pepper than API_KEY_PEPPER: set that one, or replace these keys first (npm run keys -- rotate)`
        : `${foreign} API keys are hashed with a pepper: set API_KEY_PEPPER to it`,
    )
  if (!seal.mark || plain === 0) return undefined
  return `${plain} API keys are stored without the pepper: once every server has it, run \`npm run keys -- pepper\`.`
}

const remedies = (setting: string, hostSetting: string): Record<string, string> => ({
  EADDRINUSE: `another program listens there; stop it, or set ${setting}`,
  EADDRNOTAVAIL: `this machine has no such address; correct ${hostSetting}`,
  ENOTFOUND: `the name is not known; correct ${hostSetting}`,
  EAI_AGAIN: `the name can’t be looked up now; correct ${hostSetting}, or try again`,
  EACCES: `this process may not listen on that port; set ${setting} to 1024 or more`,
})

/**
 * Finds out whether a server can listen at an address, before anything is made for it.
 * @throws Error that names the wrong setting
 */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer()
  await once(server.listen({ host, port }), 'listening').catch(error => {
    throw listenFault(error, host, port, 'PORT')
  })
  await new Promise(done => server.close(done))
}

/** Says why a server can't listen. @param setting the name of what sets the port @param hostSetting the same of the host */
export function listenFault(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
  hostSetting = 'HOST',
) {
  const reason = remedies(setting, hostSetting)[error.code ?? ''] ?? error.message
  return new Error(`It can't listen on ${host}:${port}: ${reason}`, { cause: error })
}
