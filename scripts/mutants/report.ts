import type { Verdict } from './judge.ts'

/** Mutants that are not judged, and why. */
export interface Unjudged {
  reason: string
  count: number
}

const oneLine = (text: string) => text.replaceAll('\n', ' ').slice(0, 200)

/** A verdict in one line, as it comes. */
export const lineOf = ({ outcome, by, id, detail }: Verdict) =>
  `${outcome.padEnd(8)} by ${by}: ${id}\n            ${oneLine(detail)}`

/** What came of a run, and what was not judged at all. */
export function summaryOf(verdicts: readonly Verdict[], unjudged: readonly Unjudged[]): string {
  const blocks: string[] = []
  if (unjudged.length > 0)
    blocks.push(
      `Not judged, as they change nothing:\n${unjudged.map(({ reason, count }) => `${String(count).padStart(6)}  ${reason}`).join('\n')}`,
    )
  for (const [outcome, why] of [
    ['kept', 'kept: a stricter promise, which every reply keeps as it is'],
    ['survived', 'survived'],
  ]) {
    const all = verdicts.filter(verdict => verdict.outcome === outcome)
    const lines = all.map(
      ({ id, change, detail }) => `${id}\n${change.replace(/^/gm, '    ')}\n    ${oneLine(detail)}`,
    )
    if (all.length > 0) blocks.push(`${why}\n${lines.join('\n')}`)
  }
  const counts = [...Map.groupBy(verdicts, ({ outcome, by }) => `${outcome} by ${by}`)].sort()
  blocks.push(counts.map(([name, all]) => `${String(all.length).padStart(6)}  ${name}`).join('\n'))
  const found = verdicts.filter(({ outcome }) => outcome === 'derived' || outcome === 'caught').length
  const meant = found + verdicts.filter(({ outcome }) => outcome === 'survived').length
  blocks.push(`Score: ${found} of ${meant} (${((100 * found) / Math.max(1, meant)).toFixed(1)} %)`)
  return blocks.join('\n\n')
}
