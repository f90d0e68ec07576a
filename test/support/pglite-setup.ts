import type { TestProject } from 'vitest/node'

/** Has each test file copy an embedded database. */
export default function setup(project: TestProject): void {
  project.provide('database', { kind: 'pglite' })
}
