import { counterOf, type MemoryStore } from '../../src/engine/limits/memory-store.ts'
import { rateLimits } from '../../src/generated/operations.ts'

type Window = (typeof rateLimits.windows)[number]

function windowCalled(name: string): Window {
  const window = rateLimits.windows.find(one => one.name === name)
  if (!window) throw new Error(`The document has no window ${name}`)
  return window
}
export const [minute, day] = [windowCalled('minute'), windowCalled('day')]

function ask(memory: MemoryStore, act: 'incr' | 'read', caller: string, window: Window, time: number) {
  let told = { current: 0, ttl: 0 }
  const take = (_: Error | null, result = told) => {
    told = result
  }
  memory[act](counterOf(caller, window.name), take, window.seconds * 1_000 - (time % 1_000))
  return told
}

/** Counts a call of one caller in one window alone, at a time in ms since 1970, and tells what it has come to. */
export const countOne = (memory: MemoryStore, caller: string, window: Window, time = Date.now()): number =>
  ask(memory, 'incr', caller, window, time).current

/** What a counter has come to, and how long its window goes on in ms, without counting. */
export const lookAt = (memory: MemoryStore, caller: string, window: Window, time = Date.now()) =>
  ask(memory, 'read', caller, window, time)
