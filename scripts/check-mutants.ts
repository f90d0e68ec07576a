import { availableParallelism } from 'node:os'
import { readDocument } from '../src/document/read.ts'
import { runCommand, wholeNumber } from './arguments.ts'
import { equivalentMutantsOf, mutantsOf } from './mutants/mutators.ts'
import { judgeAll } from './mutants/pool.ts'
import { lineOf, summaryOf } from './mutants/report.ts'
import { spread } from './mutants/sampling.ts'

const usage = `Usage: npm run check:mutants -- [--sample N | --all] [--seed N] [--only TEXT] [--jobs N]

Proves the check: makes small changes of meaning in spec/openapi.yaml, one at a time. Each is to show in the regenerated
service (derived) or to make the check fail (caught); all others have survived. Exit code 1: some survived.
  --sample  how many, spread over the kinds of change (default: 60)
  --all     every one; takes hours
  --seed    draws another sample (default: 1)
  --only    those whose name holds this text: a kind of change, a place in the document
  --jobs    processes side by side (default: one a core)`

const options = {
  sample: { type: 'string', default: '60' },
  all: { type: 'boolean' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  jobs: { type: 'string', default: String(availableParallelism()) },
} as const

await runCommand({ usage, options }, async ({ all, only, ...values }) => {
  const seed = wholeNumber('--seed', values.seed)
  const processes = wholeNumber('--jobs', values.jobs, 1)
  const { document } = await readDocument('spec/openapi.yaml')
  const mutants = spread(
    mutantsOf(document).filter(({ id }) => id.includes(only)),
    seed,
  )
  const wanted = all ? mutants : mutants.slice(0, wholeNumber('--sample', values.sample, 1))
  console.log(`${wanted.length} of ${mutants.length} changes of the document`)
  const started = performance.now()
  let judged = 0
  const verdicts = await judgeAll(
    wanted.map(({ id }) => id),
    processes,
    verdict => {
      judged += 1
      const seconds = ((performance.now() - started) / 1_000).toFixed(0)
      console.log(`${judged}/${wanted.length} ${seconds} s  ${lineOf(verdict)}`)
    },
  )
  const equivalents = Map.groupBy(
    equivalentMutantsOf(document).filter(({ id }) => id.includes(only)),
    ({ reason }) => reason,
  )
  const unjudged = [...equivalents].map(([reason, { length }]) => ({ reason, count: length }))
  console.log(`\n${summaryOf(verdicts, unjudged)}`)
  return verdicts.some(({ outcome }) => outcome === 'survived') ? 1 : 0
})
