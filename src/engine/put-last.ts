/**
 * Puts a value where the newest of a Map are. Where there is no room, the oldest tenth goes at once: to come to its first
 * entry, a Map walks over all that were deleted before it.
 * @param most entries held at most
 */
export function putLast<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.delete(name)
  map.set(name, value)
  if (map.size <= most) return
  const kept = most * 0.9
  for (const oldest of map.keys()) {
    if (map.size <= kept) return
    map.delete(oldest)
  }
}
