import { spawnSync } from 'node:child_process'
import { chosenFrom, endSoon, type ScenarioWishes } from '../support/scenarios.ts'
import { agents } from './agents.ts'
import { bans } from './bans.ts'
import { diskFull } from './disk-full.ts'
import { hangs } from './hangs.ts'
import { kills } from './kills.ts'
import { locks } from './locks.ts'
import { migration } from './migration.ts'
import { databaseOutages, redisOutages } from './outages.ts'
import { overload } from './overload.ts'
import { pooler } from './pooler.ts'
import { powerCuts } from './power-cuts.ts'
import { redisFailover } from './redis-failover.ts'
import { refusals } from './refusals.ts'
import { repeats } from './repeats.ts'
import { replicas } from './replicas.ts'
import { carryOut, type Setting } from './scenario.ts'
import { silentIssuer } from './silent-issuer.ts'
import { stops } from './stops.ts'
import { year } from './year.ts'

const scenarios = [
  kills,
  powerCuts,
  stops,
  databaseOutages,
  redisOutages,
  hangs,
  diskFull,
  overload,
  locks,
  agents,
  silentIssuer,
  refusals,
  bans,
  repeats,
  migration,
  pooler,
  replicas,
  redisFailover,
  year,
]

const names = scenarios.map(({ name }) => name)

export async function run({ short, only, record }: ScenarioWishes): Promise<number> {
  const chosen = chosenFrom(names, only)
  const runs = scenarios
    .filter(({ name, needs }) => chosen.includes(name) && !(short && needs && !only))
    .flatMap(({ name, description, databases, needs, run: runOn }) => {
      if (needs && spawnSync(needs.command, ['--version']).error) {
        const fault = `not run, as there is no ${needs.command}: ${needs.from}`
        return [{ title: name, description, run: async () => ({ figures: {}, faults: [fault] }) }]
      }
      return databases.map(database => ({
        title: `${name} on ${database}`,
        description,
        run: (progress: Setting['progress']) => runOn({ short, database, progress }),
      }))
    })
  return (await carryOut(runs, record).finally(endSoon)) ? 0 : 1
}
