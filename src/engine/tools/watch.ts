import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** How long a change is waited for to be followed by others, in ms. */
const settling = 50

/**
 * Calls back with the names when files in some folders have changed, once for changes that come together. Each folder is watched
 * by itself. On Linux, Node's recursive watch and `node --watch` lose a file that an editor has replaced.
 * @param folders returns those that there are now
 * @param changed gets the name of a folder where that of a file is not known
 */
export function watchFolders(
  folders: () => readonly string[],
  changed: (files: readonly string[]) => void,
): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let watchers: FSWatcher[] = []
  const names = new Set<string>()
  const close = () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
  const noticed = (folder: string, file: string | null) => {
    if (file?.startsWith('.')) return // it becomes another one, or is an editor's own
    names.add(file === null ? folder : join(folder, file))
    clearTimeout(timer)
    timer = setTimeout(() => {
      follow()
      changed([...names])
      names.clear()
    }, settling)
  }
  /** Watches the folders that there are now. */
  function follow(): void {
    close()
    try {
      watchers = folders().map(folder => {
        const ofFolder = (file: string | null) => noticed(folder, file)
        return watch(folder, (_, file) => ofFolder(file)).on('error', () => ofFolder(null))
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // of watch
      noticed('.', null) // one has gone meanwhile
    }
  }
  follow()
  return { close }
}
