import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { keepBaselineCode } from './baseline-compiler.ts'
import { copyTemplate, templateFor } from './template.ts'

/**
 * Returns the template of a database without tables, from which all others begin. It is made where it is missing.
 * @returns undefined where it can't be kept beside the packages
 */
export async function keepFirstFiles(): Promise<string | undefined> {
  const template = templateFor({})
  if (existsSync(template)) return template
  let place: string | undefined
  try {
    mkdirSync(dirname(template), { recursive: true })
    place = mkdtempSync(join(dirname(template), 'new-'))
    await makeFirstFiles(join(place, 'postgres'))
    renameSync(join(place, 'postgres'), template) // whole, or not at all
  } catch {
    if (!existsSync(template)) return undefined // otherwise another process was first
  } finally {
    if (place !== undefined) rmSync(place, { recursive: true, force: true })
  }
  return template
}

/** Fills the place of a new database with one without tables. Where that fails, PGlite does so when it opens the place. */
export async function copyFirstFiles(directory: string): Promise<void> {
  const template = await keepFirstFiles()
  if (template !== undefined) copyTemplate(template, directory)
  else await makeFirstFiles(directory).catch(() => rmSync(directory, { recursive: true, force: true }))
}

/** Longest time in which a slow machine makes a database, in ms. */
const madeWithin = 180_000

/**
 * Makes a database without tables, in a process that ends with that. `initdb` compiles and runs PostgreSQL several times,
 * and a process that has done so keeps half a gigabyte.
 */
async function makeFirstFiles(directory: string): Promise<void> {
  const program = `import(${JSON.stringify(import.meta.url)}).then(files => files.write(process.argv[1]))`
  const { NODE_OPTIONS: _, ...env } = process.env // debuggers and loaders are for this process
  await promisify(execFile)(process.execPath, ['-e', program, directory], { env, timeout: madeWithin })
}

/** Writes the files of a database without tables. @public to the process that is started for that */
export async function write(directory: string): Promise<void> {
  keepBaselineCode()
  const pglite = await PGlite.create({ dataDir: directory })
  await removeTemplates(pglite)
  await pglite.close()
}

/**
 * Removes PostgreSQL's templates of databases, as there will be no other: two thirds of a new database's files. Nobody could
 * vacuum them, and transactions end 2^31 after the last vacuum of any.
 */
export async function removeTemplates(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ name: string }>(
    "select datname as name from pg_database where datname in ('template0', 'template1') and datname <> current_database()",
  )
  if (rows.length === 0) return
  await pglite.exec("update pg_database set datistemplate = false where datname like 'template_'")
  for (const { name } of rows) await pglite.exec(`drop database ${name}`)
}
