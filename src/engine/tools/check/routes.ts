import type { RouteOptions } from 'fastify'
import { routeOf } from 'spec-served-document/contract/path-templates'
import type { Model } from 'spec-served-document/model'

/** The routes that are no operation of the document, each with the reason why it may be there. */
const exceptions: Record<string, string> = {
  'GET /': 'leads a browser to the docs',
  'GET /openapi.json': 'the document itself',
  'GET /openapi.yaml': 'the document itself',
  'GET /favicon.ico': 'leads browsers to the icon where a reply is no page',
  'GET /docs/llms.txt': 'the interface in Markdown, for language models',
  'GET /docs/changes.md': 'what each release brought',
  'GET /docs/changes.atom': 'the same as a feed',
  'GET /docs/releases/{name}': 'a released document',
  'GET /docs/sunsets.ics': 'the days on which operations end',
  'GET /docs/operations/{name}': 'an operation in Markdown',
  'POST /mcp': 'the operations as tools, for agents',
  'GET /mcp': 'a stream that agents ask for: 405, at no cost',
  'DELETE /mcp': 'the end of a session, of which there is none: 405, at no cost',
  'GET /.well-known/oauth-protected-resource/mcp': 'the issuer of tokens for agents',
  'GET /livez': 'says to an orchestrator that the process runs',
  'GET /readyz': 'says to a load balancer whether the service can serve',
  'GET /docs': 'the page of the docs',
  'HEAD /docs/': 'the same page with a slash at its end: Fastify announces only the HEAD of that',
  'GET /docs/json': 'Swagger UI’s own copy, which leads to the document',
  'GET /docs/yaml': 'Swagger UI’s own copy, which leads to the document',
  'GET /docs/static/*': 'the files of Swagger UI',
  'GET /docs/static/swagger-initializer.js': 'what starts Swagger UI',
  'GET /docs/static/theme/page.css': 'the styles of the page',
  'GET /docs/static/theme/page.js': 'the scripts of the page',
  'GET /docs/static/languages.js': 'code in further languages, for the page',
  'GET /docs/static/theme/favicon.svg': 'the icon of the page',
  'GET /docs/static/index.html': 'the page of the docs, at Swagger UI’s own address',
}

/** Those that are there only where an optional package is installed, or a setting asks for them. */
const optional = /\/mcp$/

/** A route as its registration tells of it. */
export type RegisteredRoute = Pick<RouteOptions, 'method' | 'url' | 'config'>

/**
 * Holds the routes of a server against the document: one for each operation, under its operationId. Others are a
 * fault, apart from the exceptions above and the HEAD of a GET.
 * @param routes all that the server has registered
 * @returns a line a fault
 */
export function routeFaults({ operations }: Model, routes: readonly RegisteredRoute[]): string[] {
  const due = new Map<string, { what: string; where: string; operationId?: string }>(
    Object.keys(exceptions).map(name => [name, { what: 'exception', where: name }]),
  )
  for (const { method, path, url, id } of operations)
    due.set(nameOf(method, routeOf(url)), {
      what: `operation ${id}`,
      where: `${method} ${path}`,
      operationId: id,
    })
  const registered = routes.flatMap(({ method, url, config = {} }) =>
    [method].flat().map(verb => ({
      name: nameOf(verb, url),
      operationId: 'operationId' in config ? config.operationId : undefined,
    })),
  )
  const byName = Map.groupBy(registered, ({ name }) => name)
  const missing = [...due].flatMap(([name, { what, where }]) => {
    const { length } = byName.get(name) ?? []
    return length === 1 || (length === 0 && optional.test(name))
      ? []
      : [`${where}: the ${what} has ${length === 0 ? 'no route' : `${length} routes`}`]
  })
  const wrong = registered.flatMap(({ name, operationId }) => {
    // Fastify answers HEAD where there is a GET.
    const dueRoute = due.get(name) ?? due.get(name.replace(/^HEAD /, 'GET '))
    if (!dueRoute) return [`${name}: the route is neither an operation of the document nor an exception`]
    const difference = `${operationId ?? 'missing'} instead of ${dueRoute.operationId ?? 'none'}`
    return operationId === dueRoute.operationId
      ? []
      : [`${dueRoute.where}: the route’s operationId is ${difference}`]
  })
  return [...missing, ...wrong]
}

/** Method and path in the document's way of writing them. */
const nameOf = (method: string, url: string) => `${method.toUpperCase()} ${url.replace(/:(\w+)/g, '{$1}')}`
