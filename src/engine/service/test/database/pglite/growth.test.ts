import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { renewedDirectory } from 'spec-served-lab/support/fixtures'
import { liveDays } from 'spec-served-lab/support/shop-days'
import { expect, test } from 'vitest'

const dataDir = renewedDirectory()

test('the room of removed and changed rows is used again, and old transactions are frozen', async () => {
  await dataDirectory(dataDir)
  const days = await liveDays(dataDir, { days: 8, replies: 20_000, changes: 100, freezeAge: 300 })
  const [, , , fourth, ...later] = days // until then its log grows
  expect(days.map(({ replies }) => replies)).toEqual(days.map(() => 0))
  for (const { megabytes } of later) expect(megabytes).toBeLessThanOrEqual(1.1 * (fourth?.megabytes ?? 0))
  for (const { age } of days) expect(age).toBeLessThan(600)
})
