/** The middle of some numbers, or the mean of the two in the middle; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/**
 * How much one thing is of another, measured in turns: the median of each round's ratio, so that what slows a whole
 * round down does not count.
 */
export function medianRatio(numbers: readonly number[], base: readonly number[]): number {
  return median(numbers.flatMap((number, round) => (base[round] === undefined ? [] : [number / base[round]])))
}

/** The least and the greatest ratio of a round. */
export function spread(numbers: readonly number[], base: readonly number[]): [number, number] {
  const ratios = numbers.flatMap((number, round) => (base[round] === undefined ? [] : [number / base[round]]))
  return [Math.min(...ratios), Math.max(...ratios)]
}
