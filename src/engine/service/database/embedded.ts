import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite, type PGliteOptions, types } from '@electric-sql/pglite'
import { Kysely } from 'kysely'
import { keepBaselineCode } from './baseline-compiler.ts'
import type { DatabaseConfig, OpenDatabase } from './connect.ts'
import { createOrOpen, makeDataDirectory, makePrivate } from './directory.ts'
import { type DirectoryLock, lockDirectory, noticedWithin } from './directory-lock.ts'
import { createDurableFiles, type DurableFiles } from './durable-files.ts'
import { createTurns, embeddedDialect } from './embedded-dialect.ts'
import { createStatements } from './embedded-statements.ts'
import { closed } from './failures.ts'
import { copyFirstFiles, keepFirstFiles, removeTemplates } from './first-files.ts'
import { createMaintenance } from './maintenance.ts'
import { setSession } from './session.ts'
import { readInt8, readTimestamp } from './statements.ts'
import type { Tables } from './tables.ts'
import { copyTemplate } from './template.ts'

/** Moves the times of all migrations to the present, as those of a template are older than the database. */
const migratedNow = `
  do $$ begin
    if to_regclass('kysely_migration') is not null then
      update kysely_migration set timestamp = to_char(
        now() + (timestamp::timestamptz - (select min(timestamp::timestamptz) from kysely_migration)),
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      );
    end if;
  end $$`

/** PostgreSQL's settings. PGlite's own turn flushing off. Emscripten has no `fdatasync`. */
const settings = {
  // The default, 128 MB, is filled with zeros at each start.
  shared_buffers: '16MB',
  wal_sync_method: 'fsync',
  // A checkpoint keeps as much of the log for its next parts, and removes the rest.
  min_wal_size: '32MB',
  max_wal_size: '64MB',
}
const noFlush = '-F'
const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const startParams = [...PGlite.defaultStartParams.filter(parameter => parameter !== noFlush), ...set]

const options: PGliteOptions = {
  parsers: { [types.INT8]: readInt8, [types.TIMESTAMPTZ]: readTimestamp },
  startParams,
}

async function create(more: PGliteOptions): Promise<PGlite> {
  keepBaselineCode()
  const pglite = await PGlite.create({ ...options, ...more })
  await pglite.exec(setSession)
  return pglite
}

/** Opens the embedded database. @throws DirectoryInUse, or Error with a remedy */
export async function openEmbedded({
  dataDir,
  template,
  freezeAge,
}: DatabaseConfig & { kind: 'embedded' }): Promise<OpenDatabase> {
  if (dataDir === null) return openTemporary(template)
  const directory = resolve(dataDir)
  await makeDataDirectory(directory)
  const failed = Promise.withResolvers<Error>()
  const lock = lockDirectory(directory, failed.resolve)
  try {
    await awaitEarlierHolder(lock, directory)
    let files: DurableFiles | undefined
    const open = async (place: string, isNew: boolean) => {
      files = createDurableFiles(place, lock.faultOf, failed.resolve)
      const pglite = await create({ fs: files.files() })
      if (isNew) await pglite.exec(migratedNow)
      await removeTemplates(pglite)
      return pglite
    }
    const fill = async (place: string) => {
      if (template === undefined || !copyTemplate(template, place)) await copyFirstFiles(place)
    }
    const pglite = await createOrOpen(directory, open, fill)
    makePrivate(directory)
    return { ...serve(pglite, files, lock, freezeAge), failed: failed.promise }
  } catch (error) {
    lock.unlock()
    throw error
  }
}

async function openTemporary(template?: string): Promise<OpenDatabase> {
  const { pglite, remove } = await createTemporary(template)
  await pglite.exec(migratedNow)
  const opened = serve(pglite)
  const close = async () => {
    await opened.close()
    remove()
  }
  return { ...opened, close }
}

/**
 * Makes a database that ends with its process: a copy of a template, or one in memory where none can be kept. Making one takes
 * three times the memory of opening a copy.
 * @param template absent: one without tables
 * @returns the database, and what removes its files once it is closed
 */
export async function createTemporary(template?: string): Promise<{ pglite: PGlite; remove(): void }> {
  const origin = template !== undefined && fs.existsSync(template) ? template : await keepFirstFiles()
  if (origin === undefined) return { pglite: await create({}), remove() {} }
  const directory = fs.mkdtempSync(join(tmpdir(), `embedded-database-${process.pid}-`))
  const removeFiles = () => fs.rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeFiles)
  copyTemplate(origin, join(directory, 'postgres'))
  const pglite = await create({
    dataDir: join(directory, 'postgres'),
    startParams: [...PGlite.defaultStartParams, ...set], // nothing of it is kept
  })
  const remove = () => {
    process.off('exit', removeFiles)
    removeFiles()
  }
  return { pglite, remove }
}

/** Databases without a lock file's holder that closed them may be open in a process that is about to notice. */
async function awaitEarlierHolder({ isReplaced, faultOf }: DirectoryLock, directory: string): Promise<void> {
  if (!isReplaced || isClosed(join(directory, 'postgres'))) return
  await sleep(noticedWithin)
  const fault = faultOf()
  if (fault) throw fault
}

/** PostgreSQL's file while a database is open. One that is closed, or new, has none. */
const isClosed = (database: string) => !fs.existsSync(join(database, 'postmaster.pid'))

/** @param files and lock are absent: the database is in memory */
function serve(pglite: PGlite, files?: DurableFiles, lock?: DirectoryLock, freezeAge?: number): OpenDatabase {
  let end: Promise<void> | undefined
  const fault = () => lock?.faultOf() ?? files?.faultOf()
  const faultOf = () => fault() ?? (end && closed())
  const settled = () => {
    const found = fault()
    if (found) throw found
    return files?.settled()
  }
  const inTurn = createTurns()
  const dialect = embeddedDialect(createStatements(pglite), { faultOf, settled }, inTurn)
  const db = new Kysely<Tables>({ dialect })
  const maintenance = createMaintenance(db, () => files?.parts() ?? 0, freezeAge)
  async function shut(): Promise<void> {
    maintenance.close()
    if (!fault()) await inTurn() // nobody has one after it
    // Closing writes, and PostgreSQL may wait for ever where it can't.
    if (!fault() && !pglite.closed) await pglite.close()
    files?.close()
    lock?.unlock()
  }
  const close = () => {
    end ??= shut()
    return end
  }
  return { db, probe: db, waiting: db, maintain: maintenance.maintain, close }
}
