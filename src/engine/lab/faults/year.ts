import { rm } from 'node:fs/promises'
import { dataDirectory } from '../support/data-directory.ts'
import { liveDays } from '../support/shop-days.ts'
import type { Scenario } from './scenario.ts'

export const year: Scenario = {
  name: 'a year',
  description: 'a small shop stores 20,000 replies a day, which are removed, and changes a row 500 times',
  databases: ['pglite'],
  async run({ short }) {
    const directory = await dataDirectory()
    const freezeAge = 20_000
    const shop = { days: short ? 15 : 365, replies: 20_000, changes: 500, freezeAge }
    const days = await liveDays(directory, shop)
    await rm(directory, { recursive: true })
    const fifth = days[4]
    const last = days.at(-1)
    const most = Math.max(...days.map(({ megabytes }) => megabytes))
    const age = Math.max(...days.map(item => item.age))
    const faults: string[] = []
    if (!fifth || most > 1.3 * fifth.megabytes) faults.push(`it grew from ${fifth?.megabytes} to ${most} MB`)
    if (last?.replies !== 0) faults.push(`${last?.replies} expired replies are left`)
    if (age > 2 * freezeAge) faults.push(`transactions of ${age} ago are not frozen`)
    return {
      figures: {
        days: days.length,
        'MB on the fifth day': fifth?.megabytes ?? 0,
        'MB at most': most,
        'oldest transaction': age,
      },
      faults,
    }
  },
}
