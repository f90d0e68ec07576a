import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invariants } from '../../check/invariants/history.ts'
import { conclude } from '../../check/service.ts'
import { readInterface } from '../../records/interface.ts'
import { model, openSpoilt, probes, reportedBy } from './rows.ts'
import { rows } from './spoilers.ts'
import { createNotes } from './statements.ts'

const statements = createNotes()

let mock: Awaited<ReturnType<typeof openSpoilt>>
beforeAll(async () => {
  mock = await openSpoilt()
})
afterAll(() => mock.close())

test.each(rows.map(row => [row.of, row] as const))(
  '%s: the check sees a small fault, and names its cause',
  async (_, row) => {
    const reported = await reportedBy(mock, row, statements.note)
    expect(reported.at(-1), reported.join('\n')).toMatch(row.told)
    expect(reported.filter(message => row.untold?.test(message))).toEqual([])
  },
)

// Needs the tests above. A statement that is taken out, or that can be false no more, changes the list. `vitest -u` writes it.
test('each statement of the check that has named a fault still does', async () => {
  const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')
  const elsewhere = [await read('statements-others.txt'), await read('statements-makes.txt')]
  const list = await statements.all(elsewhere)
  await expect(list).toMatchFileSnapshot('statements.txt')
  expect(list.match(/^never .*$/gm) ?? [], 'statements that no test makes false').toEqual([])
})

test('each probe, each part of one and each invariant has a fault that it must see', () => {
  const parts = ['pages of lists', 'orders of lists', 'bans: taken away']
  const proven = new Set(rows.map(({ of, probe = of }) => probe))
  expect([...probes.keys()].filter(name => !proven.has(name))).toEqual([])
  const named = new Set(rows.map(({ of }) => of))
  expect([...parts, ...Object.keys(invariants), 'inventory'].filter(name => !named.has(name))).toEqual([])
})

test.each([
  ['what is unique', 'updateCategory', true],
  ['filters after changes', 'updatePet', true],
  ['warnings of ends', 'getHealth', true],
  ['told calls', 'getUsage', true],
  ['changes that meet', 'cancelOrder', true],
  ['changes that meet', 'createApiKey', false],
])('%s: with %s alone the check looks at it, or need not: %s', (name, id, isDue) => {
  const contract = readInterface(model)
  const endpoints = contract.endpoints.filter(endpoint => endpoint.id === id)
  expect(probes.get(name)?.probe.isDue(contract, endpoints)).toBe(isDue)
})

test('an obstacle is reported beside the faults of other operations, and not where a fault of its own explains it', () => {
  const fault = (operation: string) => ({ operation, message: 'is wrong', evidence: 'came: 500' })
  const look = {
    faults: [fault('getPet')],
    unreached: [fault('createApiKey'), { ...fault('getPet'), message: 'it makes no record' }],
    ...{ rows: new Map(), seen: new Set<string>(), succeeded: new Set<string>() },
    ...{ undeclared: new Set<string>(), notes: new Set<string>() },
  }
  const { faults } = conclude({ model }, [look])
  expect(faults).toEqual([fault('getPet'), fault('createApiKey')])
})
