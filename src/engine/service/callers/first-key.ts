import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import type { DatabaseConfig } from '../database/connect.ts'
import { flushWithName } from '../database/flush.ts'
import type { Database, Db } from '../database/tables.ts'
import { newSecret, windowsOf } from './administration.ts'
import { hasNoApiKey, insertApiKey } from './api-keys.ts'
import type { KeyTools } from './keys.ts'
import { keyScheme } from './scheme.ts'

const fileIn = (directory: string) => join(directory, 'api-key')

/** Returns the file of a directory's first key; undefined if there is none, or somebody removed it. */
export function firstKeyFile(directory: string): string | undefined {
  const file = fileIn(directory)
  return existsSync(file) ? file : undefined
}

/** The widest rights in the document: all scopes, and the plan with the most calls. */
export function widestRights({ facts, rateLimits }: Pick<Contract, 'facts' | 'rateLimits'>) {
  const most = (quotas: object) =>
    Math.max(0, ...Object.values(quotas).filter(quota => typeof quota === 'number'))
  const [plan = ''] = Object.entries(rateLimits?.plans ?? {})
    .sort(([, a], [, b]) => most(b) - most(a))
    .map(([name]) => name)
  const scopes = [...facts.values()].flatMap(({ scope }) => scope ?? [])
  return { plan, scopes: [...new Set(scopes)] }
}

/** The same, with calls as many as given in each window, if a plan lets its keys have quotas of their own. */
export function ampleRights(contract: Contract, calls: number) {
  const rights = { ...widestRights(contract), quotas: null }
  const [plan] = Object.entries(contract.rateLimits?.plans ?? {}).find(([, { custom }]) => custom) ?? []
  if (plan === undefined) return rights
  return { ...rights, plan, quotas: Object.fromEntries(windowsOf(contract).map(name => [name, calls])) }
}

/** Writes a first key with every scope to the file `api-key` of a directory; undefined if there are keys already. */
export async function leaveFirstKey(
  db: Db,
  directory: string,
  now: Date,
  { seal, form }: Pick<KeyTools, 'seal' | 'form'>,
  contract: Contract,
): Promise<string | undefined> {
  if (!(await hasNoApiKey(db))) return undefined
  const file = fileIn(directory)
  const { secret, stored } = newSecret(seal, form)
  // The file is written first. A stored key with an unknown secret would prevent a new one at the next start.
  try {
    await rm(file, { force: true }) // so that no link is followed
    await writeFile(file, `${secret}\n`, { flag: 'wx', mode: 0o600 })
    await flushWithName(file)
  } catch (error) {
    const { message } = error as Error // the file system throws Errors
    throw new Error(`The first API key can't be left in ${file}: ${message}`, { cause: error })
  }
  const key = { name: 'First key', ...stored, ...widestRights(contract), quotas: null }
  await insertApiKey(db, { ...key, createdAt: now, expiresAt: null })
  return file
}

interface Preparing extends Pick<KeyTools, 'seal' | 'form'> {
  db: Database
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  loadSample?: ((db: Database) => Promise<boolean>) | undefined
}

/** Fills a new embedded database with a sample and a first key. For other databases it says how to make a key. */
export async function prepareKeys(
  database: DatabaseConfig,
  contract: Contract,
  { db, seal, form, log, loadSample }: Preparing,
  isFirst: boolean,
): Promise<void> {
  const hasKeys = keyScheme(contract.model) !== undefined
  if (database.kind === 'embedded' && database.dataDir !== null) {
    if (await loadSample?.(db)) log.info('The database was new: a small sample is in it.')
    const file = hasKeys && (await leaveFirstKey(db, database.dataDir, new Date(), { seal, form }, contract))
    if (file) log.info(`An API key with every scope is in ${file}.`)
  } else if (isFirst && hasKeys && (await hasNoApiKey(db))) {
    const scopes = widestRights(contract).scopes.join()
    const command = `npm run keys -- create --name NAME${scopes && ` --scopes ${scopes}`}`
    log.warn(`There is no API key yet: make one with \`${command}\`.`)
  }
}
