import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Db } from './database/tables.ts'
import type { Contract } from './engine/contract.ts'
import { docsAddresses } from './engine/docs/addresses.ts'
import { createErrorForms } from './engine/replies/error-forms.ts'
import { firstKeyFile } from './first-key.ts'
import { countKeysBesidePlans } from './store/api-keys.ts'

/** Says where the docs are, and where the key for a first request lies. */
export function tellNewcomers(
  log: FastifyBaseLogger,
  address: string,
  contract: Contract,
  config: Config,
): void {
  const url = new URL(docsAddresses(contract.model).page, address)
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost' // all addresses are none to go to
  const { database } = config
  const file = database.kind === 'embedded' && database.dataDir ? firstKeyFile(database.dataDir) : undefined
  log.info(`The docs are at ${url}${file ? `, the first API key is in ${file}` : ''}.`)
}

/** Warns of keys whose plan the document no longer has. */
export async function tellOfKeysBesidePlans(
  log: FastifyBaseLogger,
  db: Db,
  { rateLimits }: Contract,
): Promise<void> {
  if (!rateLimits) return
  try {
    for (const { plan, keys } of await countKeysBesidePlans(db, Object.keys(rateLimits.plans)))
      log.warn(
        `Keys have the plan ${plan}, which the document does not have: ${keys}. Each of their calls is over its limit.`,
      )
  } catch (err) {
    log.warn({ err }, 'Whether the document has the plans of all keys could not be found out.')
  }
}

/** What a refusal to listen means for who runs the service. */
export function listenFault(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `another program listens there; stop it, or set ${setting}`,
    EADDRNOTAVAIL: 'this machine has no such address; correct HOST',
    ENOTFOUND: 'the name is not known; correct HOST',
    EAI_AGAIN: 'the name can’t be looked up now; correct HOST, or try again',
    EACCES: `this process may not listen on that port; set ${setting} to 1024 or more`,
  }
  const reason = remedies[error.code ?? ''] ?? error.message
  return new Error(`It can't listen on ${host}:${port}: ${reason}`, { cause: error })
}

/** What a document leaves open, and what is done then: a line for each. */
export function defaultsOf({ rateLimits, facts, model }: Contract): string[] {
  const hasCodes = namesCodes({ facts })
  const sample = { code: 'code', message: 'message', status: 404 }
  const own = hasCodes ? undefined : createErrorForms(model, () => new Date()).write(undefined, sample, 'id')
  return [
    ...(rateLimits ? [] : ['The document has no x-rate-limits: nobody is limited, and nobody is banned.']),
    ...(hasCodes
      ? []
      : [
          `The document names no codes of errors (x-codes): refusals are ${own ? `as it has errors, ${own.text}` : '{ code, message, status } as JSON'}.`,
        ]),
  ]
}

/** Whether a document says which codes its errors have: then it is made for this service, whose own form it declares. */
export const namesCodes = ({ facts }: Pick<Contract, 'facts'>): boolean =>
  [...facts.values()].some(({ codes }) => Object.keys(codes).length > 0)
