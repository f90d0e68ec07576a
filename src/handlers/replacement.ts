import { isObject } from '../document/pointer.ts'
import type { OperationFacts } from '../engine/facts.ts'
import type { AnyHandler } from '../engine/routes/binding.ts'

/**
 * Gives the handlers of replacements whole bodies: what one leaves out is null or its default, as the document has it
 * (`whenLeftOut`). So one and the same code serves PUT and PATCH, and null removes in both. Other handlers stay as they are.
 */
export function withWholeBodies<Context>(
  handlers: Readonly<Record<string, AnyHandler<Context>>>,
  facts: ReadonlyMap<string, OperationFacts>,
): Record<string, AnyHandler<Context>> {
  const entries = Object.entries(handlers).map(([id, handler]): [string, AnyHandler<Context>] => {
    const { whenLeftOut = {} } = facts.get(id) ?? {}
    if (Object.keys(whenLeftOut).length === 0) return [id, handler]
    const whole: AnyHandler<Context> = (input, context) => {
      const body = isObject(input.body) ? { ...whenLeftOut, ...input.body } : input.body
      return handler({ ...input, body }, context)
    }
    return [id, Object.assign(whole, handler)] // with what the handler says of itself
  })
  return Object.fromEntries(entries)
}
