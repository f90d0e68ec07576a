import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The imports of a file within the project. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)]
    .map(([, to = '']) => join(dirname(file), to))
    .filter(to => to.endsWith('.ts') && existsSync(to))
}

const wordsOf = (file: string) =>
  basename(file, '.ts')
    .split('-')
    .map(word => word.replace(/s$/, ''))

/**
 * Returns the tests that may notice a fault in a file, those first that belong to it: they are called as the file, import
 * it over few others, or speak of it. A test that starts processes counts as one that imports everything, late.
 */
export function testsOf(file: string, tests: readonly string[]): string[] {
  const importers = new Map<string, string[]>()
  const seen = new Set<string>()
  const walk = (from: string): void => {
    if (seen.has(from)) return
    seen.add(from)
    for (const to of importsOf(from)) {
      importers.set(to, [...(importers.get(to) ?? []), from])
      walk(to)
    }
  }
  for (const test of tests) walk(test)
  const distances = new Map([[file, 0]])
  for (const [imported, distance] of distances)
    for (const importer of importers.get(imported) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  const words = [...wordsOf(file), ...wordsOf(dirname(file))]
  const rank = (test: string) => {
    const testWords = wordsOf(test.replace('.test', ''))
    const text = readFileSync(test, 'utf8')
    const named = words.filter(word => testWords.includes(word) || testWords.includes(`${word}s`)).length
    const spoken = words.filter(word => text.includes(word)).length
    return (distances.get(test) ?? 12) - 4 * named - spoken
  }
  return tests
    .map(test => [test, rank(test)] as const)
    .toSorted(([, a], [, b]) => a - b)
    .map(([test]) => test)
}
