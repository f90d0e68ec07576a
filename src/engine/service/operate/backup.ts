import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { Misuse } from '../command/arguments.ts'
import type { Outcome } from '../command/command.ts'
import { type Content, contentOf, copyFiles, type Rows } from '../database/backup.ts'
import { openDatabase } from '../database/connect.ts'
import { makeDataDirectory, makePrivate, reasonOf } from '../database/directory.ts'
import { lockDirectory } from '../database/directory-lock.ts'
import { flushDirectory, flushTree, flushWithName } from '../database/flush.ts'
import { type Call, configured } from './call.ts'

/** Lists a backup's contents in it. It is written last, so that a directory without it is no whole backup. */
const label = 'backup.json'

interface Label extends Expected {
  takenAt: string
}

/** The expected content of a copy. Older backups have no checksums. */
type Expected = Pick<Content, 'rows'> & Partial<Content>

/** Returns the directory of the embedded database. @throws Error with the way to go on PostgreSQL */
function embedded(forPostgres: string): string {
  const { database: config } = configured()
  if (config.kind === 'embedded' && config.dataDir !== null) return resolve(config.dataDir)
  throw new Error(`DATABASE_URL names a PostgreSQL, which has tools of its own: ${forPostgres}`)
}

function directoryArgument(directory: string | undefined): string {
  if (!directory) throw new Misuse('Name the directory of the backup')
  return resolve(directory)
}

/**
 * Opens a database, and reads all its rows. PostgreSQL checks each page by its checksum.
 * @throws Error if it can't, or if the rows are not those that are expected
 */
async function readBack(dataDir: string, expected?: Expected): Promise<Content> {
  const { db, close } = await openDatabase({ kind: 'embedded', dataDir }).catch((cause: unknown) => {
    throw new Error('it is damaged, or of another version', { cause })
  })
  const content = await contentOf(db).finally(close)
  if (!expected) return content
  const { rows, checksums } = content
  const names = [...new Set([...Object.keys(expected.rows), ...Object.keys(rows)])]
  const faults = names.flatMap(name => {
    if (rows[name] !== expected.rows[name])
      return `${name} has ${rows[name] ?? 'no'} rows for ${expected.rows[name] ?? 'none'}`
    const isSame = !expected.checksums || checksums[name] === expected.checksums[name]
    return isSame ? [] : `${name} has other values than it had`
  })
  if (faults.length > 0) throw new Error(faults.join(', '))
  return content
}

const summaryOf = (rows: Rows) =>
  `${Object.values(rows).reduce((sum, count) => sum + count, 0)} rows in ${Object.keys(rows).length} tables`

async function takeBackup(directory: string, call: Call) {
  embedded('pg_dump for one database, pg_basebackup for a whole server')
  const takenAt = new Date().toISOString()
  const { waitedMs } = await call('backup', { directory })
  try {
    const content = await readBack(directory)
    for (const lock of readdirSync(directory).filter(name => name.startsWith('lock')))
      rmSync(join(directory, lock))
    makePrivate(directory)
    await flushTree(directory)
    const text = `${JSON.stringify({ takenAt, ...content } satisfies Label, null, 2)}\n`
    writeFileSync(join(directory, label), text, { mode: 0o600 })
    await flushWithName(join(directory, label))
    return { directory, takenAt, waitedMs, rows: content.rows }
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    throw new Error(`The copy could not be read back, and is removed: ${reasonOf(error)}`, { cause: error })
  }
}

function labelOf(directory: string): Label {
  try {
    return JSON.parse(readFileSync(join(directory, label), 'utf8')) as Label // what takeBackup writes
  } catch (error) {
    throw new Error(`${directory} has no whole backup: ${label} is missing or damaged`, { cause: error })
  }
}

async function restoreBackup(directory: string) {
  const dataDir = embedded('pg_restore after pg_dump, or the directory that pg_basebackup has made')
  const { takenAt, ...content } = labelOf(directory)
  const database = join(dataDir, 'postgres')
  const isFree = !existsSync(database) || readdirSync(database).length === 0
  if (!isFree)
    throw new Error(
      `There is a database in ${dataDir} already, and a restore overwrites nothing: move it away, or set DATA_DIR to another directory`,
    )
  await makeDataDirectory(dataDir)
  const { unlock } = lockDirectory(dataDir)
  const copy = mkdtempSync(join(dataDir, 'unfinished-'))
  try {
    await copyFiles(join(directory, 'postgres'), join(copy, 'postgres'))
    await readBack(copy, content)
    await flushTree(copy)
    renameSync(join(copy, 'postgres'), database)
    await flushDirectory(dataDir)
  } catch (error) {
    throw new Error(`${directory} can’t be restored: ${reasonOf(error)}`, { cause: error })
  } finally {
    rmSync(copy, { recursive: true, force: true })
    unlock()
  }
  return { directory: dataDir, takenAt, rows: content.rows }
}

/** Copies the embedded database, for the command `backup`. */
export async function backup(directory: string | undefined, call: Call): Promise<Outcome> {
  const json = await takeBackup(directoryArgument(directory), call)
  const text = `${json.directory} has ${summaryOf(json.rows)}, read back. Requests waited ${json.waitedMs} ms.`
  return { json, lines: [text] }
}

/** Brings a copy back, for the command `restore`. */
export async function restore(directory: string | undefined): Promise<Outcome> {
  const json = await restoreBackup(directoryArgument(directory))
  return { json, lines: [`${json.directory} has ${summaryOf(json.rows)} as of ${json.takenAt}.`] }
}
