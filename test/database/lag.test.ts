import { expect, test } from 'vitest'
import { standingOf, watermarks } from '../../src/replicas/lag.ts'

test('a replica that lacks the last of a primary that is gone is read from without a gap', () => {
  let time = 0
  const marks = watermarks()
  const replica = standingOf(marks, () => time)
  marks.add(0, 900)
  marks.add(500, 950)
  const inUse: boolean[] = []
  for (time = 500; time < 30_000; time += 100) {
    replica.reached(900)
    inUse.push(replica.isFresh())
  }
  expect(inUse).not.toContain(false)
  time = 30_100
  expect(replica.isFresh()).toBe(false)
})

test('after a failover a replica is out until it follows the new primary, whatever it has of the former one', () => {
  let time = 0
  const marks = watermarks()
  const [ahead, behind] = [standingOf(marks, () => time), standingOf(marks, () => time)]
  const bothHave = (position: number) => [ahead, behind].map(each => each.has(position, 0))
  marks.add(time, 900)
  ahead.reached(1_000) // more than what the primary that takes over has received
  behind.reached(900)
  expect(bothHave(900)).toEqual([true, true])

  time = 500
  for (const each of [ahead, behind]) each.doubt(950)
  marks.add(time, 950)
  ahead.reached(1_000)
  behind.reached(900)
  expect(bothHave(900)).toEqual([false, false])

  time = 600
  marks.add(time, 960)
  ahead.reached(1_000)
  behind.reached(960)
  expect(bothHave(955)).toEqual([false, true])

  // It was set back to where the two part, and follows.
  time = 700
  ahead.leave()
  marks.add(time, 1_100)
  ahead.reached(1_100)
  expect(bothHave(960)).toEqual([true, true])
})
