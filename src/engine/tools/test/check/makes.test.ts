import { expect, test } from 'vitest'
import { all, check, compiled, faultsOf } from './makes.ts'

/** All faults of each service take long, and are looked at in `all-makes.test.ts`. */
const few = 5

test.each(all)(
  'right %s have no fault, and each operation is reached',
  async (_, make) => expect(await check(make)).toEqual({ told: [], silent: [], notes: [] }),
  compiled,
)

test.each(faultsOf(few))(
  '%s with the fault "%s" are told of it',
  async (_, fault, make, told) =>
    expect((await check(make, 1, [fault, told])).told).toContainEqual(expect.stringMatching(told)),
  compiled,
)
