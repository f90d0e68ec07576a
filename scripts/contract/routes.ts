import type { RouteOptions } from 'fastify'
import type { Model } from '../../src/document/model.ts'
import { routeOf } from '../../src/engine/routes/paths.ts'

/** The routes that are no operation of the document, each with the reason why it may be there. */
const exceptions: Record<string, string> = {
  'GET /': 'leads a browser to the docs',
  'GET /openapi.json': 'the document itself',
  'GET /openapi.yaml': 'the document itself',
  'GET /docs/llms.txt': 'the interface in Markdown, for language models',
  'GET /docs/changes.md': 'what each release brought',
  'GET /docs/sunsets.ics': 'the days on which operations end',
  'GET /docs/operations/{name}': 'an operation in Markdown',
  'GET /docs': 'the page of the docs',
  'HEAD /docs/': 'the same page with a slash at its end: Fastify announces only the HEAD of that',
  'GET /docs/json': 'Swagger UI’s own copy, which leads to the document',
  'GET /docs/yaml': 'Swagger UI’s own copy, which leads to the document',
  'GET /docs/static/*': 'the files of Swagger UI',
  'GET /docs/static/swagger-initializer.js': 'what starts Swagger UI',
  'GET /docs/static/theme/page.css': 'the styles of the page',
  'GET /docs/static/theme/page.js': 'the scripts of the page',
  'GET /docs/static/theme/favicon.svg': 'the icon of the page',
  'GET /docs/static/index.html': 'the page of the docs, at Swagger UI’s own address',
}

/** A route as its registration tells of it. */
export type Route = Pick<RouteOptions, 'method' | 'url' | 'config'>

/**
 * Holds the routes of a server against the document: one for each operation, under its operationId, and no other but
 * the exceptions above and the HEAD of a GET.
 * @param routes all that the server has registered
 * @returns a line a fault
 */
export function routeFaults({ operations: declared }: Model, routes: readonly Route[]): string[] {
  const registered = routes.flatMap(({ method, url, config }) =>
    [method].flat().map(verb => ({ name: nameOf(verb, url), operationId: operationIdOf(config) })),
  )
  const byName = Map.groupBy(registered, route => route.name)
  const operations = new Map<string, string>(
    declared.map(({ method, path, id }) => [nameOf(method, routeOf(path)), id]),
  )

  const written = new Map(
    declared.map(({ method, path }) => [nameOf(method, routeOf(path)), `${method} ${path}`]),
  )
  const missing = [...operations.keys(), ...Object.keys(exceptions)].flatMap(name => {
    const count = byName.get(name)?.length ?? 0
    const what = operations.has(name) ? `operation ${operations.get(name)}` : 'exception'
    return count === 1
      ? []
      : [`${written.get(name) ?? name}: the ${what} has ${count === 0 ? 'no route' : `${count} routes`}`]
  })
  const wrong = registered.flatMap(({ name, operationId }) => {
    // Fastify answers HEAD where there is a GET.
    const source = operations.has(name) || name in exceptions ? name : name.replace(/^HEAD /, 'GET ')
    const due = operations.get(source)
    if (due === undefined && !(source in exceptions))
      return [`${name}: the route is neither an operation of the document nor an exception`]
    return operationId === due
      ? []
      : [
          `${written.get(source) ?? name}: the route’s operationId is ${operationId ?? 'missing'} instead of ${due ?? 'none'}`,
        ]
  })
  return [...missing, ...wrong]
}

/** Method and path in the document's way of writing them. */
const nameOf = (method: string, url: string) => `${method.toUpperCase()} ${url.replace(/:(\w+)/g, '{$1}')}`

function operationIdOf(config: object | undefined): unknown {
  return config && 'operationId' in config ? config.operationId : undefined
}
