import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/** Opens something before the tests of a file, or of a `describe`, and closes it after them. It is empty until then. */
export function shared<T extends AsyncDisposable>(open: () => T | Promise<T>): T {
  const opened = {} as T // filled before the first test
  beforeAll(async () => void Object.assign(opened, await open()))
  afterAll(() => opened[Symbol.asyncDispose]?.()) // what could not be opened has none
  return opened
}

/** The same, again for each test. */
export function renewed<T extends AsyncDisposable>(open: () => T | Promise<T>): T {
  const opened = {} as T // filled before each test
  beforeEach(async () => void Object.assign(opened, await open()))
  afterEach(() => opened[Symbol.asyncDispose]?.()) // what could not be opened has none
  return opened
}

/** A directory that is removed after the tests of a file. */
export function sharedDirectory(): string {
  const directory = temporaryDirectory()
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The same within the project, where code finds its packages and compiler settings; a path from there. */
export function sharedOutput(): string {
  mkdirSync('test/.output', { recursive: true })
  const directory = mkdtempSync('test/.output/')
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A directory that is empty at the beginning of each test. */
export function renewedDirectory(): string {
  const directory = sharedDirectory()
  beforeEach(() => {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
  })
  return directory
}
