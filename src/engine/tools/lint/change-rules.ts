import { type Model, type OperationModel, partsOf, responseFor } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { bodySchemaOf, propertiesOf, spokenOf } from 'spec-served-document/reading/facts'
import { followAt, partsAt } from 'spec-served-document/reading/nodes'
import type { Reference, Schema } from 'spec-served-document/types'
import { bodyPlace } from './usual.ts'
import { leaveOut, type Mend, type ProjectRule, type Remedy, write } from './violation.ts'

/**
 * Each change of a record can remove its optional properties. A replacement leaves them out, a merge patch has null
 * (RFC 7396). Otherwise `x-effects` says what becomes of them.
 */
export const changeRules: Record<string, ProjectRule> = {
  *removable(model) {
    for (const change of model.operations) {
      const schema = /^(PUT|PATCH)$/.test(change.method) ? bodySchemaOf(change) : undefined
      if (!schema) continue
      const { properties, required } = propertiesOf(model, schema)
      const place = [...change.place, 'requestBody']
      const stays = `or say in x-effects that it stays: { of: ${ownRecord(change)}, becomes: `
      for (const name of removableOf(model, change)) {
        const due = change.method === 'PUT' ? 'an optional property' : 'a property with `nullable: true`'
        const property = properties[name]
        const isGood =
          property &&
          (change.method === 'PUT'
            ? !required.has(name)
            : partsOf(model, property).some(part => part.nullable))
        if (!isGood)
          yield {
            place,
            message: `${change.id} can’t remove ${name}, which the record can be without: make it ${due} of the body, ${stays}{ ${name}: before.${name} } }.`,
            ...removing(model, change, schema, name),
          }
      }
    }
  },

  *'merge-patches'(model) {
    for (const { place, body, id } of model.operations) {
      const schema = body?.content['application/merge-patch+json']?.schema
      if (!schema) continue
      for (const [name, property] of Object.entries(propertiesOf(model, schema).properties))
        if (!isWhole(model, property))
          yield {
            place: [...place, 'requestBody'],
            message: `${id} replaces ${name}, and a merge patch would change parts of it (RFC 7396): make all its properties required, and it is sent whole.`,
            ...demandingAll(model, property),
          }
    }
  },
}

/** Returns the remedy that lets a body remove a property: make it optional or, in a patch, nullable. */
function removing(model: Model, change: OperationModel, body: Schema | Reference, name: string): Remedy {
  const parts = partsAt(model.document, [{ node: body, place: bodySchemaPlace(model, change) }])
  const demanding = parts.find(({ node }) => node.required?.includes(name))
  if (change.method === 'PUT' && demanding) {
    const others = demanding.node.required?.filter(other => other !== name) ?? []
    return others.length > 0
      ? write(demanding.place, { required: others })
      : leaveOut([...demanding.place, 'required'])
  }
  const holder = parts.find(({ node }) => node.properties?.[name]) ?? parts[0]
  const shown = Object.values(responseFor(change, 200)?.content ?? {})[0]?.schema
  const property = holder?.node.properties?.[name] ?? (shown && propertiesOf(model, shown).properties[name])
  if (!holder || !property) return { decide: 'what it is in the body.' }
  const value = change.method === 'PUT' ? property : { ...model.resolve(property), nullable: true }
  return write([...holder.place, 'properties'], { [name]: value })
}

function bodySchemaPlace(model: Model, change: OperationModel): Path {
  const [type = ''] = Object.keys(change.body?.content ?? {})
  return [...bodyPlace(model, change), 'content', type, 'schema']
}

/** Makes all properties required of a component and of all within it. People decide on a schema written in place. */
function demandingAll(model: Model, property: Schema | Reference): Remedy {
  const mend: Mend[] = []
  const visit = (schema: Schema | Reference, seen: ReadonlySet<object>) => {
    const found = followAt<Schema>(model.document, schema, [])
    if (!found || seen.has(found.node)) return
    const { properties = {}, required = [] } = found.node
    const names = Object.keys(properties)
    if (found.place.length > 0 && names.some(name => !required.includes(name)))
      mend.push({ place: [...found.place, 'required'], value: names })
    for (const propertySchema of Object.values(properties))
      visit(propertySchema, new Set([...seen, found.node]))
  }
  visit(property, new Set())
  return mend.length > 0
    ? { mend }
    : { decide: 'what it is without each, and write `required` with all of them.' }
}

const ownRecord = ({ path }: OperationModel) => path.replace(/.*\{(\w+)\}.*/, '{ $1: path.$1 }')

/** The optional properties of a record that some operation sets, and about which nothing else is said. */
function removableOf(model: Model, change: OperationModel): string[] {
  const shown = Object.values(responseFor(change, 200)?.content ?? {})[0]?.schema
  if (!shown) return []
  const { properties, required } = propertiesOf(model, shown)
  const spoken = spokenOf(change)
  const collection = change.path.replace(/\/\{\w+\}$/, '')
  const settable = new Set(
    model.operations
      .filter(({ method, path }) => path === change.path || (path === collection && method === 'POST'))
      .flatMap(operation => {
        const schema = bodySchemaOf(operation)
        if (!schema) return []
        const sent = propertiesOf(model, schema)
        // A property that only the creation of a record sets is no matter of its changes.
        return Object.keys(sent.properties).filter(
          name => operation.method !== 'POST' || !sent.required.has(name),
        )
      }),
  )
  return Object.keys(properties).filter(
    name => settable.has(name) && !required.has(name) && !spoken.has(name),
  )
}

/** Whether all that a schema has properties of is required: to merge it is then to replace it. */
function isWhole(model: Model, schema: Schema | Reference, seen: ReadonlySet<object> = new Set()): boolean {
  const target = model.resolve(schema)
  if (seen.has(target)) return true
  const { properties, required } = propertiesOf(model, target)
  const visited = new Set([...seen, target])
  return Object.entries(properties).every(
    ([name, property]) => required.has(name) && isWhole(model, property, visited),
  )
}
