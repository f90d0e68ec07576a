/** What objects inherit from whose every name is a name. Made without a prototype, each would be slow to make and to read. */
const nothing: object = Object.freeze(Object.create(null))

/** An object for values by names that somebody else chooses, `__proto__` and `constructor` among them. */
export const noNames = <Value = unknown>() => Object.create(nothing) as Record<string, Value>
