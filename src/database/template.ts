import { createHash } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writeThrough } from './backup.ts'
import { openDatabase } from './connect.ts'
import { makePrivate, type Source } from './directory.ts'
import { migrateToLatest } from './migrate.ts'

/** How long what others leave in the cache may be in use, in ms: databases that are being made, or of another version. */
const inUse = 600_000

/** Beside the installed packages: who can write there can change the program as well. */
const usualCache = join(import.meta.dirname, '../../node_modules/.cache/databases')

/**
 * Where a new embedded database in a directory comes from: a copy of the template takes a fiftieth of the time that PGlite
 * takes to make one. The copies share the identifier by which PostgreSQL's replicas and backups know a system; an embedded
 * database has neither.
 */
export function templateDatabase(cache: string = usualCache): Source {
  return {
    async copyTo(directory) {
      try {
        cpSync(await makeTemplate(cache), directory, { recursive: true, mode: constants.COPYFILE_FICLONE })
        return true
      } catch {
        rmSync(directory, { recursive: true, force: true })
        return false
      }
    },
    discard() {
      rmSync(placeOf(cache), { recursive: true, force: true })
    },
  }
}

/**
 * Makes a migrated embedded database without a row, where there is none yet.
 * @param cache a directory, made where it is missing
 * @returns where it is
 * @throws Error when it can't be made there
 */
export async function makeTemplate(cache: string = usualCache): Promise<string> {
  const template = placeOf(cache)
  if (existsSync(template)) return template
  mkdirSync(cache, { recursive: true })
  for (const other of readdirSync(cache)) {
    const left = join(cache, other)
    if (Date.now() - statSync(left).mtimeMs > inUse) rmSync(left, { recursive: true, force: true })
  }
  const unfinished = mkdtempSync(`${template}.`)
  try {
    const { db, close } = await openDatabase({ kind: 'embedded', dataDir: unfinished })
    await migrateToLatest(db).finally(close)
    makePrivate(unfinished)
    writeThrough(unfinished)
    // Under its name it is always whole, whoever else is making one.
    renameSync(join(unfinished, 'postgres'), template)
  } catch (error) {
    if (!existsSync(template)) throw error // else somebody was faster
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return template
}

/** The name tells what a new database is made of: PGlite, and our steps. */
function placeOf(cache: string): string {
  const library = dirname(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')))
  const { version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  const steps = join(import.meta.dirname, '../../migrations')
  const hash = createHash('sha256')
  for (const file of readdirSync(steps).sort()) hash.update(file).update(readFileSync(join(steps, file)))
  return join(cache, `${version}-${hash.digest('hex').slice(0, 16)}`)
}
