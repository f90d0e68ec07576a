import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { OperationModel } from '../../document/model.ts'
import type { Contract } from '../contract.ts'
import { someOrigin } from '../docs/addresses.ts'
import { daysUntil } from '../plugins/lifecycle.ts'
import type { Send } from './call.ts'
import { resultOf } from './results.ts'
import type { Tool } from './tools.ts'

/** The caller of a server, and its way to the operations. */
export interface Host {
  contract: Pick<Contract, 'model' | 'texts'>
  tools: readonly Tool[]
  now(): Date
  /** the origin of the operations, for the texts about them */
  origin: string
  /** Whether the caller may call an operation. */
  may(operation: OperationModel): boolean | Promise<boolean>
  send: Send
}

/** Returns an MCP server of a document's operations for one caller. It has no connection yet. */
export function createMcpServer({ contract, tools, now, origin, may, send }: Host): Server {
  const { model, texts } = contract
  const { title: name, version, description = '' } = model.document.info
  const [about = ''] = description.split('\n\n')
  const instructions = `${about}\n\nThe resource docs:///llms.txt describes all operations, docs:///operations/TOOL.md one of them.`
  const server = new Server({ name, version }, { capabilities: { tools: {}, resources: {} }, instructions })

  /** Returns the tools that the caller may use, without ended operations. */
  async function ownTools(): Promise<Tool[]> {
    const isOwn = await Promise.all(
      tools.map(async ({ facts: { deprecation }, operation }) => {
        const hasEnded = deprecation?.sunset && daysUntil(deprecation.sunset, now()) <= 0
        return !hasEnded && (await may(operation))
      }),
    )
    return tools.filter((_, index) => isOwn[index])
  }

  async function resources() {
    const markdown = (path: string, text = '') => ({ path, mimeType: 'text/markdown', text })
    const pages = (await ownTools()).map(({ operation: { id }, definition }) =>
      markdown(`operations/${definition.name}.md`, texts.operations[id]),
    )
    const json = { mimeType: 'application/json', text: JSON.stringify(model.document) }
    const all = [{ path: 'openapi.json', ...json }, markdown('llms.txt', texts.llms), ...pages]
    return all.map(({ path, ...one }) => ({
      uri: `docs:///${path}`,
      name: path.split('/').pop() ?? '',
      ...one,
    }))
  }

  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await ownTools()).map(({ definition }) => definition),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    // A call of a tool that is not listed gets its request's refusal, which tells the reason and the successor.
    const tool = tools.find(({ definition }) => definition.name === params.name)
    if (!tool)
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}: tools/list has all`)
    return resultOf(model, tool, params.arguments ?? {}, send)
  })
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: (await resources()).map(({ text: _, ...resource }) => resource),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const found = (await resources()).find(one => one.uri === uri)
    if (!found) throw new McpError(-32_002, `There is no resource ${uri}: resources/list has all`)
    return { contents: [{ ...found, text: found.text.replaceAll(someOrigin, () => origin) }] }
  })
  return server
}
