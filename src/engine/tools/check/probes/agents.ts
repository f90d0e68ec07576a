import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../document/pointer.ts'
import { docsAddresses } from '../../../service/contract/addresses.ts'
import { showsSecret } from '../../reading/facts.ts'
import { nextIn, parameters } from '../conventions.ts'
import { type Endpoint, needsNothing } from '../interface.ts'
import type { Secret } from '../keys.ts'
import { recordIn } from '../requests.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'

/** The name of an operation's tool. */
const toolOf = ({ id }: Endpoint) => id.replace(/[^\w-]/g, '_')

/**
 * Calls operations as agents do, by the Model Context Protocol. A caller is shown the operations that its scopes allow, a
 * refusal is an error, and a page leads on.
 */
export async function probeAgents(session: Session): Promise<void> {
  const { contract, world } = session
  const { model, endpoints } = contract
  const isTool = (one: Endpoint) =>
    one.method !== 'TRACE' && (one.operation['x-mcp'] ?? !showsSecret(model, one))
  const tools = endpoints.filter(isTool)
  const { mcp: url } = docsAddresses(model)

  async function ask(key: Secret | null, method: string, params: object): Promise<Record<string, unknown>> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...session.keyHeader(key),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { status, body: answer } = await world.send({ method: 'POST', url, headers, body })
    if (status === 404) throw new LeftOut('needs tools for agents')
    return recordIn(recordIn(answer).result)
  }
  const call = (key: Secret | null, tool: Endpoint, given: object) =>
    ask(key, 'tools/call', { name: toolOf(tool), arguments: given })

  for (const scope of contract.scopes) {
    const key = await session.newKey(undefined, [scope])
    const { tools: listed } = await ask(key, 'tools/list', {})
    const shown = [listed].flat().map(one => String(recordIn(one).name))
    const due = tools.filter(one => !one.secured || (one.scope ?? scope) === scope).map(toolOf)
    const what = `tools/list with the scope ${scope} shows ${shown.length} tools of the ${due.length} that it may call`
    session.holdOf(undefined, what, isDeepStrictEqual(shown.toSorted(), due.toSorted()))
    const other = tools.find(one => one.secured && one.scope !== undefined && one.scope !== scope)
    if (!other) continue
    const { isError } = await call(key, other, {})
    session.holdOf(other, `its tool without its scope is no error`, isError === true)
  }
  for (const tool of tools.filter(({ record, method }) => record !== undefined && method === 'GET')) {
    const { maximum } = contract.shape(tool.parameters.find(({ name }) => name === tool.record)?.schema)
    if (typeof maximum !== 'number') continue
    const { isError } = await call(session.key, tool, { [String(tool.record)]: maximum })
    session.holdOf(tool, 'its tool finds no record, and it is no error', isError === true)
  }
  for (const list of tools.filter(one => needsNothing(one) && one.parameters.some(isCursor))) {
    const query = { [parameters.limit]: 1 }
    const { reply } = await session.exchange(list, { path: {}, query, header: {} })
    const { structuredContent } = await call(session.key, list, query)
    const { items, nextCursor } = recordIn(structuredContent)
    const ids = (some: unknown) => [some].flat().map(one => (isObject(one) ? Object.values(one)[0] : one))
    session.holdOf(list, 'its tool shows another page', isDeepStrictEqual(ids(items), ids(reply.body)))
    const leadsOn = nextCursor === reply.headers[nextIn(parameters.cursor)]
    session.holdOf(list, `the next cursor of its tool is ${nextCursor}`, leadsOn)
  }
}

const isCursor = ({ name }: { name: string }) => name === parameters.cursor
