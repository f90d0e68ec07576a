import type { Handler } from '../contract/handler.ts'
import { documentVersion } from '../generated/operations.ts'

export const getHealth: Handler<'getHealth'> = async (_input, context) => {
  const dependencies = await context.dependencies()
  const states = new Set(dependencies.map(dependency => dependency.status))
  if (states.has('unavailable'))
    return {
      status: 503,
      headers: { 'Retry-After': 5 },
      body: { status: 'unavailable', version: documentVersion, dependencies },
    }
  const status = states.has('degraded') ? 'degraded' : 'ok'
  return { status: 200, body: { status, version: documentVersion, dependencies } }
}
