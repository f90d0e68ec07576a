import { isDeepStrictEqual } from 'node:util'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import { isObject } from 'spec-served-document/pointer'
import { showsSecret } from 'spec-served-document/reading/facts'
import { codeIn, codes, fields, nextIn, parameters, pointersIn } from '../../records/conventions.ts'
import { effectsOf } from '../../records/effects.ts'
import { type Endpoint, needsNothing, takesField } from '../../records/interface.ts'
import { type Body, type Draft, recordIn, type WireReply } from '../../records/messages.ts'
import type { Secret } from '../keys.ts'
import { declaresField } from '../promises.ts'
import { identifierIn, isSafe } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { makeAlike } from './filling.ts'
import { leftBy } from './quotas.ts'

/** How often a call is made that may be refused, as a value is taken. */
const attempts = 5

/** The name of an operation's tool. */
const toolOf = ({ id }: Endpoint) => id.replace(/[^\w-]/g, '_')

/** The argument of a header parameter. */
const argumentOf = ({ parameters: all }: Endpoint, field: string) =>
  all.find(candidate => candidate.in === 'header' && candidate.name.toLowerCase() === field)?.name ?? ''

/**
 * Calls operations as agents do, by the Model Context Protocol. A caller is shown the operations that its scopes allow and
 * that have not ended. A refusal is an error, a page leads on, header parameters count, and a call costs as a request.
 */
