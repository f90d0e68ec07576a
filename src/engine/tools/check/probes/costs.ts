import { freePaths, mostFree, unknownCredentials } from '../../records/conventions.ts'
import type { Session } from '../session.ts'
import { leftBy } from './quotas.ts'

/**
 * Counts the cost of each kind of request: one of each window, even if it fails or no operation is there. A free
 * request costs nothing, the docs and OPTIONS up to a bound. Unauthenticated clients, and those who guess at keys, share
 * their address's allowance. A guess costs wherever it is sent.
 */
export async function probeCosts(session: Session): Promise<void> {
  const { costly, world } = session
  const { endpoints, free, scopes } = session.contract
  const open = endpoints.find(({ secured, path }) => !secured && !path.includes('{'))
  const nothing = '/there/is/nothing/here'
  const missing = endpoints.find(
    endpoint => endpoint.method === 'GET' && endpoint.record !== undefined && !endpoint.sunset,
  )
  const lacking = ['DELETE', 'PATCH', 'PUT', 'POST', 'TRACE'].find(
    method => !endpoints.some(endpoint => endpoint.path === costly.path && endpoint.method === method),
  )

  /** Sends a request between two that cost one each. */
  async function hold(
    who: string,
    callerKey: string | null,
    what: string,
    url = '',
    due = 1,
    method = 'GET',
  ) {
    const headers = session.keyHeader(callerKey)
    const look = async () => leftBy((await session.send('GET', costly.path, headers)).reply)
    const before = await look()
    const sent = await session.send(method, url, headers)
    const after = await look()
    world.takeLog()
    const costs = before.map((left, index) => left - (after[index] ?? 0) - 1)
    const message = `${what} (${method} ${url}) costs ${who} ${costs.join(' and ')} of the windows instead of ${due}`
    session.holdOf(undefined, message, before.length > 0 && costs.every(cost => cost === due), sent)
  }
  const openCost = open?.isFree ? 0 : 1
  const key = await session.newKey()
  const holdForKey = async (what: string, url?: string, due?: number, method?: string) => {
    await hold('a key', key, what, url, due, method)
  }
  await holdForKey('a read', costly.path)
  await holdForKey('HEAD', costly.path, 1, 'HEAD')
  await holdForKey('a query that is refused', `${costly.path}?undeclared=1`)
  if (missing)
    await holdForKey('a record that is not there', missing.path.replace(/\{[^{}]+\}/g, '999999999'))
  await holdForKey('a path without an operation', nothing)
  await holdForKey('a method that a path lacks', costly.path, 1, lacking)
  await holdForKey('a request for the methods of a path', costly.path, 0, 'OPTIONS')
  if (free) {
    await holdForKey('a request without cost', free.path, 0)
    await holdForKey('HEAD of a request without cost', free.path, 0, 'HEAD')
  }
  if (open) await holdForKey('an operation without security', open.path, openCost)
  for (const path of freePaths) await holdForKey('a request without cost', path, 0)
  if (costly.scope !== undefined) {
    const others = scopes.filter(scope => scope !== costly.scope)
    await hold('a key without the scope', await session.newKey(undefined, others), 'a read', costly.path)
  }
  for (const sent of [null, ...unknownCredentials]) {
    const who = sent === null ? 'a client without a key' : `a client that guesses ${sent}`
    const cost = async (what: string, url: string, due?: number, method?: string) => {
      await hold(who, sent, what, url, due, method)
    }
    await cost('a read', costly.path)
    if (free) await cost('an operation without cost for keys', free.path)
    if (open) await cost('an operation without security', open.path, sent === null ? openCost : 1)
    await cost('a path without an operation', nothing)
    await cost('the docs', freePaths[0], sent === null ? 0 : 1)
    await cost('the methods of a path', costly.path, sent === null ? 0 : 1, 'OPTIONS')
  }
  await holdBound(session)
}

/** Beyond the bound of requests that cost nothing, each one costs as a call does. */
async function holdBound(session: Session): Promise<void> {
  const headers = session.keyHeader(await session.newKey())
  const look = async () => leftBy((await session.send('OPTIONS', session.costly.path, headers)).reply)[0] ?? 0
  const before = await look()
  let left = before
  for (let sent = 1; sent < mostFree && left === before; sent++) left = await look()
  session.holdOf(undefined, `${mostFree} requests by OPTIONS in a minute cost nothing`, left < before)
}
