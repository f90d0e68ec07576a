import { expect, test } from 'vitest'
import { keptTick } from '../../src/kept-tick.ts'

test('of what Node makes for each call of nextTick, one is kept, so that V8 goes on making them fast', () => {
  expect(keptTick).toEqual([expect.objectContaining({ callback: expect.any(Function) })])
})
