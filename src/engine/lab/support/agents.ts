import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import * as current from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FormerStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FormerHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

/** The stateless revision of the protocol. */
export const revision = '2026-07-28'

type Fields = Record<string, string>

/** A server by its URL, or by the command that starts it. */
export type Target = { url: string; headers: Fields } | { command: string; args: string[]; env: Fields }

interface Called {
  isError: boolean | undefined
  value: Record<string, never>
  text: string
}

/** An official client that is connected to a server. */
export interface Agent extends AsyncDisposable {
  names(): Promise<string[]>
  call(name: string, input?: Record<string, unknown>): Promise<Called>
}

const of = { name: 'test', version: '1' }

/** Connects a client of the SDK of its first major version, which knows revisions up to 2025-11-25. */
export async function formerClient(target: Target) {
  const client = new FormerClient(of)
  const transport =
    'url' in target
      ? new FormerHttp(new URL(target.url), { requestInit: { headers: target.headers } })
      : new FormerStdio(target)
  await client.connect(transport as Transport) // whose optional properties may not be undefined
  return client
}

/** Connects a client of the SDK of its second major version. @param pinned its revision; absent: 2025-11-25 */
export async function currentClient(target: Target, pinned?: string) {
  const client = new current.Client(
    of,
    pinned === undefined ? {} : { versionNegotiation: { mode: { pin: pinned } } },
  )
  const transport =
    'url' in target
      ? new current.StreamableHTTPClientTransport(new URL(target.url), {
          requestInit: { headers: target.headers },
        })
      : new StdioClientTransport(target)
  await client.connect(transport)
  return client
}

/** Returns a client as an agent. */
export function agentOf(client: FormerClient | current.Client): Agent {
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}) {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: input })
      const texts = (content as { text?: string }[]).map(({ text }) => text) // of either version
      const value = structuredContent as Called['value'] // the tests look at any of its properties
      return { isError: isError === true, value, text: texts.join('\n') }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A Python with the official client: `pip install mcp`, of version 2 or newer. */
const python = process.env.MCP_PYTHON ?? 'python3'

/** How to have the tests of the Python client; undefined where they can run. */
export function missingPython(): string | undefined {
  const { status } = spawnSync(python, ['-c', 'from mcp import Client'])
  if (status === 0) return undefined
  return `Tests of the Python client are left out: pip install 'mcp>=2', and name the Python that has it by MCP_PYTHON.`
}

async function pythonAgent(mode: string, target: Target): Promise<Agent> {
  const child = spawn(python, ['src/engine/lab/support/agent.py', mode, JSON.stringify(target)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  async function ask(request: object) {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('The Python client has ended')
    return JSON.parse(value)
  }
  return {
    names: () => ask({ method: 'list' }),
    call: (name, input = {}) => ask({ method: 'call', name, arguments: input }),
    async [Symbol.asyncDispose]() {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.stdin.end()
      await ended
    },
  }
}

/** The official clients, each with the revision that it speaks. */
export const agents: Readonly<Record<string, (target: Target) => Promise<Agent>>> = {
  'SDK 1, 2025-11-25': async target => agentOf(await formerClient(target)),
  'SDK 2, 2025-11-25': async target => agentOf(await currentClient(target)),
  [`SDK 2, ${revision}`]: async target => agentOf(await currentClient(target, revision)),
  'Python, 2025-11-25': target => pythonAgent('legacy', target),
  [`Python, ${revision}`]: target => pythonAgent(revision, target),
}
