// Is loaded into a server's process before the server itself, and counts when the parent process says so.
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Profiler, Session } from 'node:inspector'
import { GCProfiler, getHeapStatistics } from 'node:v8'
import type { Counts } from './counts.ts'

/** Each begins to count, and returns a function that ends this and tells what a request takes. */
const counters: { [Kind in keyof Counts]: () => () => Counts[Kind] } = {
  promises: countPromises,
  bytes: countBytes,
  calls: countCalls,
}

let finish: () => unknown = () => undefined
process.on('message', (message: keyof Counts | 'end') => {
  if (message === 'end') process.send?.({ counted: finish() })
  else {
    finish = counters[message]()
    process.send?.({})
  }
})

/** Calls a function at the start of each request. @returns a function that ends this */
function atEachRequest(act: () => void): () => void {
  subscribe('http.server.request.start', act)
  return () => void unsubscribe('http.server.request.start', act)
}

/** Counts the promises that are made, and those from the start of each request to the start of the next. */
function countPromises(): () => Counts['promises'] {
  let made = 0
  const totals: number[] = []
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') made++
    },
  }).enable()
  const stop = atEachRequest(() => void totals.push(made))
  return () => {
    hook.disable()
    stop()
    const each = totals.slice(1).map((total, index) => total - (totals[index] ?? 0))
    return { each, mean: made / totals.length }
  }
}

/**
 * Counts the bytes that are allocated: the heap grows by all of them as long as nothing is collected.
 * @throws Error when something was collected
 */
function countBytes(): () => number {
  globalThis.gc?.()
  const collections = new GCProfiler()
  collections.start()
  let requests = 0
  const stop = atEachRequest(() => void requests++)
  const before = getHeapStatistics().used_heap_size
  return () => {
    const grown = getHeapStatistics().used_heap_size - before
    stop()
    const { length } = collections.stop().statistics
    if (length > 0) throw new Error(`The garbage collector ran ${length} times while bytes were counted`)
    return grown / requests
  }
}

/** Counts the calls of functions outside of packages. Functions that not even every second request calls are left out. */
function countCalls(): () => Counts['calls'] {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let requests = 0
  const stop = atEachRequest(() => void requests++)
  return () => {
    stop()
    let scripts: Profiler.ScriptCoverage[] = []
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => (scripts = result))
    session.disconnect()
    return scripts.flatMap(({ url, functions }) => {
      if (!url.startsWith('file:') || url.includes('/node_modules/') || url === import.meta.url) return []
      const counts = functions.map(({ ranges }) => (ranges[0]?.count ?? 0) / requests)
      const usual = counts.filter(count => count >= 0.5)
      const calls = usual.reduce((total, count) => total + count, 0)
      return usual.length > 0 ? { file: url, functions: usual.length, calls } : []
    })
  }
}
