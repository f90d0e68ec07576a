import { createHook } from 'node:async_hooks'
import { nextTick } from 'node:process'

/**
 * One of the objects that Node makes for each call of `nextTick`, of which a request needs several. V8 has a fast way to
 * make them, and forgets it for good when memory is cleaned up while there is none of them: from then on a call takes
 * five times as long. So one is kept, from the start.
 */
export const keptTick: object[] = []

const hook = createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'TickObject') keptTick.push(resource)
  },
  trackPromises: false,
}).enable()
nextTick(() => {})
hook.disable()
