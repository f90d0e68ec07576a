import type { Migrations } from './migration.ts'
import * as apiKeys from './migrations/0002-api-keys.ts'
import * as idempotency from './migrations/0003-idempotency.ts'
import * as deprecatedCalls from './migrations/0004-deprecated-calls.ts'
import * as plansOfTheDocument from './migrations/0006-plans-of-the-document.ts'
import * as keyChanges from './migrations/0007-key-changes.ts'
import * as limitNotes from './migrations/0010-limit-notes.ts'
import * as oneWritePath from './migrations/0013-one-write-path.ts'
import * as callsOfHolders from './migrations/0014-calls-of-holders.ts'
import * as largestIds from './migrations/0015-largest-ids.ts'
import * as readNewBans from './migrations/0017-read-new-bans.ts'
import * as indexesOfBans from './migrations/0018-indexes-of-bans.ts'

/** The engine's own migrations, in order. A released one is never changed; a new one is added below it. */
export const engineMigrations: Migrations = {
  '0002-api-keys': apiKeys,
  '0003-idempotency': idempotency,
  '0004-deprecated-calls': deprecatedCalls,
  '0006-plans-of-the-document': plansOfTheDocument,
  '0007-key-changes': keyChanges,
  '0010-limit-notes': limitNotes,
  '0013-one-write-path': oneWritePath,
  '0014-calls-of-holders': callsOfHolders,
  '0015-largest-ids': largestIds,
  '0017-read-new-bans': readNewBans,
  '0018-indexes-of-bans': indexesOfBans,
}

/** Returns the engine's migrations, then those of a project. @throws Error when two have the same name */
export function allMigrations(projectMigrations: Migrations): Migrations {
  const twice = Object.keys(projectMigrations).find(name => Object.hasOwn(engineMigrations, name))
  if (twice !== undefined)
    throw new Error(`The engine has a migration ${twice} of its own: give yours another name`)
  return { ...engineMigrations, ...projectMigrations }
}
