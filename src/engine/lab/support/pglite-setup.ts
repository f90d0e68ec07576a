import { keepTemplate } from 'spec-served/internal/testing/template'
import type { TestProject } from 'vitest/node'
import { service } from './petstore.ts'

/** Makes an embedded database for each test file to copy, before the processes ask for it all at once. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('database', { kind: 'pglite' })
  await keepTemplate(service.migrations)
}
