import { readFile } from 'node:fs/promises'
import { modelOf } from 'spec-served-document/model'
import { given, openMock } from 'spec-served-lab/support/mock-world'
import { ownModel } from 'spec-served-lab/support/model'
import { createCoverage } from '../../check/coverage.ts'
import { type Probe, type ServiceLook, services } from '../../check/probes.ts'
import { openSession } from '../../check/session.ts'
import { createReport, Enough, type Fault } from '../../check/summary.ts'
import { mockContract } from '../../mock/serve.ts'
import { readInterface } from '../../records/interface.ts'
import type { Row } from './spoiling.ts'

export const model = await ownModel()
const looks: [string, ServiceLook][] = Object.entries(services)
/** All probes by their names. */
export const probes = new Map(
  looks.flatMap(([, { probes: looked, alone = false }]) =>
    Object.entries(looked).map(([name, probe]): [string, { probe: Probe; alone: boolean }] => [
      name,
      { probe, alone },
    ]),
  ),
)

/** Ends a run at the fault that it was to find. */
class Found extends Enough {}

/** A mock of our own document, which the faults are put into. */
export async function openSpoilt() {
  const text = await readFile('spec/openapi.yaml', 'utf8')
  return openMock(mockContract(text, model, true), new Date('2026-11-21T12:00:00Z'))
}

/**
 * Runs the probe of a row.
 * @param onFault called where a fault is reported, on the stack of what reports it
 * @returns what it reports of the service, up to the fault that is looked for
 */
export async function reportedBy(
  mock: Awaited<ReturnType<typeof openSpoilt>>,
  row: Row,
  onFault: (fault: Fault) => void = () => {},
): Promise<string[]> {
  const { of, probe: name = of, operations, told, document, paths, isToTheEnd, isOfTwo, ...spoiler } = row
  const found = probes.get(name)
  if (!found) throw new Error(`There is no probe ${name}`)
  const changed = structuredClone(model.document)
  document?.(changed)
  const kept = Object.entries(changed.paths).filter(([path]) => paths?.test(path) ?? true)
  const contract = readInterface(
    document || paths ? modelOf({ ...changed, paths: Object.fromEntries(kept) }) : model,
  )
  const all: string[] = []
  const report = createReport(fault => {
    const { operation, message } = fault
    all.push(`${operation}: ${message}`)
    onFault(fault)
    if (told.test(`${operation}: ${message}`)) throw new Found()
  })
  const endpoints = contract.endpoints.filter(({ id }) => operations.includes(id))
  try {
    const own = mock.world(spoiler)
    // A service of another make issues no keys to the check.
    const { keys, ...hands } = own.hands
    const second = isOfTwo && (await keys?.issue({ plan: 'Business', scopes: contract.scopes }))
    const callers = [given, ...(second ? [second] : [])]
    const world = contract.guided ? own : { ...own, hands, credentials: callers }
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
