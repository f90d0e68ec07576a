import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'

/** The directory of what an install made and may make again. */
const kept = 'node_modules/.cache'

/**
 * Returns the path of Chromium: CHROME_PATH, else npm's. That unpacks itself into the directory for temporary files, and
 * takes whatever program of its name is there. So it gets one that belongs to this user alone.
 */
export async function chromiumPath(): Promise<string> {
  const { CHROME_PATH, TMPDIR } = process.env
  if (CHROME_PATH) return CHROME_PATH
  chromium.setGraphicsMode = false
  process.env.TMPDIR = ownDirectory()
  try {
    return await chromium.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
}

function ownDirectory(): string {
  try {
    accessSync(kept, constants.W_OK)
    const directory = join(process.cwd(), kept, 'chromium')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return directory
  } catch {
    return temporaryDirectory() // another user has installed the packages
  }
}
