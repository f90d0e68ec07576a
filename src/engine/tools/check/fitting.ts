import type { Model } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { Reference, Schema } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import type { Endpoint } from '../records/interface.ts'
import type { Draft } from '../records/messages.ts'
import { sampler } from '../samples/samples.ts'
import { referencesIn } from './requests.ts'

/**
 * Judges drafts by the engine's own validation, and makes some by its sampler. Random values are drawn by construction,
 * and documents of others have keywords that only a trial can keep, such as `not`.
 */
export function createFitting(model: Model) {
  const schemas = createSchemas(model)

  /** Whether a parameter has a value of its schema. An identifier that reads as a number may be a text. */
  const isValue = (schema: Schema | Reference, value: unknown) =>
    [value, ...(typeof value === 'number' ? [String(value)] : [])].some(
      candidate => schemas.check(schema, candidate).length === 0,
    )

  /** Whether a draft is what the schemas of its operation allow. */
  function fits({ request, mediaTypes: [type = ''] }: Endpoint, draft: Draft): boolean {
    const { body: sentBody, ...values } = structuredClone(draft)
    // A form without fields is written as no body.
    const isNone = isObject(sentBody) && Object.keys(sentBody).length === 0 && /form-urlencoded/.test(type)
    const body = isNone && !request.required.includes('body') ? undefined : sentBody
    const { body: bodySchema, ...places } = request.properties
    if (body === undefined && request.required.includes('body')) return false
    if (body !== undefined && bodySchema && schemas.check(bodySchema, body).length > 0) return false
    return Object.entries(places).every(([place, { properties = {}, required = [] }]) => {
      const placeValues: Record<string, unknown> = Object(values[place as keyof typeof values]) // it is one of its keys
      const sentProperties = Object.entries(properties).filter(([name]) => placeValues[name] !== undefined)
      return (
        required.every(name => placeValues[name] !== undefined) &&
        sentProperties.every(([name, schema]) => isValue(schema, placeValues[name]))
      )
    })
  }

  /** The draft, or one that the engine's sampler makes, where the draft is not allowed and that one is. */
  function fitted(endpoint: Endpoint, draft: Draft, isPlain: boolean): Draft {
    if (referencesIn(draft).size > 0 || fits(endpoint, draft)) return draft
    const sample = sampler(schemas, { isFull: !isPlain })
    const { path, query, header, cookie, body } = endpoint.request.properties
    const valuesOf = ({ properties = {}, required = [] }: typeof path) =>
      Object.fromEntries(
        Object.entries(properties).flatMap(([name, schema]) =>
          required.includes(name) || !isPlain ? [[name, sample(schema)]] : [],
        ),
      )
    const other = {
      path: valuesOf(path),
      query: valuesOf(query),
      header: valuesOf(header),
      ...(cookie && { cookie: valuesOf(cookie) }),
      ...(body && 'body' in draft && { body: sample(body) }),
    }
    return fits(endpoint, other) ? other : draft
  }

  return { fits, fitted }
}
