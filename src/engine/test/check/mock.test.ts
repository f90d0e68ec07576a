import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { beforeSunsets, checkContract } from '../../tools/check/service.ts'
import type { World } from '../../tools/check/world.ts'
import { mockContract } from '../../tools/mock/serve.ts'
import { openMock } from '../support/mock-world.ts'
import { ownModel } from '../support/model.ts'

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
