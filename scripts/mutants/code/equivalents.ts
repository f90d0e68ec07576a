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
  'src/engine/requests/strict-json.ts faultsOf.note: boundary: >= → >':
    'Whatever is found, as many are told: the list is cut to that again where the reply is made.',
  "src/engine/contract.ts contractOf: constant: '' → 'x'":
    'What each release brought stands on the page of the docs alone, which test/docs proves.',
  'migrations/0005-names-and-pages.ts replaceIndexes: dropped await: await sql`create index ${sql.id(name)} on ${sql.table(table) … w(columns)})`.execute(db) → sql`create index ${sql.id(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(db)':
    'On one connection statements are run in the order in which they are sent, and the next one is awaited.',
  'src/engine/replies/api-error.ts statuses: constant: 415 → 416':
    'Each operation that can meet this refusal declares it, and has the status from there.',
  "src/engine/requests/json-schema.ts createAjv: dropped property: type: 'number', → (nothing)":
    'The document has no multiples.',
  'src/store/failures.ts isFaultOfData: pattern: /^2[23]/ → /2[23]/':
    'No state that the database can have here has these digits elsewhere.',
  "src/engine/requests/media-types.ts rankOf: fallback: name.split(/[,;]/, 1)[0] ?? '' → ''":
    'The names of the media types of the document are media types.',
  'migrations/0003-idempotency.ts up: dropped await: await sql` create table idempotent_replies ( scope text not  … cope, key) )`.execute(db) → sql` create table idempotent_replies ( scope text not null,  … cope, key) )`.execute(db)':
    'On one connection statements are run in the order in which they are sent, and the next one is awaited.',
  'src/engine/requests/invalid-request.ts invalidRequest: logic: || → &&': 'Words of a message.',
  "migrations/index.ts migrations: swapped properties: '0002-api-keys': apiKeys, '0003-idempotency': idempotency → '0002-api-keys': idempotency, '0003-idempotency': apiKeys":
    'Neither step needs the other: the database ends up the same.',
  'src/store/deprecated-calls.ts countDeprecatedCalls.of: dropped await: await flush() → flush()':
    'On one connection what is sent first is done first; the tests have several.',
}
