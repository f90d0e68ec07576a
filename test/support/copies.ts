import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Service } from '../../scripts/contract/world.ts'
import type { Contract } from '../../src/engine/contract.ts'

/** Copies of the service with changed code. */
export interface Copies {
  /** @param change what is done to the directory `src` of the copy */
  make(contract: Contract, change: (directory: string) => Promise<void>): Promise<Service>
  close(): Promise<void>
}

/** Makes room for copies in a temporary directory. Modules that were loaded stay in memory until the process ends. */
export async function openCopies(): Promise<Copies> {
  const root = await mkdtemp(join(tmpdir(), 'petstore-copies-'))
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  await cp('package.json', join(root, 'package.json'))
  await cp('migrations', join(root, 'migrations'), { recursive: true })
  let made = 0
  return {
    async make(contract, change) {
      made += 1
      const directory = join(root, String(made))
      await mkdir(directory)
      await cp('src', join(directory, 'src'), { recursive: true })
      await cp('tsconfig.json', join(directory, 'tsconfig.json')) // which one within src extends
      await change(join(directory, 'src'))
      const module = (name: string) => import(pathToFileURL(resolve(directory, 'src', name)).href)
      const [{ buildServer }, { openResources }] = await Promise.all([
        module('server.ts'),
        module('resources.ts'),
      ])
      return { contract, buildServer, openResources }
    },
    close: () => rm(root, { recursive: true }),
  }
}
