import { dirname, relative, resolve } from 'node:path'
import { decoded } from 'spec-served-document/reading/names'
import { isPair, isScalar, parseDocument, type Scalar, visit } from 'yaml'

/**
 * Returns the text of a document's file, in which references to its files lead to their new places. All else stays as
 * it was written.
 * @param file the origin of the text
 * @param places of the document's files
 */
export function withReferences(text: string, file: string, places: ReadonlyMap<string, string>): string {
  const put = new Map([...places].map(([origin, place]) => [resolve(origin), place]))
  const from = dirname(resolve(file))
  const to = dirname(put.get(resolve(file)) ?? file)
  let result = text
  for (const { value, range } of referencesIn(text).reverse()) {
    const [name = '', ...fragment] = String(value).split('#')
    const target = put.get(resolve(from, decoded(name)))
    const [start = 0, end = 0] = range ?? []
    const renamed = target && relative(to, target)
    if (name === '' || !renamed || resolve(to, decoded(name)) === resolve(target)) continue
    result = `${result.slice(0, start)}${JSON.stringify([renamed, ...fragment].join('#'))}${result.slice(end)}`
  }
  return result
}

/** Returns, in the order of the text, what may lead to another file: references, and mappings of discriminators. */
function referencesIn(text: string): Scalar[] {
  const found: Scalar[] = []
  visit(parseDocument(text), {
    Pair(_, { key, value }, ancestors) {
      const around = ancestors.findLast(node => isPair(node) && node.value === ancestors.at(-1))
      const isMapped = isPair(around) && isScalar(around.key) && around.key.value === 'mapping'
      if (isScalar(value) && isScalar(key) && (key.value === '$ref' || isMapped)) found.push(value)
    },
  })
  return found
}
