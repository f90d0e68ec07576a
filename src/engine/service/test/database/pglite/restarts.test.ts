import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { startOptions, startProcess } from 'spec-served-lab/support/petstore'
import { expect, test, vi } from 'vitest'

const DATA_DIR = sharedDirectory()

async function createPet(url: string): Promise<number> {
  const key = (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const response = await fetch(`${url}/pets`, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: number } // as the document has it
  return id
}

test('a new database has migrations of its own time, and identifiers go on by one after a stop', async () => {
  const begun = new Date().toISOString()
  await using first = await startProcess({ DATA_DIR })
  const id = await createPet(first.url)
  expect(await first.stop()).toBe(0)
  await using second = await startProcess({ DATA_DIR })
  expect(await createPet(second.url)).toBe(id + 1)

  vi.stubEnv('DATA_DIR', DATA_DIR)
  const status = await runCommand(['migrate', 'status', '--json']).finally(() => vi.unstubAllEnvs())
  const { steps }: { steps: { takenAt: string }[] } = JSON.parse(status.stdout)
  expect(steps.filter(({ takenAt }) => takenAt < begun)).toEqual([])
  expect(steps.length).toBeGreaterThan(0)
})

test.runIf(existsSync('/proc/self/status'))(
  'a container of 512 MB holds a server, on a new database and on a known one, whatever statements it has run',
  async () => {
    const directory = join(DATA_DIR, 'small')
    for (const round of ['new', 'known']) {
      await using server = await startProcess({ DATA_DIR: directory }, '.', startOptions())
      // PGlite parses each statement: so many make V8 optimize its parser, unless it is kept from that.
      for (let id = 1; id <= 300; id++) await fetch(`${server.url}/pets/${id}`)
      const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8')
      const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
      expect([round, peak]).toEqual([round, expect.toSatisfy((held: number) => held <= 420)])
    }
  },
)
