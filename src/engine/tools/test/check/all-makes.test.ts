import { expect, test } from 'vitest'
import { all, check, compiled, faultsOf, statements } from './makes.ts'

test.each(all)(
  'right %s have no fault, whatever requests are drawn',
  async (_, make) => expect(await check(make, 2)).toEqual({ told: [], silent: [], notes: [] }),
  compiled,
)

test.each(faultsOf())(
  '%s with the fault "%s" are told of it',
  async (_, fault, make, told) =>
    expect((await check(make, 1, [fault, told])).told).toContainEqual(expect.stringMatching(told)),
  compiled,
)

// Needs the tests above. `vitest -u` writes the list, which the test of the probes reads.
test('each statement of the check that has named a fault of theirs still does', async () => {
  await expect(await statements.seen()).toMatchFileSnapshot('statements-makes.txt')
})
