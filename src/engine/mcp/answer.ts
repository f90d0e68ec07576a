import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Contract } from '../contract.ts'
import { originOf, someOrigin } from '../docs/addresses.ts'
import { invalidRequest, Unreadable } from '../requests/faults.ts'
import { parseStrictJson } from '../requests/strict-json.ts'
import { credentialsIn, fieldsOf, type Send, sendWithin } from './call.ts'
import type { McpOptions } from './mcp.ts'
import { createMcpServer, type Host } from './server.ts'
import { type Tool, toolsOf } from './tools.ts'

/** The tools of each document, made at the first request. */
const made = new WeakMap<Contract, readonly Tool[]>()

/** Answers the messages of one request. There are no sessions: nothing to guess, and nothing to share between keys. */
export async function answer(
  app: FastifyInstance,
  { contract, now, publicUrl }: McpOptions,
  request: FastifyRequest<{ Body: string }>,
  may: Host['may'],
): Promise<{ status: number; text: string }> {
  const tools = made.get(contract) ?? toolsOf(contract)
  made.set(contract, tools)
  const { headers } = request
  const withCredentials = credentialsIn(contract.model, request)
  const further = { ...fieldsOf(headers, ['host', 'user-agent', 'traceparent']), 'x-request-id': request.id }
  const inject = sendWithin(app, request.ip)
  const send: Send = call => inject(withCredentials({ ...call, headers: { ...further, ...call.headers } }))
  const origin = publicUrl ?? originOf(request) ?? someOrigin
  const server = createMcpServer({ contract, tools, now, origin, may, send })
  const transport = new Transport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const own = fieldsOf(headers, ['accept', 'content-type', 'mcp-protocol-version'])
    const message = new Request(`${someOrigin}/mcp`, { method: 'POST', headers: own })
    const response = await transport.handleRequest(message, { parsedBody: parsed(request.body) })
    return { status: response.status, text: await response.text() }
  } finally {
    await server.close()
  }
}

/** @throws ApiError for a text that is no JSON, or that is beyond the bounds of bodies */
function parsed(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    throw error instanceof Unreadable ? invalidRequest('The body is', error.faults) : error
  }
}
