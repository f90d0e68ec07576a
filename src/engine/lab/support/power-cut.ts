import fs from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The names in a directory: by each name a file's number, or 'directory'. */
export type Names = Record<string, string>

/** The places beside a directory where what was flushed of it is kept. */
export function recordOf(directory: string) {
  const record = `${directory}.flushed`
  return {
    contentsOf: (id: string) => join(record, 'contents', id),
    namesOf: (path: string) => join(record, 'names', encodeURIComponent(path)),
    remove: () => fs.rmSync(record, { recursive: true, force: true }),
  }
}

/** The environment of a process that records what it flushes of a directory. */
export const recording = (directory: string) => ({
  FLUSHES_OF: directory,
  NODE_OPTIONS: `--conditions=spec-served-source --import ${pathToFileURL(join(import.meta.dirname, 'record-flushes.ts'))}`,
})

/**
 * Takes from a directory what a power cut would take: all that the process that recorded has not flushed.
 * It must have ended.
 */
export function cutPower(directory: string): void {
  const { contentsOf, namesOf, remove } = recordOf(directory)
  const left = `${directory}.left`
  function restore(from: string, to: string): void {
    fs.mkdirSync(to, { mode: 0o700 })
    const place = namesOf(from)
    const names: Names = fs.existsSync(place) ? JSON.parse(fs.readFileSync(place, 'utf8')) : {}
    for (const [name, id] of Object.entries(names)) {
      if (id === 'directory') restore(join(from, name), join(to, name))
      else if (fs.existsSync(contentsOf(id))) fs.copyFileSync(contentsOf(id), join(to, name))
      else fs.writeFileSync(join(to, name), '')
    }
  }
  restore(directory, left)
  fs.rmSync(directory, { recursive: true })
  fs.renameSync(left, directory)
  remove()
}
