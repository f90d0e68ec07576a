import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { dataDirectory } from './data-directory.ts'

/** Sees to it that there is a migrated embedded database, which every test file copies. */
export default async function setup(project: TestProject): Promise<void> {
  await rm(await dataDirectory(), { recursive: true })
  project.provide('database', { kind: 'pglite' })
}
