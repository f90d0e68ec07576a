import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { packedAt, packedFiles } from '../../src/packed.ts'

/**
 * Packs Kysely for a quick start, where that was not done yet. The bundler comes with the tools of developers: without it
 * nothing is packed.
 * @throws Error when it can't be written
 */
export async function packKysely(): Promise<void> {
  const tools = await import('rolldown').catch(() => undefined)
  if (!tools || existsSync(packedAt)) return
  await rm(dirname(packedAt), { recursive: true, force: true }) // that of another version
  const unfinished = `${packedAt}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  const input = Object.fromEntries(Object.entries(packedFiles).map(([name, file]) => [file, name]))
  const bundle = await tools.rolldown({ input, platform: 'node' })
  await bundle.write({ dir: unfinished, entryFileNames: '[name]', chunkFileNames: '[name].mjs' })
  await bundle.close()
  await rename(unfinished, packedAt) // under its name it is always whole
}
