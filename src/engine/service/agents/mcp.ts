import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../document/pointer.ts'
import { ipOf } from '../callers/authentication.ts'
import { bearerSchemes } from '../callers/scheme.ts'
import { docsAddresses, originOf, type Place, someOrigin } from '../contract/addresses.ts'
import type { Contract } from '../contract/contract.ts'
import { ApiError } from '../errors/api-error.ts'
import { invalidRequest, Unreadable } from '../errors/faults.ts'
import { Misfit, parseStrictJson } from '../values/strict-json.ts'
import { queryOf } from '../values/values.ts'
import { ownOf, sendWithin } from './call.ts'
import { type Choice, chosenFrom, mostListed, searchTool } from './choice.ts'
import type { Host, openMcp } from './server.ts'
import { type Tool, toolsOf } from './tools.ts'

export interface McpOptions {
  contract: Contract
  now(): Date
  /** the URL at which callers reach the service; absent: the origin of each request */
  publicUrl?: string | undefined
  /** false: no route; undefined: a route if the package is installed */
  mcp?: boolean | undefined
  /** the issuer of tokens; with a `publicUrl`, agents learn of it; absent: none */
  tokenIssuer?: string | undefined
  /** the operations that are tools; absent: all */
  agentTools?: Choice | undefined
}

/**
 * Serves the operations to agents as tools (Model Context Protocol, Streamable HTTP). Each call of a tool goes through all
 * stages, as any request of the caller. The protocol's code is loaded at the first request.
 * @throws Error when `mcp` is true and the package is missing
 */
