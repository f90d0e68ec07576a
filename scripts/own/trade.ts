import type { Model } from '../../src/document/model.ts'
import type { FoundHandler } from '../handlers/found.ts'
import { routeOf } from '../handlers/write.ts'

/** Files and folders (with a slash at the end) of the project that are about its trade, or about the project itself. */
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
  'scripts/bench/',
  'scripts/check-mutants.ts',
  'scripts/demo.ts',
  'scripts/mutants/',
  'scripts/own.ts',
  'scripts/own/',
  'scripts/production/cluster.ts',
  'scripts/production/site.ts',
  'spec/own-document.md',
  'spec/recipes.md',
  'spec/released/',
]

/** Tests that hold for any document. All others go, and of `test/support` what only they use. */
const testsOfAll = [
  'test/README.md',
  'test/document/changes.test.ts',
  'test/document/depth.test.ts',
  'test/document/read.test.ts',
  'test/engine/',
  'test/http/foreign-document.test.ts',
  'test/store/keys.test.ts',
  'test/support/',
]

/** Handlers that any service can have: they stay where the document has all their operations at the same paths. */
const sharedHandlers = ['api-keys.ts', 'system.ts', 'usage.ts']

const isIn = (file: string, places: readonly string[]) =>
  places.some(place => (place.endsWith('/') ? file.startsWith(place) : file === place))

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
  const routes = new Map(model.operations.map(({ id, method, path }) => [id, routeOf(method, path)]))
  const own = Map.groupBy(found, ({ file }) => file)
  const isKept = (file: string) =>
    sharedHandlers.includes(file) &&
    (own.get(file) ?? []).every(({ operation }) => routes.get(operation) === sharedRoutes[operation])
  const kept = [...own.keys()].filter(isKept).map(file => `src/handlers/${file}`)
  const gone = files.filter(
    file =>
      isIn(file, ofTheTrade) ||
      (file.startsWith('test/') && !isIn(file, testsOfAll)) ||
      (own.has(file.replace('src/handlers/', '')) && !kept.includes(file)),
  )
  return { gone, kept }
}

/** Where the operations of the shared handlers are. */
const sharedRoutes: Readonly<Record<string, string>> = {
  getHealth: 'GET /health',
  getUsage: 'GET /usage',
  listApiKeys: 'GET /api-keys',
  createApiKey: 'POST /api-keys',
  getApiKey: 'GET /api-keys/{}',
  updateApiKey: 'PATCH /api-keys/{}',
  revokeApiKey: 'DELETE /api-keys/{}',
  rotateApiKey: 'POST /api-keys/{}/rotate',
}
