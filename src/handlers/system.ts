import { documentVersion } from '../generated/operations.ts'
import type { Health } from '../generated/schema.ts'
import type { Handler } from './handler.ts'

export const getHealth: Handler<'getHealth'> = async (_input, context) => {
  const dependencies = await context.dependencies()
  const states = new Set(dependencies.map(dependency => dependency.status))
  const status = states.has('unavailable') ? 'unavailable' : states.has('degraded') ? 'degraded' : 'ok'
  const body: Health = { status, version: documentVersion, dependencies, warnings: context.warnings() }
  return status === 'unavailable'
    ? { status: 503, headers: { 'Retry-After': 5 }, body }
    : { status: 200, body }
}
