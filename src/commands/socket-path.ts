import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Longest path of a socket in bytes, on macOS; Linux takes four more. */
const longestPath = 103

/** Where the server of a data directory takes operators' commands. */
export const socketIn = (dataDir: string): string => join(resolve(dataDir), 'socket')

/**
 * Calls with a path to the socket that the system takes: where its own is too long, one through a link in a new
 * directory of this user alone.
 * @param use what it gives is awaited, then the link is gone; the socket stays where it is
 */
export async function atSocket<T>(dataDir: string, use: (path: string) => T | Promise<T>): Promise<T> {
  const path = socketIn(dataDir)
  if (Buffer.byteLength(path) <= longestPath) return use(path)
  const place = mkdtempSync(join(tmpdir(), 'petstore-'))
  try {
    symlinkSync(resolve(dataDir), join(place, 'd'))
    return await use(join(place, 'd', 'socket'))
  } finally {
    rmSync(place, { recursive: true })
  }
}
