import type { FastifyInstance, FastifyRequest } from 'fastify'
import { docsAddresses, someOrigin } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { isObject } from 'spec-served-document/pointer'
import { Unreadable } from 'spec-served-document/values/faults'
import { Misfit, parseStrictJson } from 'spec-served-document/values/strict-json'
import { queryOf } from 'spec-served-document/values/values'
import { allowedOperations } from '../callers/allowed.ts'
import { ipOf } from '../callers/authentication.ts'
import { forwardedOf } from '../callers/forwarding.ts'
import { type IssuerOptions, resourceMetadata } from '../callers/resource-metadata.ts'
import { ApiError } from '../errors/api-error.ts'
import { invalidRequest } from '../errors/invalid-request.ts'
import { refuseOtherOrigins } from '../http/origins.ts'
import { isInstalled } from '../runtime/installed.ts'
import { sendWithin } from '../validation/sending.ts'
import { type Choice, chosenFrom, mostListed, searchTool } from './choice.ts'
import type { Host, openMcp } from './server.ts'
import { type Tool, toolsOf } from './tools.ts'

export interface McpOptions extends IssuerOptions {
  contract: Contract
  now(): Date
  /** false: no route; undefined: a route if the package is installed */
  mcp?: boolean | undefined
  /** the operations that are tools; absent: all */
  agentTools?: Choice | undefined
}

/** The package of the protocol. A project installs it if it wants tools. */
export const sdk = '@modelcontextprotocol/server'

/**
 * Serves the operations to agents as tools (Model Context Protocol, Streamable HTTP). Each call of a tool goes through all
 * stages, as any request of the caller. The protocol's code is loaded at the first request.
 * @throws Error when `mcp` is true and the package is missing
 */
export async function mcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { contract, now, publicUrl, mcp: isWanted = isInstalled(sdk), agentTools = {} } = options
  if (!isWanted) return
  if (!isInstalled(sdk)) throw new Error(`MCP=on needs a package: npm install ${sdk}`)
  const { mcp: url } = docsAddresses(contract.model)
  const tools = chosenFrom(toolsOf(contract), agentTools)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: FastifyRequest, text: string) => {
    try {
      return parseStrictJson(text)
    } catch (error) {
      // Clients show agents the answer to a message, and no status.
      if (error instanceof Misfit && isObject(error.value) && error.value.id !== undefined) return error
      throw error instanceof Unreadable ? invalidRequest('The body is', error.faults) : error
    }
  })
  const schema = { hide: true }
  const metadata = resourceMetadata(app, contract, options)
  const allowedTo = allowedOperations(app, contract)
  const config = { takesKeys: true, ...(metadata !== undefined && { resourceMetadata: metadata }) }
  let opened: ReturnType<typeof openMcp> | undefined
  // Clients ask for a stream of messages, and end their sessions. This server has neither, and such requests cost nothing.
  app.route({
    ...{ method: ['GET', 'DELETE'], url, schema, exposeHeadRoute: false },
    config: { ...config, isRefused: true },
    async handler() {
      const headers = { Allow: 'POST, OPTIONS' }
      throw new ApiError('method_not_allowed', 'There are no sessions: send each message by POST.', {
        headers,
      })
    },
  })
  app.post(url, { config, schema }, async (request, reply) => {
    refuseOtherOrigins(request, reply, publicUrl)
    const offered = wishedOf(tools, queryOf(request.url))
    if (metadata && request.caller.kind === 'address') {
      await app.charge(request, reply)
      throw app.unauthenticated(request) // agents ask the issuer for a token at that
    }
    const misfit = request.body instanceof Misfit ? request.body : undefined
    const message = misfit ? misfit.value : request.body
    if (Array.isArray(message))
      throw new ApiError('invalid_request', 'The body is a list: send each message in a request of its own.')
    const { id, method, params } = isObject(message) ? message : {}
    const refusal = misfit && invalidRequest('The message is', misfit.faults)
    reply.type('application/json; charset=utf-8')
    if (refusal && method !== 'tools/call')
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_602, message: refusal.message } })
    opened ??= (await import('./server.ts')).openMcp(contract, now)
    const fields = new Headers()
    for (const [name, value] of Object.entries(request.headers)) fields.set(name, `${value}`)
    const { origin, prefix } = app.placeOf(request)
    const forwarded = forwardedOf(
      contract.model,
      request,
      origin === null ? someOrigin : `${origin}${prefix}`,
    )
    forwarded.headers['x-request-id'] = request.id
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    let isSent = false
    let failure: unknown
    let challenge: string | null | undefined // at which agents ask the issuer for a token with more scopes
    const host: Host = {
      ...{ forwarded, tools: offered, refusal },
      allowed: async () => allowedTo(request),
      async send(call) {
        if (!isSent) app.giveBack(request) // the call itself costs, and is under way
        app.endWork(request)
        isSent = true
        const answer = await sendWithin(app, ipOf(request))(call)
        if (metadata && answer.status === 403) challenge = answer.headers.get('www-authenticate')
        return answer
      },
      failed(error) {
        failure = error
        throw error // as the reply below does
      },
    }
    const isSearch = offered.length > mostListed && isObject(params) && params.name === searchTool.name
    const answered = await opened.answer(host, message, fields, gone.signal)
    if (failure !== undefined) throw failure
    if (method === 'tools/call' && !isSearch && !isSent) await app.charge(request, reply) // as an unknown path costs
    reply.headers(app.limitFieldsOf(await app.limitsOf(request.caller))) // after the calls of tools
    if (challenge) reply.header('www-authenticate', `${challenge}, resource_metadata="${metadata}"`)
    return reply.code(challenge ? 403 : (answered?.status ?? 200)).send(answered?.text)
  })
}

/** Returns the tools that a URL asks for: `?tools=TAG,OPERATION&read-only`. */
function wishedOf(tools: readonly Tool[], query: string): readonly Tool[] {
  if (query === '') return tools
  const wished = new URLSearchParams(query)
  const readOnly = (wished.get('read-only') ?? 'false') !== 'false'
  return chosenFrom(tools, { names: wished.get('tools')?.split(','), readOnly })
}
