import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { sql } from 'kysely'
import { readContract } from '../../../src/contract.ts'
import { openDatabase } from '../../../src/database/connect.ts'
import { migrateToLatest } from '../../../src/database/migrate.ts'
import type { Database } from '../../../src/database/tables.ts'
import { checkContract, type Part } from '../../contract/check.ts'
import { databaseFaults } from '../../contract/database.ts'
import { type Route, routeFaults } from '../../contract/routes.ts'
import type { Service } from '../../contract/world.ts'
import { createCodeCheck } from '../type-check.ts'
import { openLoader } from './loading.ts'
import type { CodeMutant } from './mutants.ts'

/** What the check made of a mutant of the code. `invalid`: it does not compile, and so is none. */
export interface CodeJudgement {
  outcome: 'caught' | 'survived' | 'invalid'
  /** the part of the check that told, and what it said */
  by: string
  detail: string
}

export interface CodeJudge {
  judge(mutant: CodeMutant): Promise<CodeJudgement>
  close(): Promise<void>
}

/** Prepares to judge mutants of the code. @param alive called whenever a service under test has answered */
export async function openCodeJudge(alive: () => void): Promise<CodeJudge> {
  const contract = await readContract()
  const { model } = contract
  const ours = await openDatabase({ kind: 'embedded', dataDir: null })
  await migrateToLatest(ours.db)
  await sql`set synchronous_commit = off`.execute(ours.db)
  const firstError = createCodeCheck()
  const load = openLoader()
  const now = new Date()

  async function faultOf(service: Service, database: Database, only?: Part): Promise<string | undefined> {
    const task = { model, service, database, seed: 1, now, only, untilFault: true }
    const [fault] = (await checkContract(task)).faults
    return fault && `${fault.operation}: ${fault.message}`
  }

  async function judge(mutant: CodeMutant): Promise<CodeJudgement> {
    const error = firstError(mutant.file, mutant.text)
    if (error !== undefined) return { outcome: 'invalid', by: 'types', detail: error }
    alive()
    const caught = (by: string, detail: string) => ({ outcome: 'caught' as const, by, detail })
    const code = await load(mutant.file, mutant.text)
    const routes: Route[] = []
    const service: Service = {
      // What is known of the document is found out by the changed code, too.
      contract: code.contractOf(contract.text, model, contract.changelog),
      openResources: code.openResources,
      buildServer: (contract, resources, { prepare, ...options } = {}) =>
        code.buildServer(contract, resources, {
          ...options,
          prepare(app) {
            prepare?.(app)
            app.addHook('onRoute', ({ ...route }) => void routes.push(route))
            app.addHook('onResponse', async () => alive())
          },
        }),
    }
    let database = ours
    const isOfDatabase = /^(migrations|src\/database)\//.test(mutant.file)
    if (isOfDatabase) {
      database = await code.openDatabase({ kind: 'embedded', dataDir: null })
      await code.migrateToLatest(database.db)
      const [difference] = await databaseFaults(database.db, model)
      if (difference !== undefined) return caught('database', difference)
    }
    // What is near tells soonest.
    const near = {
      operations: await operationsNear(mutant.file),
      limits: true,
      elsewhere: isOfEngine(mutant.file),
      known: model,
    }
    const fault = (await faultOf(service, database.db, near)) ?? (await faultOf(service, database.db))
    if (fault !== undefined) return caught('service', fault)
    const [wrong] = routeFaults(model, routesOfOne(routes))
    if (wrong !== undefined) return caught('routes', wrong)
    if (isOfDatabase) await database.close()
    return { outcome: 'survived', by: 'service', detail: 'nothing tells it from the original' }
  }

  return {
    judge: mutant =>
      judge(mutant).catch((error: unknown) => ({
        outcome: 'caught',
        by: 'service',
        detail: `it fails: ${error}`,
      })),
    close: ours.close,
  }
}

/** The routes of the first of the servers that were started, each of which registers the same. */
function routesOfOne(routes: readonly Route[]): Route[] {
  const seen = new Map(routes.map(route => [`${route.method} ${route.url}`, route]))
  return [...seen.values()]
}

const isOfEngine = (file: string) => file.startsWith('src/engine/')

/** A few that are read, made, listed, changed and removed: what the engine does for one it does for all. */
const ofEachForm = ['getPet', 'getCategory', 'createPet', 'listOrders', 'updateCategory', 'deleteCategory']

/** The operations that a handler's file answers, and for a file of the store those of the handlers that rest on it. */
async function operationsNear(file: string): Promise<Set<string>> {
  const textOf = async (directory: string) =>
    new Map(
      await Promise.all(
        (await readdir(directory)).map(
          async name => [name, await readFile(`${directory}/${name}`, 'utf8')] as const,
        ),
      ),
    )
  const [handlers, store] = [await textOf('src/handlers'), await textOf('src/store')]
  const near = new Set(file.startsWith('src/store/') ? [basename(file)] : [])
  for (const one of near) for (const [name, text] of store) if (text.includes(`'./${one}'`)) near.add(name)
  const ids: string[] = []
  for (const [name, text] of handlers)
    if (file === `src/handlers/${name}` || [...near].some(one => text.includes(`'../store/${one}'`)))
      ids.push(...[...text.matchAll(/^export const (\w+): \w*Handler</gm)].map(([, id = '']) => id))
  return new Set(ids.length > 0 ? ids : ofEachForm)
}
