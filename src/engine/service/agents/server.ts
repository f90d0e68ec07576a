import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as protocol from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { LRUCache } from 'lru-cache'
import { someOrigin } from '../contract/addresses.ts'
import type { Contract } from '../contract/contract.ts'
import { daysUntil } from '../lifecycle/lifecycle.ts'
import { callOf, type Own, type Send } from './call.ts'
import { resultOf } from './results.ts'
import type { Tool } from './tools.ts'

/** The operations of a document as tools. */
export interface McpService {
  contract: Pick<Contract, 'model' | 'texts'>
  tools: readonly Tool[]
  now(): Date
}

/** The caller of a server, and its way to the operations. */
export interface Host {
  /** the origin of the operations */
  origin: string
  own: Own
  /** Returns the tools that the caller may use. */
  allowed(): Promise<ReadonlySet<Tool>>
  send: Send
  /** Called with what prevented an answer. The client is not told: it may hold a key. */
  failed(error: unknown): void
}

/** The most characters of texts that are kept for the origins by which clients call the service. */
const keptTexts = 4_000_000

/** Prepares all that the servers of a document share. A server of the SDK makes a validator of its own, which takes long. */
export function openMcp({ contract: { model, texts }, tools, now }: McpService) {
  const { title: name, version, description = '' } = model.document.info
  const [about = ''] = description.split('\n\n')
  const instructions = `${about}\n\nThe resource docs:///llms.txt describes all operations, docs:///operations/TOOL.md one of them.`
  const jsonSchemaValidator = new AjvJsonSchemaValidator()
  const options = { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator }
  const document = JSON.stringify(model.document)
  const kept = new LRUCache<string, string>({ maxSize: keptTexts, sizeCalculation: text => text.length + 1 })

  /** Returns a resource's text as an origin shows it. */
  function textFor(uri: string, text: string, origin: string): string {
    const key = `${origin} ${uri}`
    const shown = kept.get(key) ?? text.replaceAll(someOrigin, () => origin)
    kept.set(key, shown)
    return shown
  }

  const resourceOf = (path: string, text = '') => ({
    uri: `docs:///${path}`,
    name: path.split('/').pop() ?? path,
    mimeType: path.endsWith('.json') ? 'application/json' : 'text/markdown',
    text,
  })
  const files = [resourceOf('openapi.json', document), resourceOf('llms.txt', texts.llms)]
  const pages = new Map(
    tools.map(tool => [
      tool,
      resourceOf(`operations/${tool.definition.name}.md`, texts.operations[tool.operation.id]),
    ]),
  )

  /** Returns an MCP server of the operations for one caller. It has no connection yet. */
  function serverFor({ origin, own, allowed, send, failed }: Host): Server {
    const server = new Server({ name, version }, options)

    /** Hides the cause of a failure, which the protocol would tell. */
    async function guarded<T>(work: Promise<T>): Promise<T> {
      try {
        return await work
      } catch (error) {
        failed(error)
        throw new protocol.McpError(protocol.ErrorCode.InternalError, 'The request failed on our side')
      }
    }

    /** Returns the tools that the caller may use, without ended operations. */
    async function ownTools(): Promise<Tool[]> {
      const [mine, day] = [await guarded(allowed()), now()]
      const hasEnded = ({ facts: { deprecation } }: Tool) =>
        deprecation?.sunset && daysUntil(deprecation.sunset, day) <= 0
      return tools.filter(tool => mine.has(tool) && !hasEnded(tool))
    }

    const resources = async () => [...files, ...(await ownTools()).flatMap(tool => pages.get(tool) ?? [])]

    server.setRequestHandler(protocol.ListToolsRequestSchema, async () => ({
      tools: (await ownTools()).map(({ definition }) => definition),
    }))
    server.setRequestHandler(protocol.CallToolRequestSchema, async ({ params }, { signal }) => {
      // A call of a tool that is not listed gets its request's refusal, which tells the reason and the successor.
      const called = tools.find(({ definition }) => definition.name === params.name)
      if (!called)
        throw new protocol.McpError(
          protocol.ErrorCode.InvalidParams,
          `There is no tool ${params.name}: tools/list has all`,
        )
      const call = async (tool: Tool, given: Readonly<Record<string, unknown>>) =>
        send(callOf(model, tool, given, origin, own))
      return guarded(resultOf(called, params.arguments ?? {}, call, signal))
    })
    server.setRequestHandler(protocol.ListResourcesRequestSchema, async () => ({
      resources: (await resources()).map(({ text: _, ...resource }) => resource),
    }))
    server.setRequestHandler(protocol.ReadResourceRequestSchema, async ({ params: { uri } }) => {
      const found = (await resources()).find(one => one.uri === uri)
      if (!found) throw new protocol.McpError(-32_002, `There is no resource ${uri}: resources/list has all`)
      return { contents: [{ ...found, text: textFor(uri, found.text, origin) }] }
    })
    return server
  }

  /**
   * Answers one message. There are no sessions: nothing to guess, and nothing to share between keys.
   * @returns undefined once `gone` tells that nobody waits for the answer
   */
  async function answer(host: Host, message: unknown, headers: Headers, gone: AbortSignal) {
    if (gone.aborted) return undefined
    const server = serverFor(host)
    const transport = new Transport({ enableJsonResponse: true })
    await server.connect(transport)
    const { promise: leaving, resolve: leave } = Promise.withResolvers<undefined>()
    gone.addEventListener('abort', () => leave(undefined))
    try {
      const request = new Request(host.origin, { method: 'POST', headers })
      const reply = await Promise.race([leaving, transport.handleRequest(request, { parsedBody: message })])
      return reply && { status: reply.status, text: await reply.text() }
    } finally {
      await server.close() // which tells the handlers to stop
    }
  }

  return { serverFor, answer }
}
