import { availableParallelism } from 'node:os'
import { readDocument } from '../src/document/read.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import type { Verdict } from './mutants/judge.ts'
import { readKnownVerdicts } from './mutants/known.ts'
import { equivalentMutantsOf, mutantsOf, sample } from './mutants/mutators.ts'
import { judgeAll } from './mutants/pool.ts'

const usage = `Usage: npm run check:mutants -- [--sample N | --all] [--seed N] [--only TEXT] [--jobs N] [--again]

Proves the check: makes small changes of meaning in spec/openapi.yaml, one at a time, and tells for each whether the
regenerated service does as the changed document says (derived), whether npm run check fails (caught), or neither
(survived). Exit code 1: some survived.
  --sample  how many, spread over the kinds of change (default: 200)
  --all     every one; takes hours
  --seed    draws another sample (default: 1)
  --only    those whose name holds this text
  --jobs    processes side by side (default: one a core)
  --again   judge anew what an earlier run has judged of the same code`

const file = 'node_modules/.mutants.json'

const options = {
  sample: { type: 'string' },
  all: { type: 'boolean' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  again: { type: 'boolean' },
} as const

const lineOf = ({ outcome, by, id, change, detail }: Verdict) =>
  `${outcome.padEnd(8)} by ${by}: ${id} (${change})\n            ${detail.replaceAll('\n', ' ').slice(0, 200)}`

function report(
  verdicts: readonly Verdict[],
  equivalents: readonly { id: string; reason: string }[],
): number {
  const reasons = Map.groupBy(equivalents, ({ reason }) => reason)
  console.log(`\nNot judged, as they mean nothing: ${equivalents.length}`)
  for (const [reason, all] of reasons) console.log(`  ${String(all.length).padStart(4)}  ${reason}`)
  for (const outcome of ['kept', 'survived'] as const) {
    const all = verdicts.filter(verdict => verdict.outcome === outcome)
    const why = outcome === 'kept' ? ': a stricter promise, which every reply keeps as it is' : ''
    if (all.length > 0) console.log(`\n${outcome}${why}\n${all.map(lineOf).join('\n')}`)
  }
  const table = Map.groupBy(verdicts, ({ outcome, by }) => `${outcome} by ${by}`)
  console.log()
  for (const [name, all] of [...table].sort()) console.log(`${String(all.length).padStart(6)}  ${name}`)
  const count = (outcome: Verdict['outcome']) =>
    verdicts.filter(verdict => verdict.outcome === outcome).length
  const meant = verdicts.length - count('kept')
  const found = count('derived') + count('caught')
  console.log(`Score: ${found} of ${meant} (${((100 * found) / Math.max(1, meant)).toFixed(1)} %)`)
  return count('survived') > 0 ? 1 : 0
}

await runCommand({ usage, options }, async values => {
  if (values.all && values.sample) throw new Misuse('--all and --sample exclude one another')
  const size = wholeNumber('--sample', values.sample ?? '200', 1)
  const seed = wholeNumber('--seed', values.seed)
  const jobs = wholeNumber('--jobs', values.jobs, 1)
  const { document } = await readDocument('spec/openapi.yaml')
  const every = mutantsOf(document)
  const eligible = every.filter(({ id }) => id.includes(values.only))
  const chosen = values.all ? eligible : sample(eligible, size, seed)
  const kinds = new Set(chosen.map(({ kind }) => kind))
  console.log(`${chosen.length} of ${every.length} mutants, of ${kinds.size} kinds`)

  const known = await readKnownVerdicts(file)
  const verdicts = chosen.flatMap(({ id }) => (values.again ? [] : (known.get(id) ?? [])))
  if (verdicts.length > 0) console.log(`${verdicts.length} are known from earlier`)
  const judged = new Set(verdicts.map(({ id }) => id))
  const started = performance.now()
  await judgeAll(
    chosen.map(({ id }) => id).filter(id => !judged.has(id)),
    jobs,
    verdict => {
      verdicts.push(verdict)
      known.add(verdict)
      const seconds = (performance.now() - started) / 1_000
      console.log(`${verdicts.length}/${chosen.length} ${seconds.toFixed(0)} s  ${lineOf(verdict)}`)
    },
  ).finally(() => known.save())
  return report(verdicts, equivalentMutantsOf(document))
})
