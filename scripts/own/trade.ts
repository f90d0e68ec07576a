import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import type { Model } from '../../src/document/model.ts'
import type { FoundHandler } from '../handlers/found.ts'

/** Files and folders of the project that are about its trade, or about the project itself. */
const ofTheTrade = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'migrations/0001-store.ts',
  'migrations/0005-names-and-pages.ts',
  'migrations/0008-stock-levels.ts',
  'migrations/0009-index-on-stock-levels.ts',
  'migrations/0011-plain-indexes.ts',
  'migrations/0012-no-stock-levels.ts',
  'scripts/bench.ts',
  'scripts/bench',
  'scripts/check-mutants.ts',
  'scripts/demo.ts',
  'scripts/mutants',
  'scripts/own.ts',
  'scripts/own',
  'scripts/production/cluster.ts',
  'scripts/production/site.ts',
  'spec/own-document.md',
  'spec/recipes.md',
  'spec/released',
]

/** Tests that hold for any document. All others go, and of `test/support` what only they use. */
const testsOfAll = [
  'test/document/changes.test.ts',
  'test/document/depth.test.ts',
  'test/document/read.test.ts',
  'test/engine',
  'test/http/foreign-document.test.ts',
  'test/store/keys.test.ts',
  'test/support',
]

/** Handlers that any service can have: they stay where the document has all their operations. */
const sharedHandlers = ['api-keys.ts', 'system.ts', 'usage.ts']

const isIn = (file: string, places: readonly string[]) =>
  places.some(place => file === place || file.startsWith(`${place}/`))

/** What is done with the project for another document. */
export interface Division {
  /** files that go */
  gone: string[]
  /** files with handlers that stay, if they compile with the document */
  kept: string[]
}

/**
 * Parts the project into what any service needs and what only the pet store does.
 * @param files of the project, from its root
 */
export function divide(files: readonly string[], model: Model, found: readonly FoundHandler[]): Division {
  const own = Map.groupBy(found, ({ file }) => `src/handlers/${file}`)
  const kept = sharedHandlers
    .map(file => `src/handlers/${file}`)
    .filter(file => own.get(file)?.every(({ operation }) => model.operation(operation)))
  const isGone = (file: string) =>
    isIn(file, ofTheTrade) ||
    (file.startsWith('test/') && !isIn(file, testsOfAll)) ||
    (own.has(file) && !kept.includes(file))
  return { gone: files.filter(isGone), kept }
}

/** Code of the trade and helpers of tests that nothing leads to. @param files those that are left */
export function leftOver(files: readonly string[]): string[] {
  const roots =
    /^src\/(main|compile-cache)\.js$|^migrations\/index\.ts$|^scripts\/(dev\/|[^/]+\.ts$)|^vitest\.config\.ts$|^test\/.*(\.test\.ts|-setup\.ts|support\/(browser|longest-first)\.ts)$/
  const reached = reachableFrom(files.filter(file => roots.test(file)))
  const mayGo = /^(src\/(handlers|store|commands)|test\/(support|engine))\/.*\.ts$/
  return files.filter(file => mayGo.test(file) && !reached.has(file))
}

/** Where TypeScript and JavaScript name other files: imports, and what is started or read by its URL. */
const named =
  /(?:from|import|import\()\s*['"](\.{1,2}\/[^'"]+)['"]|new URL\(\s*['"]([^'"]+)['"], import\.meta\.url/g

/** All files that some files lead to, with themselves; those that are not there lead nowhere. */
function reachableFrom(roots: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const open = [...roots]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !existsSync(file)) continue
    reached.add(file)
    if (!/\.[jt]s$/.test(file)) continue
    for (const [, imported, url] of readFileSync(file, 'utf8').matchAll(named))
      open.push(join(file, '..', imported ?? url ?? ''))
  }
  return reached
}
