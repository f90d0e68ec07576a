import { availableParallelism } from 'node:os'
import { readDocument } from '../src/document/read.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import { equivalents } from './mutants/code/equivalents.ts'
import { type CodeMutant, codeMutants } from './mutants/code/mutants.ts'
import type { Verdict } from './mutants/judge.ts'
import { readKnownVerdicts } from './mutants/known.ts'
import { equivalentMutantsOf, type Mutant, mutantsOf } from './mutants/mutators.ts'
import { judgeAll } from './mutants/pool.ts'
import { lineOf, summaryOf, type Unjudged } from './mutants/report.ts'
import { spread } from './mutants/sampling.ts'

const usage = `Usage: npm run check:mutants -- [--of document|code] [--sample N | --all] [--seed N] [--only TEXT] [--jobs N] [--again]

Proves the check: makes small changes of meaning, one at a time, in spec/openapi.yaml and in the code that answers
requests. A change of the document is to show in the regenerated service (derived) or to make the check fail (caught), a
change of the code to make it fail; all others have survived. What was judged is kept, and a run that was stopped goes on
where it was. Exit code 1: some survived.
  --of      only changes of the document, or of the code
  --sample  how many, spread over the kinds of change, and over the files (default: 60 of the document, 20 of the code)
  --all     every one; takes days
  --seed    draws another sample (default: 1)
  --only    those whose name holds this text: a file, a function, a place in the document
  --jobs    processes side by side (default: one a core)
  --again   judge anew what an earlier run has judged of the same code`

const file = 'node_modules/.mutants.jsonl'

const options = {
  of: { type: 'string' },
  sample: { type: 'string' },
  all: { type: 'boolean' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  again: { type: 'boolean' },
} as const

/** How many are judged unless told: one of the code takes some 30 s of a core. */
const usualSize = { document: 60, code: 20 } as const

/** Mutants of one sort, in the order in which a sample takes them. */
interface Supply {
  name: keyof typeof usualSize
  mutants: readonly (Mutant | CodeMutant)[]
  unjudged: Unjudged[]
}

async function documentSupply(only: string, seed: number): Promise<Supply> {
  const { document } = await readDocument('spec/openapi.yaml')
  const eligible = mutantsOf(document).filter(({ id }) => id.includes(only))
  const idle = Map.groupBy(
    equivalentMutantsOf(document).filter(({ id }) => id.includes(only)),
    ({ reason }) => reason,
  )
  return {
    name: 'document',
    mutants: spread(eligible, ({ kind }) => kind, seed),
    unjudged: [...idle].map(([reason, { length }]) => ({ reason: `equivalent: ${reason}`, count: length })),
  }
}

async function codeSupply(only: string, seed: number): Promise<Supply> {
  const { mutants, elsewhere } = await codeMutants()
  const eligible = mutants.filter(({ id }) => id.includes(only))
  const equivalent = eligible.filter(({ id }) => Object.hasOwn(equivalents, id)).length
  const others = only === '' ? [...elsewhere].map(([reason, count]) => ({ reason, count })) : []
  return {
    name: 'code',
    // Drawn before equivalents are left out: one more of them leaves the rest of a sample as it was.
    mutants: spread(eligible, mutant => mutant.file, seed).filter(
      ({ id }) => !Object.hasOwn(equivalents, id),
    ),
    unjudged: [{ reason: 'equivalent, by reading', count: equivalent }, ...others].filter(
      one => one.count > 0,
    ),
  }
}

/**
 * What to judge next: of each sort as many as are wanted, not counting those that turn out to be none. One is handed out
 * for each that may still count.
 */
function takeUpTo({ mutants }: Supply, wanted: number) {
  let [index, due] = [0, wanted]
  return {
    next(): string | undefined {
      if (due <= 0) return undefined
      due -= 1
      return mutants[index++]?.id
    },
    giveBack(): void {
      due += 1
    },
  }
}

await runCommand({ usage, options }, async values => {
  if (values.all && values.sample) throw new Misuse('--all and --sample exclude one another')
  if (values.of && !['document', 'code'].includes(values.of)) throw new Misuse('--of is document or code')
  const seed = wholeNumber('--seed', values.seed)
  const processes = wholeNumber('--jobs', values.jobs, 1)
  const given = values.sample === undefined ? undefined : wholeNumber('--sample', values.sample, 1)
  const supplies = [await documentSupply(values.only, seed), await codeSupply(values.only, seed)].filter(
    ({ name }) => values.of === undefined || values.of === name,
  )
  const known = await readKnownVerdicts(file)
  const verdicts: Verdict[] = []
  const started = performance.now()
  for (const supply of supplies) {
    const { name, mutants } = supply
    const wanted = values.all ? mutants.length : Math.min(given ?? usualSize[name], mutants.length)
    console.log(`${wanted} of ${mutants.length} mutants of the ${name}`)
    const byId = new Map(mutants.map(mutant => [mutant.id, mutant]))
    const supplied = takeUpTo(supply, wanted)
    let [judged, recalled] = [0, 0]
    const take = (verdict: Verdict) => {
      if (verdict.outcome === 'invalid') {
        supplied.giveBack()
        return
      }
      judged += 1
      verdicts.push(verdict)
    }
    const nextUnknown = (): string | undefined => {
      for (let id = supplied.next(); id !== undefined; id = supplied.next()) {
        const verdict = values.again ? undefined : known.get(id)
        if (!verdict) return id
        recalled += 1
        take(verdict)
      }
      return undefined
    }
    await judgeAll<Verdict>(
      {
        next: nextUnknown,
        onResult(verdict) {
          known.add(verdict)
          take(verdict)
          if (verdict.outcome === 'invalid') return
          const seconds = ((performance.now() - started) / 1_000).toFixed(0)
          console.log(`${judged}/${wanted} ${seconds} s  ${lineOf(verdict)}`)
        },
        lost(id, how) {
          const mutant = byId.get(id)
          if (!mutant || !('area' in mutant)) throw new Error(`${id} can't be judged: ${how}`)
          const { kind, area, at, change } = mutant
          return { id, kind, area, at, change, outcome: 'caught', by: 'its end', detail: how, seconds: 0 }
        },
      },
      { processes },
    )
    if (recalled > 0) console.log(`${recalled} were known from earlier`)
  }
  console.log(
    `\n${summaryOf(
      verdicts,
      supplies.flatMap(({ unjudged }) => unjudged),
    )}`,
  )
  return verdicts.some(({ outcome }) => outcome === 'survived') ? 1 : 0
})
