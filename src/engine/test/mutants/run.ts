import { runCommand, wholeNumber } from '../../tools/command/arguments.ts'
import { readDocument } from '../../tools/reading/read.ts'
import { type Mutant, mutantsOf } from './changes.ts'
import { openJudge, type Verdict } from './verdict.ts'

const usage = `Usage: npm run check:mutants -- [--sample N | --all] [--seed N] [--only TEXT]

Proves the check: makes small changes of meaning in spec/openapi.yaml, one at a time. Each is to show in the regenerated
service (derived) or to make the check fail (caught); all others have survived. Exit code 1: some survived.
  --sample  how many, spread over the kinds of change (default: 60)
  --all     every one; takes hours
  --seed    draws another sample (default: 1)
  --only    those whose name holds this text: a kind of change, a place in the document`

const options = {
  sample: { type: 'string', default: '60' },
  all: { type: 'boolean' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
} as const

await runCommand({ usage, options }, async ({ all, only, ...values }) => {
  const seed = wholeNumber('--seed', values.seed)
  const size = wholeNumber('--sample', values.sample, 1)
  const original = await readDocument('spec/openapi.yaml')
  const mutants = inTurn(
    mutantsOf(original.document).filter(({ id }) => id.includes(only)),
    seed,
  )
  const wanted = all ? mutants : mutants.slice(0, size)
  console.log(`${wanted.length} of ${mutants.length} changes of the document`)
  const judge = await openJudge(original)
  const verdicts: Verdict[] = []
  try {
    for (const mutant of wanted) {
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
})

/** Each kind once before any kind twice; the same seed gives the same order. */
function inTurn(mutants: readonly Mutant[], seed: number): Mutant[] {
  const kinds = [...Map.groupBy(mutants, ({ kind }) => kind).values()]
  return kinds
    .flatMap(same => same.map((mutant, index) => ({ mutant, round: (index + seed * 7_919) % same.length })))
    .sort((a, b) => a.round - b.round)
    .map(({ mutant }) => mutant)
}
