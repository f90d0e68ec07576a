import { rows as atOnce } from './spoilers/at-once.ts'
import { rows as bansAndLengthsOfTime } from './spoilers/bans-and-lengths-of-time.ts'
import { rows as elsewhere } from './spoilers/elsewhere.ts'
import { rows as invariants } from './spoilers/invariants.ts'
import { rows as lastRecords } from './spoilers/last-records.ts'
import { rows as limits } from './spoilers/limits.ts'
import { rows as queriesAndSequences } from './spoilers/queries-and-sequences.ts'
import { rows as refusalsAndConditions } from './spoilers/refusals-and-conditions.ts'
import { rows as requests } from './spoilers/requests.ts'
import type { Row } from './spoiling.ts'

/** A small fault for each statement of the check, by the service that shows it. */
export const rows: readonly Row[] = [
  ...queriesAndSequences,
  ...atOnce,
  ...requests,
  ...refusalsAndConditions,
  ...bansAndLengthsOfTime,
  ...lastRecords,
  ...limits,
  ...elsewhere,
  ...invariants,
]
