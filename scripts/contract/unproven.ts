import { codesOf } from '../../src/engine/extensions.ts'
import { codes, outOfReach } from './conventions.ts'
import type { Interface } from './interface.ts'
import { effectsOf } from './laws/effects.ts'

/** What the document says in a way that no program can hold a service to, in words: its reader has to. */
export function unprovenOf({ endpoints }: Interface): string[] {
  const known = new Set<string>(Object.values(codes))
  const lines: string[] = []
  for (const endpoint of endpoints) {
    const { id, responses } = endpoint
    const effects = effectsOf(endpoint)
    const told = new Set(effects.map(({ otherwise }) => otherwise))
    const prose = [...responses.values()].flatMap(codesOf).filter(code => !known.has(code) && !told.has(code))
    if (prose.length > 0) lines.push(`when ${id} answers ${prose.join(', ')}`)
    const open = effects.flatMap(({ becomes = {} }) =>
      Object.entries(becomes).flatMap(([name, value]) => (value === 'any' ? [name] : [])),
    )
    if (open.length > 0) lines.push(`what ${id} makes of ${open.join(', ')}`)
  }
  for (const { promise, reason } of outOfReach) lines.push(`${promise.source}: ${reason}`)
  return lines
}
