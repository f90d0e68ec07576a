import { operations } from '../generated/operations.ts'
import type { Usage } from '../generated/schema.ts'
import type { Handler } from './handler.ts'

export const getUsage: Handler<'getUsage'> = async (_input, { caller, limits, deprecatedCalls }) => {
  const windows = await limits()
  const usage: Usage = {
    plan: caller.plan,
    windows: windows.map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset })),
  }
  if (caller.bannedUntil) usage.bannedUntil = caller.bannedUntil.toISOString()
  const used = await deprecatedCalls()
  if (!used) return { status: 200, body: usage }
  usage.deprecated = Object.entries(operations).flatMap(([operationId, { deprecation }]) => {
    const calls = used.get(operationId)
    return calls && deprecation ? [{ operationId, calls, sunset: deprecation.sunset }] : []
  })
  return { status: 200, body: usage }
}
