import type { TestProject } from 'vitest/node'
import { databaseTemplate } from './data-directory.ts'

/** Has each test file copy an embedded database, which is made before the processes that need it ask all at once. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('database', { kind: 'pglite' })
  await databaseTemplate()
}
