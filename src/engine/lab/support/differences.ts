/** The differences of two documents: `pointer before → after`; whole objects if one side has none. */
export function differences(before: unknown, after: unknown, pointer = ''): string[] {
  const text = (value: unknown) => (value === undefined ? '(none)' : JSON.stringify(value))
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return before === after ? [] : [`${pointer} ${text(before)} → ${text(after)}`]
  if (Array.isArray(before) && before.length !== Object.keys(after).length)
    return [`${pointer} ${text(before)} → ${text(after)}`]
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...left.keys(), ...right.keys()])].flatMap(key =>
    differences(left.get(key), right.get(key), `${pointer}/${key.replaceAll('/', '~1')}`),
  )
}
