/**
 * The remedies for faults that Redocly's rules find, by the name of the rule (its recommended set for OpenAPI 3.0). A
 * remedy is the line to write, the part to leave out, or a decision for the author.
 */
export const redoclyRemedies: Readonly<Record<string, string>> = {
  struct: 'Decide: what of OpenAPI 3.0.3 is meant.',
  'no-unresolved-refs': 'Decide: which part is meant, or describe it there.',
  'info-license': 'Write: license: { name: MIT }',
  'info-license-strict': 'Write: url: https://spdx.org/licenses/MIT.html',
  'no-ambiguous-paths': 'Decide: which of the two stays; no request can tell them apart.',
  'no-duplicated-enum-values': 'Leave out the second.',
  'no-duplicated-tag-names': 'Leave out the second.',
  'no-empty-servers': 'Write: servers: [{ url: http://localhost:3000 }]',
  'no-enum-type-mismatch': 'Decide: the type that the values have, or values of the type.',
  'no-example-value-and-externalValue': 'Leave out externalValue.',
  'no-identical-paths': 'Decide: which of the two stays; no request can tell them apart.',
  'no-illogical-composition-keywords': 'Decide: the alternatives, two at least and different ones.',
  'no-invalid-media-type-examples': 'Decide: which is meant, the example or the schema.',
  'no-invalid-parameter-examples': 'Decide: which is meant, the example or the schema.',
  'no-invalid-schema-examples': 'Decide: which is meant, the example or the schema.',
  'no-path-trailing-slash': 'Write the path without the slash at its end.',
  'no-required-schema-properties-undefined':
    'Decide: describe it under properties, or leave it out of required.',
  'no-schema-type-mismatch': 'Decide: which is meant, the type or the keywords of another type.',
  'no-server-example.com': 'Decide: where the service is, as url: http://localhost:3000.',
  'no-server-trailing-slash': 'Write the URL without the slash at its end.',
  'no-server-variables-empty-enum': 'Leave out enum, or write its values.',
  'no-undefined-server-variable': 'Write: variables: { name: { default: value } }',
  'no-unsafe-markdown': 'Leave out the HTML.',
  'no-unused-components': 'Leave out what nothing refers to.',
  'nullable-type-sibling': 'Write the type beside nullable, as type: string',
  'operation-2xx-response': 'Decide: what a success answers, as "204": { description: Done. }',
  'operation-4xx-response': 'Write: "400": { $ref: "#/components/responses/InvalidRequest" }',
  'operation-operationId': 'Decide: its name in code, as operationId: listBirthdays.',
  'operation-operationId-unique': 'Decide: a name of its own for one of them.',
  'operation-operationId-url-safe': 'Write it in letters and digits alone, as operationId: listBirthdays',
  'operation-parameters-unique': 'Leave out the second.',
  'operation-summary': 'Decide: what it does, in a few words, as summary: List animals.',
  'path-declaration-must-exist': 'Write a name between the braces, as {petId}',
  'path-not-include-query':
    'Write what follows the question mark under parameters, as { name: limit, in: query }',
  'path-parameters-defined': 'Decide: which name is right, that in the path or that of the parameter.',
  'security-defined': 'Write: security: [{ ApiKey: [] }]',
  'security-scopes-defined': 'Leave out the scope.',
  'spec-components-invalid-map-name':
    'Write the name in letters, digits, dots, dashes and underscores alone.',
  'spec-ref-siblings': 'Leave out what stands beside $ref: nobody reads it.',
  'tag-description': 'Decide: what its operations are about, as description: What is in the shop.',
}

/** The remedies for faults of structure, by what Redocly says of them. `$1` is the first word in its quotes. */
const ofStructure: readonly (readonly [message: RegExp, remedy: string])[] = [
  [/^Expected type `string` but got `(?:number|integer|boolean)`/, 'Write it in quotes: $written'],
  [/^Expected type `(\w+)`/, 'Write one of this type.'],
  [/^The field `([^`]+)` must be present/, 'Write $1.'],
  [/^(?:The field|Property) `([^`]+)` is not/, 'Leave out: $1.'],
  [/^Must contain at least one/, 'Write one of them.'],
  [/can be one of the following only/, 'Write one of them.'],
]

/**
 * Returns the remedy for a fault that Redocly finds.
 * @param written the text of the line from the fault on
 */
export function redoclyRemedy(rule: string, message: string, written: string): string {
  const [pattern, remedy] =
    (rule === 'struct' && ofStructure.find(([candidate]) => candidate.test(message))) || []
  if (!pattern || remedy === undefined) return redoclyRemedies[rule] ?? 'Decide: what is meant.'
  const [, name = ''] = pattern.exec(message) ?? []
  const [scalar = ''] = /^[^\s#,\]}]+/.exec(written) ?? []
  return remedy.replace('$1', () => name).replace('$written', () => JSON.stringify(scalar))
}
