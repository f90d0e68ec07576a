/**
 * Returns the known name that is most similar to a misspelt one. It has the same letters, without regard to case and
 * separators. Otherwise it differs in two places at most, and in a third of its letters at most.
 */
export function likest(name: string, names: Iterable<string>): string | undefined {
  const lowerCase = name.toLowerCase()
  const ownLetters = lettersOf(lowerCase)
  const allowed = Math.min(2, Math.floor(name.length / 3))
  let found: { other: string; away: number } | undefined
  for (const other of names) {
    const lower = other.toLowerCase()
    const isFar = Math.abs(lower.length - lowerCase.length) > allowed
    const far = isFar ? Number.POSITIVE_INFINITY : distance(lowerCase, lower)
    const away = ownLetters !== '' && lettersOf(lower) === ownLetters ? 0 : far
    if (away <= allowed && away < (found?.away ?? allowed + 1)) found = { other, away }
  }
  return found?.other
}

/** Removes the separators of a name, as in `snake_case` and `kebab-case`. */
const lettersOf = (name: string) => name.replace(/[-_]/g, '')

/** Returns the edit distance of two texts; a swap of neighbours is one edit (optimal string alignment). */
export function distance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const replaced = (row[j - 1] ?? 0) + (isSame ? 0 : 1)
      const least = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced)
      next.push(isSwapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least)
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
