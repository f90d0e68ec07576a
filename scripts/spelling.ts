/** What a name was probably to be: the one of those known that is most like it, with a third of its letters others at most. */
export function likest(name: string, known: Iterable<string>): string | undefined {
  const scored = [...known].map(other => ({ other, away: distance(name.toLowerCase(), other.toLowerCase()) }))
  const [best] = scored.sort((a, b) => a.away - b.away)
  return best && best.away * 3 <= name.length ? best.other : undefined
}

/** How many characters have to be put in, taken out or replaced to make one text of another (Levenshtein). */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [other, wanted] of [...to].entries())
      next.push(
        Math.min(
          (next[other] ?? 0) + 1,
          (row[other + 1] ?? 0) + 1,
          (row[other] ?? 0) + (letter === wanted ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
