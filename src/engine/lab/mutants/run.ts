import { wholeNumber } from 'spec-served/internal/command/arguments'
import { readDocument } from 'spec-served-document/reading/read'
import { type Mutant, mutantsOf } from './changes.ts'
import { tryCode } from './code.ts'
import { openJudge, type Verdict } from './verdict.ts'

export async function run({
  all,
  only,
  ...values
}: Record<'seed' | 'sample' | 'only' | 'in', string> & {
  all: boolean
  random?: string | undefined
  seconds?: string | undefined
}): Promise<number> {
  const seed = wholeNumber('--seed', values.seed)
  if (values.random !== undefined)
    return (await tryCode(values.in, wholeNumber('--random', values.random, 1), seed)) > 0 ? 1 : 0
  const size = wholeNumber('--sample', values.sample, 1)
  const time = values.seconds === undefined ? Infinity : 1_000 * wholeNumber('--seconds', values.seconds)
  const original = await readDocument('spec/openapi.yaml')
  const mutants = inTurn(
    mutantsOf(original.document).filter(({ id }) => id.includes(only)),
    seed,
  )
  const wanted = all ? mutants : mutants.slice(0, size)
  console.log(`${wanted.length} of ${mutants.length} changes of the document`)
  const judge = await openJudge(original)
  const end = performance.now() + time
  const verdicts: Verdict[] = []
  try {
    for (const mutant of wanted) {
      if (verdicts.length > 0 && performance.now() > end) break
      const verdict = await judge.judge(mutant)
      verdicts.push(verdict)
      const { outcome, by, detail } = verdict
      console.log(`${verdicts.length}/${wanted.length} ${outcome.padEnd(8)} by ${by}: ${mutant.id}`)
      console.log(`    ${detail.replaceAll('\n', ' ').slice(0, 200)}`)
    }
  } finally {
    await judge.close()
  }
  const counts = Map.groupBy(verdicts, ({ outcome, by }) => `${outcome} by ${by}`)
  for (const [name, { length }] of [...counts].sort()) console.log(`${String(length).padStart(6)}  ${name}`)
  const meant = verdicts.filter(({ outcome }) => outcome !== 'kept')
  const survived = meant.filter(({ outcome }) => outcome === 'survived').length
  console.log(`Score: ${meant.length - survived} of ${meant.length}`)
  return survived > 0 ? 1 : 0
}

/** Each kind once before any kind twice; the same seed gives the same order. */
function inTurn(mutants: readonly Mutant[], seed: number): Mutant[] {
  const kinds = [...Map.groupBy(mutants, ({ kind }) => kind).values()]
  return kinds
    .flatMap(same => same.map((mutant, index) => ({ mutant, round: (index + seed * 7_919) % same.length })))
    .sort((a, b) => a.round - b.round)
    .map(({ mutant }) => mutant)
}
