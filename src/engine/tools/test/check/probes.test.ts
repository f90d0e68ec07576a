import { readFile } from 'node:fs/promises'
import { modelOf } from 'spec-served-document/model'
import { given, openMock } from 'spec-served-lab/support/mock-world'
import { ownModel } from 'spec-served-lab/support/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCoverage } from '../../check/coverage.ts'
import { invariants } from '../../check/invariants/history.ts'
import { type Probe, type ServiceLook, services } from '../../check/probes.ts'
import { conclude } from '../../check/service.ts'
import { openSession } from '../../check/session.ts'
import { createReport, Enough } from '../../check/summary.ts'
import { mockContract } from '../../mock/serve.ts'
import { readInterface } from '../../records/interface.ts'
import { type Row, rows } from './spoilers.ts'

const model = await ownModel()
const looks: [string, ServiceLook][] = Object.entries(services)
const probes = new Map(
  looks.flatMap(([, { probes, alone = false }]) =>
    Object.entries(probes).map(([name, probe]): [string, { probe: Probe; alone: boolean }] => [
      name,
      { probe, alone },
    ]),
  ),
)

let mock: Awaited<ReturnType<typeof openMock>>
beforeAll(async () => {
  const text = await readFile('spec/openapi.yaml', 'utf8')
  mock = await openMock(mockContract(text, model, true), new Date('2026-11-21T12:00:00Z'))
})
afterAll(() => mock.close())

/** Ends a run at the fault that it was to find. */
class Found extends Enough {}

/** Runs the probe of a row. @returns what it tells of the service, up to the fault that is looked for */
async function toldBy({
  of,
  probe: name = of,
  operations,
  told,
  document,
  paths,
  isToTheEnd,
  isOfTwo,
  ...spoiler
}: Row) {
  const found = probes.get(name)
  if (!found) throw new Error(`There is no probe ${name}`)
  const changed = structuredClone(model.document)
  document?.(changed)
  const kept = Object.entries(changed.paths).filter(([path]) => paths?.test(path) ?? true)
  const contract = readInterface(
    document || paths ? modelOf({ ...changed, paths: Object.fromEntries(kept) }) : model,
  )
  const all: string[] = []
  const report = createReport(({ operation, message }) => {
    all.push(`${operation}: ${message}`)
    if (told.test(`${operation}: ${message}`)) throw new Found()
  })
  const endpoints = contract.endpoints.filter(({ id }) => operations.includes(id))
  try {
    const own = mock.world(spoiler)
    // A service of another make issues no keys to the check.
    const { keys, ...hands } = own.hands
    const second = isOfTwo && (await keys?.issue({ plan: 'Business', scopes: contract.scopes }))
    const callers = [given, ...(second ? [second] : [])]
    const world = contract.guided ? own : { ...own, hands, given: callers }
    const session = await openSession(contract, world, 1, createCoverage(contract), report, {
      alone: found.alone,
    })
    await report.probe(name, () => found.probe.run(session, endpoints), found.probe.byInvariants)
    if (isToTheEnd) await session.conclude()
  } catch (error) {
    if (!(error instanceof Found)) throw error
  }
  return [...all, ...report.unreached().map(({ message }) => message)]
}

test.each(rows.map(row => [row.of, row] as const))(
  '%s: the check sees a small fault, and tells its cause',
  async (_, row) => {
    const told = await toldBy(row)
    expect(told.at(-1), told.join('\n')).toMatch(row.told)
    expect(told.filter(message => row.untold?.test(message))).toEqual([])
  },
)

test('each probe, each part of one and each invariant has a fault that it must see', () => {
  const parts = ['pages of lists', 'orders of lists', 'bans: taken away']
  const proven = new Set(rows.map(({ of, probe = of }) => probe))
  expect([...probes.keys()].filter(name => !proven.has(name))).toEqual([])
  const named = new Set(rows.map(({ of }) => of))
  expect([...parts, ...Object.keys(invariants), 'inventory'].filter(name => !named.has(name))).toEqual([])
})

test('an obstacle is told beside the faults of other operations, and not where a fault of its own explains it', () => {
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
