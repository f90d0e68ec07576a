import type { Health } from '../generated/schema.ts'
import type { Handler } from './handler.ts'

export const getHealth: Handler<'getHealth', 'contract' | 'dependencies' | 'warnings'> = async (
  _input,
  { contract, warnings, ...tools },
) => {
  const dependencies = await tools.dependencies()
  const states = new Set(dependencies.map(dependency => dependency.status))
  const status = states.has('unavailable') ? 'unavailable' : states.has('degraded') ? 'degraded' : 'ok'
  const { version } = contract.model.document.info
  const body: Health = { status, version, dependencies, warnings: warnings() }
  return status === 'unavailable'
    ? { status: 503, headers: { 'Retry-After': 5 }, body }
    : { status: 200, body }
}
