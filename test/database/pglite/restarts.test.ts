import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runPetstore } from '../../../scripts/operate/run.ts'
import { sharedDirectory } from '../../support/fixtures.ts'
import { startProcess } from '../../support/process.ts'

const DATA_DIR = sharedDirectory()

async function createPet(url: string): Promise<number> {
  const key = (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const response = await fetch(`${url}/pets`, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: number } // as the document has it
  return id
}

test('a new database has migrations of its own time, and identifiers go on by one after each stop', async () => {
  const begun = new Date().toISOString()
  const ids: number[] = []
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
    await using server = await startProcess({ DATA_DIR })
    ids.push(await createPet(server.url), await createPet(server.url))
    expect(await server.stop(signal)).toBe(0)
  }
  expect(ids).toEqual(ids.map((_, index) => Number(ids[0]) + index))

  vi.stubEnv('DATA_DIR', DATA_DIR)
  const status = await runPetstore(['migrate', 'status', '--json']).finally(() => vi.unstubAllEnvs())
  const { steps }: { steps: { takenAt: string }[] } = JSON.parse(status.stdout)
  expect(steps.filter(({ takenAt }) => takenAt < begun)).toEqual([])
  expect(steps.length).toBeGreaterThan(0)
})
