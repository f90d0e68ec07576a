import { visibleLine } from 'spec-served-document/visible-text'
import type { Command, Outcome } from '../command/command.ts'
import { loadService } from '../command/project.ts'
import type { Call } from './call.ts'
import { leaf } from './leaf.ts'

async function migrate(
  name: 'migrate.status' | 'migrate.up' | 'migrate.down',
  call: Call,
  what?: string,
): Promise<Outcome> {
  const { moved, steps } = await call(name, {})
  const summary =
    what === undefined ? [] : [moved.length > 0 ? `${what} ${moved.join(', ')}` : 'nothing to do']
  const lines = steps.map(
    ({ name: migration, takenAt }) => `${takenAt ?? 'not taken'.padEnd(24)}  ${migration}`,
  )
  return { json: { moved, steps }, lines: [...summary, ...lines] }
}

const about = (seconds: number) =>
  seconds < 0.1 ? 'for an instant' : `for about ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`

async function planSteps(call: Call): Promise<Outcome> {
  const { applied, reading } = await call('migrate.measure', {})
  const { planOf } = await import('../migration-plan/plan.ts')
  const steps = await planOf(applied, reading, (await loadService()).migrations)
  const lines = steps.flatMap(({ step, isOutsideTransaction, statements, faults }) => [
    `${step}${isOutsideTransaction ? ', statement by statement' : ''}`,
    ...statements.flatMap(({ statement, blocks, seconds }) => {
      const blocked = Object.entries(blocks).map(([table, what]) => `${what} of ${table}`)
      const blocking = blocked.length > 0 ? `blocks ${blocked.join(', ')} ` : 'blocks nobody, and works '
      return [`  ${statement}`, `    ${blocking}${about(seconds)}`]
    }),
    ...(statements.length === 0 ? ['  blocks nothing that is there'] : []),
    ...faults.map(fault => `  ! ${fault}`),
  ])
  return {
    json: steps,
    lines: steps.length === 0 ? ['nothing to do'] : lines,
    code: steps.some(({ faults }) => faults.length > 0) ? 1 : 0,
  }
}

async function listDeprecations(call: Call): Promise<Outcome> {
  const { days, operations } = await call('deprecations', {})
  const lines = operations.flatMap(({ operationId, method, path, sunset, daysLeft, successor, callers }) => {
    const when = daysLeft > 0 ? `ends on ${sunset}, ${daysLeft} days left` : `ended on ${sunset}`
    const instead = successor === null ? '' : `; use ${successor}`
    const callerLines = callers.map(
      ({ id, name, calls, lastDay }) =>
        `  ${visibleLine(id === null ? name : `key ${id} (${name})`)}: ${calls} calls in the last ${days} days, the last on ${lastDay}`,
    )
    return [
      `${operationId} (${method} ${path}): ${when}${instead}`,
      ...(callerLines.length > 0 ? callerLines : [`  nobody called it in the last ${days} days`]),
    ]
  })
  return { json: operations, lines }
}

const argument = { name: 'DIRECTORY', text: 'the directory of the backup', isDirectory: true }

/** Everything that operators do from a shell. */
export const operatorCommands: Readonly<Record<string, Command>> = {
  keys: {
    text: 'makes, shows and changes API keys',
    commands: async () => (await import('./keys.ts')).keyCommands, // plans and scopes are the document's
  },
  migrate: {
    text: 'migrates the database to this version, or back',
    usual: 'up',
    isData: true,
    commands: {
      status: leaf({
        text: 'lists the migrations, and when each ran',
        run: (_, __, call) => migrate('migrate.status', call),
      }),
      plan: leaf({
        text: 'says what each missing migration will block, and for about how long; exit code 1: callers would notice',
        run: (_, __, call) => planSteps(call),
      }),
      up: leaf({
        text: 'runs all missing migrations, as each start does',
        run: (_, __, call) => migrate('migrate.up', call, 'ran'),
      }),
      down: leaf({
        text: 'reverts the last migration, with its data',
        run: (_, __, call) => migrate('migrate.down', call, 'reverted'),
      }),
    },
  },
  deprecations: leaf({
    example: 'deprecations',
    text: 'lists deprecated operations, their ends, and the keys that still call them',
    run: (_, __, call) => listDeprecations(call),
  }),
  backup: leaf({
    example: 'backup copies/today',
    text: 'copies the embedded database, while it serves too, and reads the copy back',
    argument: { ...argument, text: 'where the copy goes; it must not be there yet' },
    more: 'Requests wait while the files are copied. For PostgreSQL use pg_dump or pg_basebackup.',
    run: async (_, directory, call) => (await import('./backup.ts')).backup(directory, call),
  }),
  restore: leaf({
    example: 'restore copies/today',
    text: 'brings a backup back into a DATA_DIR without a database',
    argument,
    more: 'It overwrites nothing, and the server must not run. For PostgreSQL use pg_restore.',
    run: async (_, directory) => (await import('./backup.ts')).restore(directory),
  }),
}
