import { follow, partsOf } from '../model.ts'
import type { OpenApi, Schema } from '../types.ts'
import { schemasIn } from './walk.ts'

/**
 * Opens the parts of an `allOf` that take only their own properties, where another part requires one more. By the letter,
 * no value is valid there. Authors mean the properties of all parts, so a closed part gets the names of the others.
 * @param onOpened called for each schema, and for each part that is rewritten: with the part and its replacement
 */
export function openParts(
  document: OpenApi,
  onOpened: (schema: Schema, opened: readonly [part: Schema, instead: Schema][]) => void,
): void {
  for (const { schema } of [...schemasIn(document)]) {
    if (!schema.allOf) continue
    const parts = partsOf({ document }, schema)
    const required = parts.flatMap(part => part.required ?? [])
    const closed = parts.filter(isClosed)
    const isTaken = (name: string) => closed.every(({ properties = {} }) => Object.hasOwn(properties, name))
    if (required.every(isTaken)) continue
    const names = [...required, ...parts.flatMap(part => Object.keys(part.properties ?? {}))]
    const all = Object.fromEntries(names.map(name => [name, {}]))
    const opened: [Schema, Schema][] = []
    schema.allOf = schema.allOf.map(declared => {
      const part = follow<Schema>(document, declared)
      if (!part || !isClosed(part)) return declared
      const instead = { ...part, properties: { ...all, ...part.properties } }
      opened.push([part, instead])
      return instead
    })
    if (isClosed(schema)) schema.properties = { ...all, ...schema.properties }
    onOpened(schema, opened)
  }
}

/** A schema that takes names by patterns is not closed: nobody can say which names it was to take. */
const isClosed = ({ additionalProperties, patternProperties }: Schema) =>
  additionalProperties === false && patternProperties === undefined
