import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as protocol from '@modelcontextprotocol/sdk/types.js'
import type { OperationModel } from '../../document/model.ts'
import type { Contract } from '../contract.ts'
import { someOrigin } from '../docs/addresses.ts'
import { daysUntil } from '../plugins/lifecycle.ts'
import { type Own, requestOf } from './call.ts'
import { resultOf } from './results.ts'
import type { Tool } from './tools.ts'

/** The caller of a server, and its way to the operations. */
export interface Host {
  contract: Pick<Contract, 'model' | 'texts'>
  tools: readonly Tool[]
  now(): Date
  /** the origin of the operations */
  origin: string
  own: Own
  /** Whether the caller may call an operation. */
  may(operation: OperationModel): boolean | Promise<boolean>
  send(request: Request): Promise<Response>
}

/** Returns an MCP server of a document's operations for one caller. It has no connection yet. */
export function createMcpServer({ contract, tools, now, origin, own, may, send }: Host): Server {
  const { model, texts } = contract
  const { title: name, version, description = '' } = model.document.info
  const [about = ''] = description.split('\n\n')
  const instructions = `${about}\n\nThe resource docs:///llms.txt describes all operations, docs:///operations/TOOL.md one of them.`
  const server = new Server({ name, version }, { capabilities: { tools: {}, resources: {} }, instructions })

  /** Returns the tools that the caller may use, without ended operations. */
  async function ownTools(): Promise<Tool[]> {
    const day = now()
    const isOwn = await Promise.all(
      tools.map(async ({ facts: { deprecation }, operation }) => {
        const hasEnded = deprecation?.sunset && daysUntil(deprecation.sunset, day) <= 0
        return !hasEnded && (await may(operation))
      }),
    )
    return tools.filter((_, index) => isOwn[index])
  }

  async function resources() {
    const pages = (await ownTools()).map(
      ({ operation: { id }, definition }) =>
        [`operations/${definition.name}.md`, texts.operations[id]] as const,
    )
    const files = [
      ['openapi.json', JSON.stringify(model.document)],
      ['llms.txt', texts.llms],
      ...pages,
    ] as const
    return files.map(([path, text = '']) => ({
      uri: `docs:///${path}`,
      name: path.split('/').pop() ?? path,
      mimeType: path.endsWith('.json') ? 'application/json' : 'text/markdown',
      text: text.replaceAll(someOrigin, () => origin),
    }))
  }

  server.setRequestHandler(protocol.ListToolsRequestSchema, async () => ({
    tools: (await ownTools()).map(({ definition }) => definition),
  }))
  server.setRequestHandler(protocol.CallToolRequestSchema, async ({ params }) => {
    // A call of a tool that is not listed gets its request's refusal, which tells the reason and the successor.
    const called = tools.find(({ definition }) => definition.name === params.name)
    if (!called)
      throw new protocol.McpError(
        protocol.ErrorCode.InvalidParams,
        `There is no tool ${params.name}: tools/list has all`,
      )
    return resultOf(called, params.arguments ?? {}, async (tool, given) =>
      send(requestOf(model, tool, given, origin, own)),
    )
  })
  server.setRequestHandler(protocol.ListResourcesRequestSchema, async () => ({
    resources: (await resources()).map(({ text: _, ...resource }) => resource),
  }))
  server.setRequestHandler(protocol.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const found = (await resources()).find(one => one.uri === uri)
    if (!found) throw new protocol.McpError(-32_002, `There is no resource ${uri}: resources/list has all`)
    return { contents: [found] }
  })
  return server
}

/** Answers one message. There are no sessions: nothing to guess, and nothing to share between keys. */
export async function answer(host: Host, message: unknown, headers: Headers): Promise<Response> {
  const server = createMcpServer(host)
  const transport = new Transport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const request = new Request(host.origin, { method: 'POST', headers })
    const reply = await transport.handleRequest(request, { parsedBody: message })
    return new Response(await reply.text(), reply)
  } finally {
    await server.close()
  }
}
