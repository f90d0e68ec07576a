import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isObject } from 'spec-served-document/pointer'

/** The list of the files that the command wrote, each with the SHA-256 of its content. */
const listName = 'spec-served-docs.json'
/** A path within the folder, on every system. */
const safePath = /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/

/**
 * Writes files into a folder, in place of those that were written there before, and removes those of them that are needless.
 * @throws Error if it would write over anything else; then nothing is written
 */
export async function writeOver(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const place = await stat(folder).catch(() => undefined)
  if (place && !place.isDirectory())
    throw new Error(`${folder} is no folder: name another. Nothing was written.`)
  const before = await readList(folder)
  const inTheWay: string[] = []
  for (const name of new Set([...files.keys(), ...parentsOf(files.keys())]))
    if (!(await isOurs(folder, name, before, files.has(name)))) inTheWay.push(join(folder, name))
  if (inTheWay.length > 0)
    throw new Error(
      `${inTheWay.slice(0, 5).join(', ')} ${inTheWay.length === 1 ? 'was' : 'were'} not written by this command, or changed since. Name another folder, or remove what is there. Nothing was written.`,
    )
  const needless = [...before.keys()].filter(name => !files.has(name))
  const now = new Map([...files].map(([name, content]) => [name, [hashOf(content)]]))
  await mkdir(folder, { recursive: true })
  // The list comes first, so that a run that was interrupted can be repeated.
  const both = new Map([
    ...before,
    ...[...now].map(([name, additions]) => [name, [...(before.get(name) ?? []), ...additions]] as const),
  ])
  await writeList(folder, both)
  for (const [name, content] of files) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  for (const name of needless)
    if (await isOurs(folder, name, before, true)) await rm(join(folder, name), { force: true })
  await writeList(folder, now)
}

type Hashes = ReadonlyMap<string, readonly string[]>

/** Whether nothing stands at a path, or what was written there before. */
async function isOurs(folder: string, name: string, before: Hashes, isFile: boolean): Promise<boolean> {
  const path = join(folder, name)
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!found) return true
  if (!isFile) return found.isDirectory()
  const hashes = before.get(name)
  return found.isFile() && (hashes?.includes(hashOf(await readFile(path))) ?? false)
}

/** The folders of files, below the outermost. */
const parentsOf = (names: Iterable<string>) =>
  [...names].flatMap(name => {
    const parts = name.split('/').slice(0, -1)
    return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
  })

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** @throws Error if the list is none of ours */
async function readList(folder: string): Promise<Hashes> {
  const path = join(folder, listName)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{"files":{}}'
    throw error
  })
  let files: unknown
  try {
    files = JSON.parse(text).files
  } catch {}
  if (!isObject(files)) throw new Error(`${path} is no list of this command. Nothing was written.`)
  return new Map(
    Object.entries(files).flatMap(([name, hashes]) =>
      safePath.test(name) && Array.isArray(hashes) ? [[name, hashes.map(String)] as const] : [],
    ),
  )
}

const writeList = (folder: string, files: Hashes) =>
  writeFile(join(folder, listName), `${JSON.stringify({ files: Object.fromEntries(files) }, null, 1)}\n`)
