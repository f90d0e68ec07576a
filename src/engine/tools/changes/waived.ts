import { componentKinds, type Kind } from 'spec-served-document/reading/grammar'

type Reasons = Readonly<Record<string, string>>

const each = (reason: string, ...fields: string[]): Reasons =>
  Object.fromEntries(fields.map(field => [field, reason]))

const readers = 'it tells readers, and says nothing of values, addresses or names'
const places = 'it says where a schema is found; references are followed before schemas are compared'

/** The fields of a document whose changes are no findings, and why: all others are judged. */
export const waived = {
  document: {
    openapi: 'the language of the document is nothing that clients of the service meet',
    jsonSchemaDialect: 'schemas are read in one dialect',
    $self: 'it says where the document is found',
    ...each(readers, 'tags', 'externalDocs'),
    components: 'its parts are judged where they are used',
  },
  components: each('its parts are judged where they are used', ...Object.keys(componentKinds)),
  info: each(readers, 'title', 'summary', 'description', 'termsOfService', 'contact', 'license'),
  tag: each(readers, 'name', 'summary', 'description', 'externalDocs', 'parent', 'kind'),
  server: each(readers, 'description', 'name'),
  serverVariable: each(readers, 'description'),
  pathItem: each(readers, 'summary', 'description'),
  operation: each(readers, 'tags', 'summary', 'description', 'externalDocs'),
  parameter: each(readers, 'description', 'example', 'examples'),
  header: each(readers, 'description', 'example', 'examples'),
  requestBody: each(readers, 'description'),
  mediaType: each(readers, 'example', 'examples'),
  response: each(readers, 'summary', 'description'),
  link: each(readers, 'description'),
  example: each(readers, 'summary', 'description', 'value', 'externalValue', 'dataValue', 'serializedValue'),
  securityScheme: {
    ...each(readers, 'description', 'bearerFormat'),
    deprecated: 'it lets callers in as long as it is there',
    oauth2MetadataUrl: 'what stands there, the flows say',
  },
  schema: {
    ...each(readers, 'title', 'description', 'externalDocs', 'example', 'examples', '$comment'),
    ...each(places, '$id', '$schema', '$anchor', '$dynamicAnchor', '$defs'),
    contentSchema: 'what a text holds is not read as a schema',
  },
} satisfies Partial<Record<Kind, Reasons>>