export async function probeAgents(session: Session): Promise<void> {
  const { contract, world } = session
  const { model, endpoints } = contract
  const isTool = (endpoint: Endpoint) =>
    endpoint.method !== 'TRACE' && (endpoint.operation['x-mcp'] ?? !showsSecret(model, endpoint))
  const tools = endpoints.filter(isTool)
  const { mcp: url } = docsAddresses(model)

  async function post(key: Secret | null, method: string, params: object, query = ''): Promise<WireReply> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...session.keyHeader(key),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await world.send({ method: 'POST', url: `${url}${query}`, headers, body })
    if (reply.status === 404) throw new LeftOut('needs tools for agents')
    return reply
  }
  const resultOf = ({ body }: WireReply) => recordIn(recordIn(body).result)
  const ask = async (...request: Parameters<typeof post>) => resultOf(await post(...request))
  const call = (key: Secret | null, tool: Endpoint, values: object) =>
    ask(key, 'tools/call', { name: toolOf(tool), arguments: values })
  const shownTo = async (key: Secret | null, query?: string) => {
    const { tools: all } = await ask(key, 'tools/list', {}, query)
    return [all].flat().map(item => recordIn(item))
  }
  const listed = async (key: Secret | null, query?: string) =>
    (await shownTo(key, query)).map(({ name }) => String(name))
  /** The arguments of a request, of new records. */
  const argumentsOf = async (draft: Draft) => {
    const { path, query, body } = await session.placed(draft)
    return { ...path, ...query, ...(body !== undefined && { body }) }
  }

  await session.eachAtOnce(contract.scopes, async scope => {
    const key = await session.newKey(undefined, [scope])
    const shown = await listed(key)
    const due = tools.filter(tool => !tool.secured || (tool.scope ?? scope) === scope).map(toolOf)
    const what = `tools/list with the scope ${scope} shows ${shown.length} tools of the ${due.length} that it may call`
    session.holdOf(undefined, what, isDeepStrictEqual(shown.toSorted(), due.toSorted()))
    const { resources = [] } = await ask(key, 'resources/list', {})
    const pages = [resources]
      .flat()
      .flatMap(item => /operations\/(.+)\.md$/.exec(String(recordIn(item).uri))?.[1] ?? [])
    const foreign = pages.find(name => !shown.includes(name))
    const told = `resources/list with the scope ${scope} shows ${foreign}, which tools/list does not`
    session.holdOf(undefined, told, foreign === undefined)
    const other = tools.find(tool => tool.secured && tool.scope !== undefined && tool.scope !== scope)
    if (!other) return
    const { isError } = await call(key, other, {})
    session.holdOf(other, `its tool without its scope is no error`, isError === true)
  })
  const reading = tools.filter(({ method }) => isSafe(method)).map(toolOf)
  const offered = await listed(session.key, '?read-only')
  const writing = offered.find(name => !reading.includes(name))
  const isReading = isDeepStrictEqual(offered.toSorted(), reading.toSorted())
  session.holdOf(undefined, `tools/list for reading alone shows ${writing ?? 'too few'}`, isReading)
  const unknown = recordIn((await post(session.key, 'tools/call', { name: 'no tool', arguments: {} })).body)
  const isRefused = unknown.error !== undefined || recordIn(unknown.result).isError === true
  session.holdOf(undefined, 'the call of a tool that is not there is no error', isRefused)
  // A server without a stream of messages says so (Streamable HTTP).
  const stream = await session.send('GET', url, session.keyHeader(session.key))
  const isStream = /^text\/event-stream/.test(stream.reply.headers['content-type'] ?? '')
  const answered = `GET ${url} is answered ${stream.reply.status}`
  session.holdOf(undefined, answered, isStream || stream.reply.status === codes.method.status, stream)
  const hints = new Map(
    (await shownTo(session.key)).map(({ name, annotations }) => [name, recordIn(annotations)]),
  )
  for (const tool of tools) {
    const toolHints = hints.get(toolOf(tool))
    for (const [hint, due] of Object.entries(toolHints ? hintsOf(tool) : {}))
      session.holdOf(tool, `the ${hint} of its tool is ${toolHints?.[hint]}`, toolHints?.[hint] === due)
  }
  const readers = tools.filter(({ record, method }) => record !== undefined && method === 'GET')
  await session.eachAtOnce(readers, async tool => {
    const { maximum } = contract.shape(tool.parameters.find(({ name }) => name === tool.record)?.schema)
    if (!Number.isSafeInteger(maximum)) return
    const { isError } = await call(session.key, tool, { [String(tool.record)]: maximum })
    session.holdOf(tool, 'its tool finds no record, and it is no error', isError === true)
  })
  const lists = tools.filter(tool => needsNothing(tool) && tool.parameters.some(isCursor))
  for (const kind of contract.kinds)
    if (kind.list && lists.includes(kind.list)) await makeAlike(session, kind)
  await session.eachAtOnce(lists, async list => {
    const compare = async (query: Body) => {
      const { reply } = await session.exchange(list, { path: {}, query, header: {} })
      const { items, nextCursor } = recordIn((await call(session.key, list, query)).structuredContent)
      const what = `its tool shows another page with ${JSON.stringify(query)}`
      session.holdOf(list, what, isDeepStrictEqual(idsOf(items), idsOf(reply.body)))
      return { reply, nextCursor }
    }
    for (const { in: place, name, schema } of list.parameters) {
      const { type, minimum = 0 } = contract.shape(schema)
      const isNumber = type === 'integer' && Number(minimum) <= 0
      if (place === 'query' && (isNumber || type === 'boolean'))
        await compare({ [name]: isNumber ? 0 : false })
    }
    const { reply, nextCursor } = await compare({ [parameters.limit]: 1 })
    const leadsOn = nextCursor === reply.headers[nextIn(parameters.cursor)]
    session.holdOf(list, `the next cursor of its tool is ${nextCursor}`, leadsOn)
    if (nextCursor !== undefined) await compare({ [parameters.limit]: 1, [parameters.cursor]: nextCursor })
    // A refusal tells an agent as much as any client.
    const wrong = { [parameters.limit]: 0 }
    const { reply: refused } = await session.exchange(list, { path: {}, query: wrong, header: {} })
    const refusalText = JSON.stringify(await call(session.key, list, wrong))
    const details = [codeIn(refused.body) ?? '', ...pointersIn(refused.body).map(argumentAt)]
    const lost = details.find(detail => !refusalText.includes(detail))
    session.holdOf(list, `the refusal of its tool lacks ${lost}`, lost === undefined)
  })
  const guarded = tools.filter(
    candidate => takesField(candidate, 'if-match') && candidate.statuses.includes(codes.version.status),
  )
  await session.eachAtOnce(guarded, async tool => {
    const taken = await argumentsOf(await session.plain(tool))
    const values = { ...taken, [argumentOf(tool, 'if-match')]: '"another"' }
    const { isError } = await call(session.key, tool, values)
    session.holdOf(tool, 'its tool changes another version than it is given', isError === true)
  })
  await session.eachAtOnce(contract.kinds, async ({ maker, remover }) => {
    // The session does not see what a call changes of other records.
    const isApart = effectsOf(maker).every(
      ({ of, becomes }) => !becomes || String(Object.values(of)[0]).startsWith('reply.'),
    )
    if (!tools.includes(maker) || !remover || !isApart || !takesField(maker, fields.retryKey)) return
    const retryKey = argumentOf(maker, fields.retryKey)
    type Made = { values: Body; first: Body }
    const make = async (attempt: number, key?: string): Promise<Made> => {
      const own = await argumentsOf(session.least(maker))
      const values = { ...own, ...(key && { [retryKey]: `${key}, ${attempt}` }) }
      const first = await call(session.key, maker, values)
      return first.isError && attempt < attempts ? make(attempt + 1, key) : { values, first }
    }
    const remove = async ({ structuredContent: body }: Body) => {
      const id = identifierIn({ endpoint: maker, reply: { status: maker.success, headers: {}, body } })
      await session.on(remover, id)
    }
    const isRepeated = async ({ values, first }: Made) => {
      const second = await call(session.key, maker, values)
      return isDeepStrictEqual(first.structuredContent, second.structuredContent)
    }
    const made = await make(1, 'of an agent')
    const isOnce = await isRepeated(made)
    session.holdOf(maker, `its tool makes nothing in ${attempts} calls`, made.first.isError !== true)
    session.holdOf(maker, 'its tool does twice what it is given with one Idempotency-Key', isOnce)
    const shown = JSON.stringify(made.first.content ?? '').toLowerCase()
    for (const field of ['etag', 'location'].filter(name => declaresField(maker, name)))
      session.holdOf(maker, `its tool does not tell the header field ${field}`, shown.includes(`${field}: `))
    await remove(made.first)
    // A key that the tool makes itself, and shows, repeats its call as well.
    const other = await make(1)
    const [, shownKey] = /idempotency-key: ([\w-]+)/i.exec(JSON.stringify(other.first.content ?? '')) ?? []
    if (shownKey !== undefined) {
      const isAgain = await isRepeated({ ...other, values: { ...other.values, [retryKey]: shownKey } })
      session.holdOf(
        maker,
        'its tool does twice what is repeated with the Idempotency-Key that it shows',
        isAgain,
      )
    }
    await remove(other.first)
  })
  const { costly, limits } = contract
  if (costly && limits && tools.includes(costly)) {
    const params = { name: toolOf(costly), arguments: {} }
    const callCostly = () => post(session.key, 'tools/call', params)
    const [before, after] = [leftBy(await callCostly()), leftBy(await callCostly())]
    const costs = before.map((left, index) => left - (after[index] ?? 0))
    const isRight = costs.length > 0 && costs.every(cost => cost === 1)
    session.holdOf(costly, `a call of its tool costs ${costs.join(' and ')} of the windows`, isRight)
  }
  const ending = tools.find(({ sunset }) => sunset !== undefined)
  const { clock } = world.hands
  if (!ending?.sunset || !clock) return
  const now = clock.now()
  clock.set(ending.sunset)
  const isShown = (await listed(session.key)).includes(toolOf(ending))
  session.holdOf(ending, 'its tool is listed although it has ended', !isShown)
  clock.set(now)
}

/** The line of a refusal's detail, by the argument that stands for a part of a request. */
const argumentAt = (pointer: string) => `- /${pointer.split('/').at(-1)}`

/** The hints of a tool by the meaning of its method (RFC 9110, section 9.2): what overwrites or removes is destructive. */
function hintsOf({ method }: Endpoint) {
  const readOnlyHint = isSafe(method)
  const destructiveHint = method === 'PUT' || method === 'DELETE'
  return { readOnlyHint, destructiveHint, idempotentHint: readOnlyHint || destructiveHint }
}

/** The identifiers of a list's items: the first property of each. */
const idsOf = (some: unknown) => [some].flat().map(item => (isObject(item) ? Object.values(item)[0] : item))

const isCursor = ({ name }: { name: string }) => name === parameters.cursor
