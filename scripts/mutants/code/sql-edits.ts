/** A change of a piece of SQL, by its place in the text. */
export interface SqlEdit {
  start: number
  end: number
  text: string
}

/** What a word or sign of SQL becomes; `$1` is a part of what the pattern has found. */
const changes: readonly [RegExp, string | ((found: RegExpExecArray) => string)][] = [
  [/(?<= )<=(?= )/g, '<'],
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )>=(?= )/g, '>'],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )<>(?= )/g, '='],
  [/(?<=\b(?:where|and|or|on|when|not) [^,\n]*?[\w$)\]] )=(?= )/g, '<>'],
  [/\band\b/g, 'or'],
  [/\bor\b/g, 'and'],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
  [/\basc\b/g, 'desc'],
  [/\bdesc\b/g, 'asc'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bleast\b/g, 'greatest'],
  [/\bgreatest\b/g, 'least'],
  [/\bdistinct on\b|\bdistinct\b/g, ''],
  [/\bunion all\b/g, 'union'],
  [/\bfor (no key )?update\b/g, ''],
  [/(?<=[\s(+-])\d+(?=[\s),;]|$)/g, ([number]) => String(Number(number) + 1)],
  [/(?<=[\s(,])'[\w-]+'/g, ([text]) => `${text.slice(0, -1)}x'`],
  // a condition on a line of its own, and one of several assignments
  [/^\s*(?:and|or) [^\n`]*/gm, ''],
  [/,\s*\w+ = (?:case [\s\S]*?\bend\b|[^,\n(`]+(?:\([^)\n]*\))?[^,\n`]*)(?=,|\n|`)/g, ''],
]

/** Small changes of what a statement does, each in one place. @param text with `$` for each parameter's letters */
export function* sqlEdits(text: string): Generator<SqlEdit> {
  for (const [pattern, change] of changes)
    for (const found of text.matchAll(pattern)) {
      const [{ length }] = found
      yield {
        start: found.index,
        end: found.index + length,
        text: typeof change === 'string' ? change : change(found),
      }
    }
}
