import { afterAll, beforeAll, expect, test } from 'vitest'
import { failToStart } from '../support/process.ts'
import { type ServerDatabase, serverDatabase } from '../support/server-database.ts'

let database: ServerDatabase
beforeAll(async () => {
  database = await serverDatabase()
})
afterAll(() => database.close())

/** A module for `--import` after which a package's files have another name for something throughout. */
function renaming(files: string, name: string): string {
  const code = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        if (!url.includes(${JSON.stringify(files)}) || loaded.source == null) return loaded
        const source = Buffer.from(loaded.source).toString().replaceAll(/\\b${name}\\b/g, 'renamed')
        return { ...loaded, source }
      },
    })`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

test.each([
  ['/node_modules/pg/', 'handleCommandComplete'],
  ['/node_modules/pg/', 'prepareValue'],
  ['/node_modules/pg/', 'submit'],
  ['/node_modules/pg/', 'processID'],
])('where a package (%s) has renamed its %s, the service says so and does not start', async (files, name) => {
  const { code, output } = await failToStart(database.env, '.', ['--import', renaming(files, name)])
  expect(output).toContain(name)
  expect(output).toContain('install the version that package-lock.json names')
  expect(code).toBe(1)
})
