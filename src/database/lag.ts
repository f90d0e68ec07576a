/** How late a replica may be, in ms, while the primary tells how far it is itself. */
export const mostLag = 2_000
/**
 * The same while the primary does not tell, in ms: what was written lately is remembered for as long as this, so a
 * replica that is not older has all that nobody remembers.
 */
export const keptFor = 30_000
/**
 * After how long without an answer the primary does not tell any more, in ms. Its last words may not have reached the
 * replicas, which are late from then on: a shorter time than they may be.
 */
export const silentAfter = mostLag / 2

/** How far the primary was, and when. */
export interface Watermarks {
  /** @param at when the question for it was sent (`performance.now`) */
  add(at: number, position: number): void
  /** The last moment at which the primary had written no more than this. */
  reachedAt(position: number): number
  /** when the primary was last asked in such a way that it answered */
  lastAt(): number
}

export function watermarks(): Watermarks {
  const kept: { at: number; position: number }[] = []
  return {
    add(at, position) {
      kept.push({ at, position })
      while ((kept[0]?.at ?? at) < at - keptFor) kept.shift()
    },
    reachedAt: position => kept.findLast(mark => mark.position <= position)?.at ?? Number.NEGATIVE_INFINITY,
    lastAt: () => kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
  }
}

/** How far a replica is behind its primary. */
export interface Standing {
  /** To be told how far it is. */
  reached(position: number): void
  /** To be told that it does not answer. */
  leave(): void
  /**
   * To be told that there is a new primary, and how far that is. What the replica has of the log may be the former one's
   * alone: it is out until it goes on, past what it is next told to have and past this.
   */
  doubt(position: number): void
  /** What it has of the log: up to a position, and all that the primary had committed before a moment. */
  reachedSoFar(): { replayed: number; freshAt: number }
  /** Whether it has the log up to a position, and all that was committed before a moment, and is not late. */
  has(position: number, since: number): boolean
  /** Whether it is not late. */
  isFresh(): boolean
}

export function standingOf(marks: Watermarks, now: () => number = () => performance.now()): Standing {
  let isThere = false
  let replayed = -1
  /** what it must have more of the log than; undefined: the next that it has */
  let floor: number | undefined = -1
  let newPrimaryAt = -1
  /** what the primary had committed before this moment, the replica has */
  let freshAt = Number.NEGATIVE_INFINITY

  function isFresh(): boolean {
    const time = now()
    const most = time - marks.lastAt() <= silentAfter ? mostLag : keptFor
    return isThere && time - freshAt <= most
  }
  return {
    reached(position) {
      floor ??= Math.max(position, newPrimaryAt - 1)
      isThere = position > floor
      if (isThere) floor = -1
      replayed = position
      freshAt = marks.reachedAt(position)
    },
    leave() {
      isThere = false
    },
    doubt(position) {
      isThere = false
      floor = undefined
      newPrimaryAt = position
    },
    reachedSoFar: () => ({ replayed, freshAt }),
    has: (position, since) => replayed >= position && freshAt >= since && isFresh(),
    isFresh,
  }
}
