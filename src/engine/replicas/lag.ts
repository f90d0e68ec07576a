/** How late a replica may be while the primary tells its position, in ms. */
export const mostLag = 2_000
/** How late it may be while the primary does not tell, and how long a caller's writes are remembered, in ms. */
export const keptFor = 30_000
/** The primary is gone after so long without an answer, in ms: before replicas without its last writes are late. */
export const silentAfter = mostLag / 2

/** The positions of the primary, and when it was asked for them (`performance.now`). */
export function watermarks() {
  const kept: { at: number; position: number }[] = []
  return {
    add(at: number, position: number): void {
      kept.push({ at, position })
      while ((kept[0]?.at ?? at) < at - keptFor) kept.shift()
    },
    /** The last moment at which the primary had written no more than this. */
    reachedAt: (position: number) =>
      kept.findLast(mark => mark.position <= position)?.at ?? Number.NEGATIVE_INFINITY,
    lastAt: () => kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
  }
}

/** How far a replica is behind its primary. */
export function standingOf(marks: ReturnType<typeof watermarks>) {
  let isThere = false
  let replayed = -1
  /** the position that it must be past; undefined: the next one that it tells */
  let floor: number | undefined = -1
  let newPrimaryAt = -1
  /** It has all that the primary had committed before this moment. */
  let freshAt = Number.NEGATIVE_INFINITY

  function isFresh(): boolean {
    const time = performance.now()
    const most = time - marks.lastAt() <= silentAfter ? mostLag : keptFor
    return isThere && time - freshAt <= most
  }
  return {
    /** To be told its position. */
    reached(position: number): void {
      floor ??= Math.max(position, newPrimaryAt - 1)
      isThere = position > floor
      if (isThere) floor = -1
      replayed = position
      freshAt = marks.reachedAt(position)
    },
    /** To be told that it does not answer. */
    leave(): void {
      isThere = false
    },
    /** To be told the position of a new primary: a replica may have more of the old log, and is out until it is past it. */
    doubt(position: number): void {
      isThere = false
      floor = undefined
      newPrimaryAt = position
    },
    /** Whether it has the log up to a position, and all that was committed before a moment, and is not late. */
    has: (position: number, since: number) => replayed >= position && freshAt >= since && isFresh(),
    isFresh,
  }
}