export async function mcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { contract, now, publicUrl, mcp: isWanted, tokenIssuer, agentTools = {} } = options
  if (!(isWanted ?? isInstalled())) return
  if (!isInstalled()) throw new Error('MCP=on needs a package: npm install @modelcontextprotocol/server')
  const { model } = contract
  const { mcp: url, resource, page } = docsAddresses(model)
  const tools = chosenFrom(toolsOf(contract), agentTools)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: FastifyRequest, text: string) => {
    try {
      return parseStrictJson(text)
    } catch (error) {
      if (error instanceof Misfit && isObject(error.value) && error.value.id !== undefined) throw error
      throw error instanceof Unreadable ? invalidRequest('The body is', error.faults) : error
    }
  })
  // Clients show agents the answer to a message, and no status.
  app.setErrorHandler(async (error, request, reply) => {
    if (!(error instanceof Misfit) || !isObject(error.value)) throw error
    const { id, method } = error.value
    const { message, code } = invalidRequest('The message is', error.faults)
    request.refusal = code
    if (method === 'tools/call') await app.charge(request, reply)
    const result = { isError: true, content: [{ type: 'text', text: message }] }
    const outcome = method === 'tools/call' ? { result } : { error: { code: -32_602, message } }
    reply.type('application/json; charset=utf-8')
    return reply.send(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  const schema = { hide: true }
  const metadata =
    tokenIssuer && publicUrl && bearerSchemes(model).length > 0
      ? {
          resource: publicUrl + url,
          authorization_servers: [tokenIssuer],
          bearer_methods_supported: ['header'],
          scopes_supported: scopesOf(contract),
          resource_name: model.document.info.title,
          resource_documentation: publicUrl + page,
        }
      : undefined
  if (metadata)
    app.get(resource, { schema }, async (_, reply) =>
      reply
        .header('access-control-allow-origin', '*')
        .type('application/json')
        .send(JSON.stringify(metadata)),
    )
  const config = { takesKeys: true, ...(metadata && { resourceMetadata: `${publicUrl}${resource}` }) }
  // Operations with the same requirements have the same caller.
  const groups = [...Map.groupBy(tools, ({ operation }) => JSON.stringify(operation.security)).values()]
  /** Returns the tools that the caller of a request may use. */
  async function allowedTo(request: FastifyRequest): Promise<ReadonlySet<Tool>> {
    const own = groups.map(async group => {
      const caller = await app.callerOf(request, group[0]?.operation.id ?? '')
      const mayCall = ({ facts, operation: { id } }: Tool) =>
        (!facts.secured || caller.kind === 'key') && app.lackedScopes(id, caller) === undefined
      return group.filter(mayCall)
    })
    return new Set((await Promise.all(own)).flat())
  }
  /** Returns the tools that the URL of a request asks for: `?tools=TAG,OPERATION&read-only`. */
  function wishedIn(url: string): readonly Tool[] {
    const query = queryOf(url)
    if (query === '') return tools
    const wished = new URLSearchParams(query)
    const names = wished.get('tools')?.split(',')
    const readOnly = wished.has('read-only') && wished.get('read-only') !== 'false'
    try {
      return chosenFrom(tools, { names, readOnly })
    } catch (error) {
      throw new ApiError('invalid_request', (error as Error).message) // chosenFrom throws Errors
    }
  }
  let opened: ReturnType<typeof openMcp> | undefined
  // Clients ask for a stream of messages, and end their sessions. This server has neither, and such requests cost nothing.
  app.route({
    ...{ method: ['GET', 'DELETE'], url, schema, exposeHeadRoute: false },
    config: { ...config, isRefused: true },
    async handler() {
      const headers = { Allow: 'POST, OPTIONS' }
      throw new ApiError('method_not_allowed', 'There are no sessions.', { headers })
    },
  })
  app.post(url, { config, schema }, async (request, reply) => {
    if (!isOriginAllowed(request, reply, publicUrl))
      throw new ApiError('origin_refused', 'Pages of this origin may not use the service.')
    const { headers, id, body } = request
    const offered = wishedIn(request.url)
    if (metadata && request.caller.kind === 'address') {
      await app.charge(request, reply)
      throw app.unauthenticated(request) // agents ask the issuer for a token at that
    }
    if (Array.isArray(body))
      throw new ApiError('invalid_request', 'The body is a list: send each message in a request of its own.')
    opened ??= (await import('./server.ts')).openMcp({ contract, tools, now })
    const { answer } = opened
    const fields = new Headers(Object.entries(headers).map(([name, value]) => [name, `${value}`]))
    const own = ownOf(model, request)
    own.headers['x-request-id'] = id
    const send = sendWithin(app, ipOf(request))
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    let isSent = false
    let failure: unknown
    let challenge: string | undefined
    const host: Host = {
      ...{ origin: baseOf(app.placeOf(request)), own, tools: offered },
      allowed: async () => allowedTo(request),
      async send(call) {
        // The call itself costs, and is under way.
        if (!isSent) app.giveBack(request)
        app.endWork(request)
        isSent = true
        const answer = await send(call)
        if (metadata && answer.status === 403) challenge = answer.headers.get('www-authenticate') ?? undefined
        return answer
      },
      failed(error) {
        failure = error
      },
    }
    const { method, params } = isObject(body) ? body : {}
    const isSearch = offered.length > mostListed && isObject(params) && params.name === searchTool.name
    const isCall = method === 'tools/call' && !isSearch
    const answered = await answer(host, body, fields, gone.signal)
    if (failure !== undefined) throw failure
    if (isCall && !isSent) await app.charge(request, reply) // as an unknown path costs
    reply.headers(await app.limitFieldsOf(request.caller)) // after the calls of tools
    // Agents ask the issuer for a token with more scopes then.
    if (challenge !== undefined)
      reply.header('www-authenticate', `${challenge}, resource_metadata="${config.resourceMetadata}"`)
    reply
      .code(challenge === undefined ? (answered?.status ?? 200) : 403)
      .type('application/json; charset=utf-8')
    return reply.send(answered?.text)
  })
}

/** Returns all scopes that tokens for a document may need. */
function scopesOf({ model, facts }: Contract): string[] {
  const bearers = bearerSchemes(model)
  const listed = model.operations.flatMap(({ security }) =>
    security.flatMap(one => bearers.flatMap(name => one[name] ?? [])),
  )
  const own = [...facts.values()].flatMap(({ scope }) => scope ?? [])
  return [...new Set([...own, ...listed])]
}

const baseOf = ({ origin, prefix }: Place) => (origin === null ? someOrigin : `${origin}${prefix}`)

/** Whether the protocol's package is installed. */
function isInstalled(): boolean {
  try {
    return import.meta.resolve('@modelcontextprotocol/server') !== ''
  } catch {
    return false
  }
}

/**
 * Whether a request comes from no page, or from one that may send it. A page with the service's own host may not, unless the
 * host is an address or localhost: an attacker may have bound a name to this address (DNS rebinding).
 */
function isOriginAllowed(request: FastifyRequest, reply: FastifyReply, publicUrl: string | undefined) {
  const { origin } = request.headers
  const isPublic = publicUrl !== undefined && origin === new URL(publicUrl).origin
  if (origin === undefined || isPublic) return true
  if (reply.hasHeader('access-control-allow-origin')) return true
  const isUnnamed = /^https?:\/\/(localhost|[\d.]+|\[[\da-f:.]+\])(:\d+)?$/i.test(origin)
  return isUnnamed && origin === originOf(request)
}
