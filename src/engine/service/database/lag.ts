/** The most lag of a replica while the primary reports its position, in ms. */
export const mostLag = 2_000
/** The most lag while the primary reports no position, in ms. A caller's writes are remembered for the same time. */
export const keptFor = 30_000
/** Without an answer for this time, in ms, the primary is gone: before replicas without its last writes are late. */
export const silentAfter = mostLag / 2

/** The positions of the primary, and when it was asked for them (`performance.now`). */
export function watermarks() {
  const kept: { at: number; position: number }[] = []
  return {
    add(at: number, position: number): void {
      kept.push({ at, position })
      while ((kept[0]?.at ?? at) < at - keptFor) kept.shift()
    },
    /** Returns the last moment at which the primary had written no more than this. */
    reachedAt: (position: number) =>
      kept.findLast(mark => mark.position <= position)?.at ?? Number.NEGATIVE_INFINITY,
    lastAt: () => kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
  }
}

/** The lag of a replica behind its primary. */
export function standingOf(marks: ReturnType<typeof watermarks>) {
  let isThere = false
  let replayed = -1
  /** the position that it must have passed; undefined: the next one that it reports */
  let floor: number | undefined = -1
  let newPrimaryAt = -1
  /** It has all that the primary committed before this moment. */
  let freshAt = Number.NEGATIVE_INFINITY

  function isFresh(): boolean {
    const time = performance.now()
    const most = time - marks.lastAt() <= silentAfter ? mostLag : keptFor
    return isThere && time - freshAt <= most
  }
  return {
    /** To be called with its position. */
    reached(position: number): void {
      floor ??= Math.max(position, newPrimaryAt - 1)
      isThere = position > floor
      if (isThere) floor = -1
      replayed = position
      freshAt = marks.reachedAt(position)
    },
    /** To be called when it does not answer. */
    leave(): void {
      isThere = false
    },
    /** To be called with a new primary's position. A replica may have more of the old log, and is out until past it. */
    doubt(position: number): void {
      isThere = false
      floor = undefined
      newPrimaryAt = position
    },
    /** Whether it has the log up to a position, and all commits before a moment, and is not late. */
    has: (position: number, since: number) => replayed >= position && freshAt >= since && isFresh(),
    isFresh,
  }
}
