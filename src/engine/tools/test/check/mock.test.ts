import { readFile } from 'node:fs/promises'
import { openMock } from 'spec-served-lab/support/mock-world'
import { ownModel } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { beforeSunsets, checkContract } from '../../check/service.ts'
import type { World } from '../../check/world.ts'
import { mockContract } from '../../mock/serve.ts'

test('the mock of the pet store passes the check of its document', async () => {
  const model = await ownModel()
  const contract = mockContract(await readFile('spec/openapi.yaml', 'utf8'), model, true)
  const start = beforeSunsets(model, new Date('2026-11-21T12:00:00Z'))
  const open = async (): Promise<World> => {
    const mock = await openMock(contract, start)
    const world = mock.world()
    // A mock has no database, and forgets everything when it ends.
    const { database: _, restart: __, settings: ___, ...hands } = world.hands
    return { ...world, hands, close: () => mock.close() }
  }
  const { faults } = await checkContract({ model, open, seed: 1 })
  expect(faults.map(({ operation, message }) => `${operation}: ${message}`)).toEqual([])
}, 900_000)
