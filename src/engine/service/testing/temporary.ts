import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pattern = /^petstore-test-(\d+)-/

/** A new directory of this process, in the system's place for temporary ones; whoever makes it removes it. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), `petstore-test-${process.pid}-`))
}

/**
 * Removes the directories of test runs that were killed: their names say whose they were.
 * @param release called with each before it goes, to end what still runs in it
 */
export async function removeAbandoned(release: (directory: string) => Promise<void>): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = Number(pattern.exec(name)?.[1] ?? process.pid)
    const directory = join(tmpdir(), name)
    if (isAlive(owner) || !isOurs(directory)) continue
    await release(directory)
    try {
      rmSync(directory, { recursive: true, force: true })
    } catch {
      spawnSync('umount', ['-l', directory]) // it was a disk of its own
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** Whether a directory is this user's, and not one that another has made for a user to follow. */
function isOurs(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

/** Whether a process has this number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // somebody else's process; kill throws no other kind
  }
}
