import type { Path } from 'spec-served-document/pointer'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { schemasIn } from 'spec-served-document/reading/walk'
import { exactKeywords, exactNumbers, isLong } from 'spec-served-document/values/exact-keywords'
import { wholeIn } from 'spec-served-document/values/whole-numbers'

/** Adds to each schema of a document its numbers beyond ±(2^53 − 1) as they are written, which JSON.parse rounds. */
export function keepExactNumbers(read: ReadDocument): void {
  for (const { schema, path } of schemasIn(read.document)) {
    const texts = exactKeywords.flatMap(keyword =>
      isLong(schema[keyword]) ? [[keyword, textOf(read, [...path, keyword], schema[keyword])] as const] : [],
    )
    if (texts.length > 0) schema[exactNumbers] = Object.fromEntries(texts)
  }
}

/** Returns a value as JSON, with its numbers as they are written. */
function textOf(read: ReadDocument, path: Path, value: unknown): string {
  const below = (name: string | number, child: unknown) => textOf(read, [...path, String(name)], child)
  if (Array.isArray(value)) return `[${value.map((item, i) => below(i, item)).join()}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value).map(([name, child]) => `${JSON.stringify(name)}:${below(name, child)}`)}}`
  if (!isLong(value)) return JSON.stringify(value)
  const whole = wholeOf(read.literalAt(path) ?? '')
  return String(whole !== undefined && Number(whole) === value ? whole : value)
}

/** Returns the whole number that a number of YAML is (YAML 1.2.2, section 10.3.2). */
function wholeOf(literal: string): bigint | undefined {
  return /^0[ox][\da-f]+$/i.test(literal) ? BigInt(literal) : wholeIn(literal.replace(/^\+/, ''))
}
