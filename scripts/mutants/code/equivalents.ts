/**
 * Mutants of the code that no client of this document can tell from the original, by their ids, each with the reason.
 * Found by reading; a test holds that each still is a mutant.
 */
export const equivalents: Readonly<Record<string, string>> = {
  'src/engine/requests/media-types.ts rankOf: logic: && → ||':
    'Ranks decide between media types that differ in parameters only; the document has none with parameters.',
}
