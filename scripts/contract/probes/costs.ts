import { textOf } from '../../../src/engine/extensions.ts'
import { freePaths, unknownCredentials } from '../conventions.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import { issueAmpleKey, keyHeader, type Session } from '../session.ts'
import { leftBy } from './quotas.ts'

/**
 * Counts what each kind of request costs: one of each window, whatever comes of it and whether an operation is there at
 * all; nothing, where the document says so. Strangers, and those who guess at keys, share their address's allowance.
 */
export async function probeCosts(session: Session): Promise<void> {
  const { contract, world } = session
  const [costly, free] = [simpleRead(contract, false), simpleRead(contract, true)]
  if (!costly) return
  const open = contract.endpoints.find(({ secured, path }) => !secured && !path.includes('{'))
  const scope = textOf(costly.operation, 'x-required-scope')
  const all = [
    ...new Set(contract.endpoints.flatMap(({ operation }) => textOf(operation, 'x-required-scope') ?? [])),
  ]
  const key = keyHeader(contract, await issueAmpleKey(contract, world))
  const others = await issueAmpleKey(
    contract,
    world,
    all.filter(one => one !== scope),
  )
  const send = (method: string, url: string, headers: Record<string, string>) =>
    world.send({ method, url, headers })

  /** Sends a request between two that cost one each. */
  async function hold(
    who: string,
    headers: Record<string, string>,
    what: string,
    method: string,
    url: string,
    due: 0 | 1,
  ) {
    const before = leftBy(await send('GET', costly?.path ?? '', headers))
    const request = { method, url, headers }
    const reply = await world.send(request)
    const after = leftBy(await send('GET', costly?.path ?? '', headers))
    world.takeLog()
    const costs = before.map((left, index) => left - (after[index] ?? 0) - 1)
    session.holdOf(
      undefined,
      `${what} (${method} ${url}) costs ${who} ${costs.join(' and ')} of the windows, and not ${due}`,
      before.length > 0 && costs.every(cost => cost === due),
      { request, reply },
    )
  }
  const known = (what: string, method: string, url: string, due: 0 | 1) =>
    hold('a key', key, what, method, url, due)
  const missing = itemPathOf(contract.endpoints)
  await known('a read', 'GET', costly.path, 1)
  await known('HEAD', 'HEAD', costly.path, 1)
  await known('a query that is refused', 'GET', `${costly.path}?undeclared=1`, 1)
  if (missing !== undefined) await known('a record that is not there', 'GET', missing, 1)
  await known('a path without an operation', 'GET', '/there/is/nothing/here', 1)
  await known('a method that a path lacks', methodBeside(contract.endpoints, costly.path), costly.path, 1)
  if (free) {
    await known('what is free', 'GET', free.path, 0)
    await known('HEAD of what is free', 'HEAD', free.path, 0)
  }
  if (open) await known('what is open', 'GET', open.path, open.operation['x-quota-free'] === true ? 0 : 1)
  for (const path of freePaths) await known('what is free', 'GET', path, 0)
  if (scope !== undefined)
    await hold('a key without the scope', keyHeader(contract, others), 'a read', 'GET', costly.path, 1)

  const strangers = {
    'who has no key': {},
    ...Object.fromEntries(unknownCredentials.map(text => [`who guesses ${text}`, keyHeader(contract, text)])),
  }
  for (const [who, headers] of Object.entries(strangers)) {
    await hold(who, headers, 'a read', 'GET', costly.path, 1)
    if (free) await hold(who, headers, 'what is free to keys', 'GET', free.path, 1)
    if (open)
      await hold(
        who,
        headers,
        'what is open',
        'GET',
        open.path,
        open.operation['x-quota-free'] === true ? 0 : 1,
      )
    await hold(who, headers, 'a path without an operation', 'GET', '/there/is/nothing/here', 1)
    await hold(who, headers, 'the docs', 'GET', freePaths[0], 0)
  }
}

/** The path of a record that nobody has made. */
const itemPathOf = (endpoints: readonly Endpoint[]) =>
  endpoints
    .find(
      ({ method, record, operation }) => method === 'GET' && record !== undefined && !operation.deprecated,
    )
    ?.path.replace(/\{\w+\}/g, '999999999')

const methodBeside = (endpoints: readonly Endpoint[], path: string) =>
  ['DELETE', 'PATCH', 'PUT', 'POST'].find(
    method => !endpoints.some(one => one.path === path && one.method === method),
  ) ?? 'TRACE'
