import type { Usage } from '../generated/schema.ts'
import type { Handler } from './handler.ts'

export const getUsage: Handler<'getUsage', 'caller' | 'contract' | 'deprecatedCalls' | 'limits'> = async (
  _input,
  { caller, contract, deprecatedCalls, limits },
) => {
  const windows = await limits()
  const usage: Usage = {
    plan: caller.plan,
    scopes: [...(caller.scopes ?? [])],
    windows: windows.map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset })),
  }
  if (caller.bannedUntil) usage.bannedUntil = caller.bannedUntil.toISOString()
  const used = await deprecatedCalls()
  if (!used) return { status: 200, body: usage }
  usage.deprecated = [...contract.facts].flatMap(([operationId, { deprecation }]) => {
    const calls = used.get(operationId)
    return calls && deprecation?.sunset ? [{ operationId, calls, sunset: deprecation.sunset }] : []
  })
  return { status: 200, body: usage }
}
