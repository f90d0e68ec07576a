import { type Kysely, sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import { takenSteps } from './migrate.ts'
import type { Steps } from './step.ts'
import { type Effect, effectsOf } from './step-effects.ts'

/** What a statement of a step that is not taken yet will keep waiting. */
export interface PlannedStatement {
  statement: string
  /** what nobody can do meanwhile, by table, until the step ends */
  blocks: Effect['blocks']
  /** about how long it takes on the rows that are there */
  seconds: number
}

export interface PlannedStep {
  step: string
  /** whether each of its statements stands alone */
  isOutsideTransaction: boolean
  /** those that block something or take long */
  statements: PlannedStatement[]
  /** what makes it no step to take while callers are served */
  faults: readonly string[]
}

/** How many rows of a table are read to learn how fast it can be read. */
const sample = 100_000
/** Writing rows anew, or into an index, takes about so many times as long as reading them. */
const writing = 5

/** What the steps that are not taken yet will do to a database, and about how long they will block what. */
export async function planOf<T>(db: Kysely<T>, steps: Steps = migrations): Promise<PlannedStep[]> {
  const planned = await effectsOf(await takenSteps(db), steps)
  const reading = new Map<string, number>()
  async function secondsToRead(table: string): Promise<number> {
    const seconds = reading.get(table) ?? (await measureReading(db, table))
    reading.set(table, seconds)
    return seconds
  }
  async function secondsOf({ statement, reads, rewrites }: Effect): Promise<number> {
    let seconds = 0
    for (const table of reads)
      seconds += (await secondsToRead(table)) * (/\bindex\b|\bunique\b/i.test(statement) ? writing : 1)
    for (const table of rewrites) seconds += (await secondsToRead(table)) * writing
    return seconds
  }
  const all: PlannedStep[] = []
  for (const { step, isOutsideTransaction, effects, faults } of planned) {
    const statements: PlannedStatement[] = []
    for (const effect of effects) {
      const { statement, blocks, reads, rewrites } = effect
      if (Object.keys(blocks).length + reads.length + rewrites.length > 0)
        statements.push({ statement, blocks, seconds: await secondsOf(effect) })
    }
    all.push({ step, isOutsideTransaction, statements, faults })
  }
  return all
}

/** About how long it takes to read a table from end to end, in seconds; 0 for one that is not there yet. */
async function measureReading<T>(db: Kysely<T>, table: string): Promise<number> {
  const { rows: found } = await sql<{ rows: number }>`
    select reltuples::float8 as rows from pg_class
    where relname = ${table} and relnamespace = current_schema()::regnamespace`.execute(db)
  if (!found[0]) return 0
  const begun = performance.now()
  const { rows: counted } = await sql<{ rows: number }>`
    select count(*)::float8 as rows from (select * from ${sql.table(table)} limit ${sample}) as part`.execute(
    db,
  )
  const read = counted[0]?.rows ?? 0
  const share = read < sample ? 1 : Math.max(1, found[0].rows / read)
  return ((performance.now() - begun) / 1_000) * share
}
