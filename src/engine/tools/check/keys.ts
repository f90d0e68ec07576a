import { usualKeyField } from './conventions.ts'
import type { Endpoint, Interface } from './interface.ts'
import { Unreachable } from './summary.ts'
import { need, type Quotas, type World } from './world.ts'

/** More than any check uses up. */
const ample: Quotas = { minute: 1_000_000, day: 1_000_000_000 }

/** A key of the plan whose keys have their own quotas. */
export async function issueKey(
  { customPlan: plan }: Interface,
  world: World,
  quotas: Quotas = ample,
  scopes?: readonly string[],
): Promise<string> {
  if (plan === undefined) throw new Unreachable('No plan of x-rate-limits lets a key have its own quotas')
  return need(world, 'keys').issue({ plan, quotas, ...(scopes && { scopes }) })
}

/** The header that carries the API key, as the document's security scheme says. */
export function keyHeader({ model }: Interface, key: string | null): Record<string, string> {
  if (key === null) return {}
  const declared = Object.values(model.document.components?.securitySchemes ?? {})
  const schemes = declared.map(scheme => model.resolve(scheme))
  const name = schemes.find(scheme => scheme.in === 'header')?.name ?? usualKeyField
  return { [name.toLowerCase()]: key }
}

/** Keeps several credentials. For a required scope it offers the first one that was not refused there. */
export function keyring(keys: readonly string[]) {
  const at = new Map<unknown, number>()
  const scopeOf = ({ operation }: Endpoint) => operation['x-required-scope']
  return {
    now: (endpoint: Endpoint) => keys[at.get(scopeOf(endpoint)) ?? 0],
    /** Goes on to the next one. @returns whether there is one */
    next(endpoint: Endpoint): boolean {
      const index = (at.get(scopeOf(endpoint)) ?? 0) + 1
      if (index < keys.length) at.set(scopeOf(endpoint), index)
      return index < keys.length
    },
  }
}
