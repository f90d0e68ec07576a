/**
 * Puts mutants in an order of which each beginning is spread evenly over their kinds: each kind once before any kind twice.
 * The same seed gives the same order.
 */
export function spread<T extends { kind: string }>(all: readonly T[], seed: number): T[] {
  const random = randomNumbers(seed)
  const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()].map(same => shuffled(same, random))
  return inTurn(kinds, random)
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[], random: () => number): T[] {
  const turns = shuffled(lists, random)
  const longest = Math.max(0, ...turns.map(turn => turn.length))
  return Array.from({ length: longest }, (_, round) =>
    turns.flatMap(turn => turn.slice(round, round + 1)),
  ).flat()
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map(value => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
