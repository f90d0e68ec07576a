import type { Verdict } from './judge.ts'

/** What mutants are not judged, and why. */
export interface Unjudged {
  reason: string
  count: number
}

const isFound = ({ outcome }: Verdict) => outcome === 'derived' || outcome === 'caught'
const counts = (verdict: Verdict) => isFound(verdict) || verdict.outcome === 'survived'

/** A verdict in one line, as it comes. */
export const lineOf = ({ outcome, by, id, at, detail }: Verdict) =>
  `${outcome.padEnd(8)} by ${by}: ${at === undefined ? id : `${at} ${id.slice(id.indexOf(': ') + 2)}`}\n            ${oneLine(detail)}`

const oneLine = (text: string) => text.replaceAll('\n', ' ').slice(0, 200)

/** The whole of a mutant: for the code its file and line, and the line as it was and as it is. */
const wholeOf = ({ at, id, change, detail }: Verdict) =>
  `${at === undefined ? id : `${at}  ${id}`}\n${change.replace(/^/gm, '    ')}\n    ${oneLine(detail)}`

/** What came of a run, and what was not judged at all. */
export function summaryOf(verdicts: readonly Verdict[], unjudged: readonly Unjudged[]): string {
  const blocks: string[] = []
  if (unjudged.length > 0) {
    const lines = unjudged.map(({ reason, count }) => `${String(count).padStart(6)}  ${reason}`)
    blocks.push(`Not judged:\n${lines.join('\n')}`)
  }
  for (const [outcome, why] of [
    ['kept', 'kept: a stricter promise, which every reply keeps as it is'],
    ['survived', 'survived'],
  ]) {
    const all = verdicts.filter(verdict => verdict.outcome === outcome)
    if (all.length > 0) blocks.push(`${why}\n${all.map(wholeOf).join('\n')}`)
  }
  const byWhom = Map.groupBy(verdicts, ({ outcome, by }) => `${outcome} by ${by}`)
  blocks.push(
    [...byWhom]
      .sort()
      .map(([name, all]) => `${String(all.length).padStart(6)}  ${name}`)
      .join('\n'),
  )
  const areas = [...Map.groupBy(verdicts, ({ area }) => area)].sort()
  const width = Math.max(...areas.map(([area]) => area.length), 0)
  const scores = areas
    .filter(([, all]) => all.some(counts))
    .map(([area, all]) => `${area.padEnd(width)}  ${score(all)}`)
  blocks.push([...scores, `Score: ${score(verdicts)}`].join('\n'))
  return blocks.join('\n\n')
}

function score(verdicts: readonly Verdict[]): string {
  const meant = verdicts.filter(counts).length
  const found = verdicts.filter(isFound).length
  return `${found} of ${meant} (${((100 * found) / Math.max(1, meant)).toFixed(1)} %)`
}
