/**
 * Mutants of the code that no client of this document can tell from the original, by their ids, each with the reason.
 * Found by reading; a test holds that each still is a mutant.
 */
export const equivalents: Readonly<Record<string, string>> = {
  'src/engine/requests/media-types.ts rankOf: logic: && → ||':
    'Ranks decide between media types that differ in parameters only; the document has none with parameters.',
  'src/engine/requests/json-schema.ts toJsonSchema: dropped call: listsOfSchemas.has(keyword) → listsOfSchemas':
    'The lists that are no lists of schemas hold texts and numbers here, which stay as they are.',
  'src/engine/replies/coding.ts encode: comparison: === → !== (3)':
    'Whether content in a coding is kept or made anew is a matter of time alone.',
  'src/engine/access/security.ts keyReader: dropped call: (pairs ?? []).filter(([key]) => key === name) → (pairs ?? [])':
    'The document has no keys in queries and cookies.',
  'src/engine/write-behind.ts createWriteBehind.round: boundary: > → >= (2)':
    'Behind the last batch, too, requests come first: that is a matter of time alone.',
  'src/engine/requests/strict-json.ts faultsOf.note: boundary: >= → >':
    'Whatever is found, as many are told: the list is cut to that again where the reply is made.',
}
