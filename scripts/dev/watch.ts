import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** How long a change is waited for to be followed by others, in ms. */
const settling = 30

/** What stands in a file, as far as its entry in the directory tells. */
export type Snapshot = ReadonlyMap<string, string>

/** The files of some directories, but for those that are made from others. */
export async function snapshotOf(directories: readonly string[]): Promise<Snapshot> {
  const entries = await Promise.all(
    directories.map(directory => readdir(directory, { recursive: true, withFileTypes: true })),
  )
  const files = entries
    .flat()
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(file => !file.startsWith(join('src', 'generated')))
  const stats = files.map(async file => {
    // One that has gone meanwhile is told of by the next event.
    const found = await stat(file).catch(() => undefined)
    return [file, `${found?.mtimeMs} ${found?.size}`] as const
  })
  return new Map(await Promise.all(stats))
}

/** The files that differ between two moments. */
export function changedIn(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}

/**
 * Calls back when something in some directories may have changed, once for changes that come together. Each directory is
 * watched by itself: Node's recursive watch loses a file on Linux that an editor or git has replaced.
 */
export function watchFor(directories: readonly string[], changed: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let watchers: FSWatcher[] = []
  const close = () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }

  function noticed(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      follow()
      changed()
    }, settling)
  }

  /** Watches the directories that there are now, anew: one of the same name may be another. */
  function follow(): void {
    close()
    try {
      const present = directories.flatMap(directory => [directory, ...directoriesIn(directory)])
      watchers = present.map(directory => watch(directory, noticed).on('error', noticed))
    } catch {
      noticed() // one has gone meanwhile
    }
  }

  follow()
  return { close }
}

const directoriesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
