import { readFile } from 'node:fs/promises'
import { type RegisteredRoute, routeFaults } from 'spec-served-cli/internal/check/routes'
import { shared } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { startStore } from 'spec-served-lab/support/store'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
const routes: RegisteredRoute[] = []
shared(() =>
  startStore({
    prepare: app => app.addHook('onRoute', ({ ...route }) => void routes.push(route)),
  }),
)

type Change = (changed: typeof document) => void
function changed(change: Change): typeof document {
  const copy = structuredClone(document)
  change(copy)
  return copy
}

describe('the routes', () => {
  test('the routes are the document’s operations and the exceptions', async () => {
    expect(routeFaults(await modelFrom(document), routes)).toEqual([])
  })

  test.each<[string, Change, string[]]>([
    [
      'an operation of the document without a route',
      d => (d.paths['/photos'] = { get: { ...d.paths['/usage'].get, operationId: 'getPhoto' } }),
      ['GET /photos: the operation getPhoto has no route'],
    ],
    [
      'routes without an operation',
      d => delete d.paths['/usage'],
      [
        'GET /usage: the route is neither an operation of the document nor an exception',
        'HEAD /usage: the route is neither an operation of the document nor an exception',
      ],
    ],
    [
      'a route under another operation’s name',
      d => (d.paths['/pets'].post.operationId = 'addPet'),
      ['POST /pets: the route’s operationId is createPet instead of addPet'],
    ],
  ])('the routes show %s', async (_, change, faults) => {
    expect(routeFaults(await modelFrom(changed(change)), routes)).toEqual(faults)
  })

  const metrics: RegisteredRoute = { method: 'GET', url: '/metrics' }
  test.each<[string, (all: RegisteredRoute[]) => RegisteredRoute[], string]>([
    ['one too many', all => [...all, metrics], 'GET /metrics: the route is neither'],
    ['one twice', all => [...all, ...all], 'GET /usage: the operation getUsage has 2 routes'],
    [
      'one without operationId',
      all => all.map(route => (route.url === '/usage' ? { method: 'GET', url: '/usage' } : route)),
      'GET /usage: the route’s operationId is missing instead of getUsage',
    ],
    [
      'an exception that is no longer needed',
      all => all.filter(route => route.url !== '/docs/yaml'),
      'GET /docs/yaml: the exception has no route',
    ],
  ])('the routes show %s', async (_, change, fault) => {
    expect(routeFaults(await modelFrom(document), change(routes)).join('\n')).toContain(fault)
  })
})
