import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Model } from '../../src/document/model.ts'
import { type GeneratedFiles, generate } from '../document/emit.ts'
import type { Service } from './world.ts'

/** Copies of the service, each generated from a document of its own. */
export interface Copies {
  /** @param change what else is done to the directory `src` of the copy */
  make(
    model: Model,
    generated: GeneratedFiles,
    change?: (directory: string) => Promise<void>,
  ): Promise<Service>
  close(): Promise<void>
}

/** Makes room for copies in a temporary directory. Modules that were loaded stay in memory until the process ends. */
export async function openCopies(): Promise<Copies> {
  const root = await mkdtemp(join(tmpdir(), 'petstore-mutants-'))
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  await cp('package.json', join(root, 'package.json'))
  await cp('migrations', join(root, 'migrations'), { recursive: true })
  let made = 0
  return {
    async make(model, generated, change) {
      made += 1
      const directory = join(root, String(made))
      await mkdir(directory)
      await cp('src', join(directory, 'src'), { recursive: true })
      await cp('tsconfig.json', join(directory, 'tsconfig.json')) // which one within src extends
      for (const [name, text] of generated) await writeFile(join(directory, 'src/generated', name), text)
      await change?.(join(directory, 'src'))
      return load(join(directory, 'src'), model)
    },
    close: () => rm(root, { recursive: true }),
  }
}

/** The service whose modules are in a directory, with a document to serve. */
export async function load(directory: string, model: Model): Promise<Service> {
  const module = (name: string) => import(pathToFileURL(resolve(directory, name)).href)
  const [{ buildServer }, { openResources }] = await Promise.all([
    module('server.ts'),
    module('resources.ts'),
  ])
  return { document: { text: JSON.stringify(model.document), model }, buildServer, openResources }
}

/** What the generator makes of a document that is no file. */
export function generatedFrom({ document }: Model): Promise<GeneratedFiles> {
  return generate(document, 'a mutant', 'none')
}
