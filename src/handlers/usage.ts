import type { Handler } from '../contract/handler.ts'
import type { Usage } from '../generated/schema.ts'

export const getUsage: Handler<'getUsage'> = async (_input, { caller, limits }) => {
  const windows = await limits()
  const usage: Usage = {
    plan: caller.plan,
    windows: windows.map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset })),
  }
  if (caller.bannedUntil) usage.bannedUntil = caller.bannedUntil.toISOString()
  return { status: 200, body: usage }
}
