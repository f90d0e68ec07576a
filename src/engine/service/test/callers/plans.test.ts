import pino from 'pino'
import type { Contract } from 'spec-served-document/contract/contract'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { ownContract } from 'spec-served-lab/support/model'
import { issueKey } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { tellOfKeysBesidePlans } from '../../process/startup-messages.ts'

const database = shared(freshDatabase)

async function toldWith(plans: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => lines.push(JSON.parse(line).msg) })
  const { rateLimits, ...contract } = await ownContract()
  if (!rateLimits) throw new Error('The document has limits')
  const declared = Object.fromEntries(plans.map(plan => [plan, {}]))
  await tellOfKeysBesidePlans(log, database.db, {
    ...contract,
    rateLimits: { ...rateLimits, plans: declared },
  } as Contract)
  return lines
}

test('keys may have any plan that a document has, and of those whose plan it has not operators are warned', async () => {
  for (const plan of ['Free', 'Gold', 'Gold', 'Tin']) await issueKey(database.db, { plan })
  expect(await toldWith(['Free', 'Tin', 'Gold'])).toEqual([])
  expect(await toldWith(['Free', 'Tin'])).toEqual([
    'Keys have the plan Gold, which the document does not have: 2. Each of their calls is over its limit.',
  ])
  await database.cut()
  expect(await toldWith(['Free'])).toEqual([
    'Whether the document has the plans of all keys could not be found out.',
  ])
})
