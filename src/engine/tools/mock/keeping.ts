import type { Contract } from 'spec-served-document/contract/contract'
import { createSchemas } from 'spec-served-document/values/schemas'
import { codes, withoutEnd } from '../records/conventions.ts'
import type { State } from '../records/effects.ts'
import { type Endpoint, readInterface, recordUrl, shapeOf } from '../records/interface.ts'
import type { WireReply } from '../records/messages.ts'
import { createRecordModel, type Named, type Seen } from '../records/model.ts'
import { type Collection, collectionsOf } from './collections.ts'
import { createCredentials } from './credentials.ts'
import { filtered } from './lists.ts'
import { createRecords, type Kept } from './records.ts'
import { createShowing } from './showing.ts'

/** The records of a document, and the rules that they follow. */
export type Keeping = ReturnType<typeof openKeeping>

/** Finds the records that a document is about, and keeps none yet. */
export function openKeeping(contract: Contract, secrets: readonly string[], now: () => Date) {
  const { model } = contract
  const api = readInterface(model)
  const parts = collectionsOf(api)
  const collections = [...new Set([...parts.values()].map(part => part.collection))]
  const records = createRecords()
  const endpointOf = new Map(api.endpoints.map(endpoint => [endpoint.id, endpoint]))

  function readAt(url: string): WireReply {
    const [sent = '', search = ''] = url.split('?')
    const path = withoutEnd(sent)
    const empty = { headers: {}, text: '', length: 0 }
    for (const [id, { collection, role }] of parts) {
      const endpoint = endpointOf.get(id)
      const isHere = endpoint?.method === 'GET' && matches(endpoint.path, path)
      if (!endpoint || !isHere) continue
      if (role === 'list') {
        const query = Object.fromEntries(
          [...new URLSearchParams(search)].map(([name, text]) => [name, typedValue(endpoint, name, text)]),
        )
        const kept = filtered(api, endpoint, [...records.all(collection)], query)
        return { ...empty, status: 200, body: kept.map(({ state }) => state) }
      }
      const record = records.find(collection, {}, decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)))
      if (record) return { ...empty, status: endpoint.success, body: viewOf(endpoint, record) }
    }
    return { ...empty, status: codes.notFound.status, body: undefined }
  }
  const typedValue = ({ parameters }: Endpoint, name: string, text: string): unknown => {
    const { type } = shapeOf(model, parameters.find(parameter => parameter.name === name)?.schema ?? {})
    return type === 'string' ? text : JSON.parse(text)
  }
  /** The properties that an operation shows of a record. */
  const viewOf = ({ gives: { properties } }: Endpoint, { state }: Kept): State =>
    properties ? Object.fromEntries(Object.entries(state).filter(([name]) => name in properties)) : state
  async function look(named: readonly Named[]): Promise<Seen> {
    const urls = named.flatMap(({ parameter, id }) =>
      api.readers(parameter).map(reader => recordUrl(reader, id)),
    )
    return new Map(urls.map(url => [url, readAt(url)]))
  }

  return {
    contract,
    model,
    api,
    now,
    /** the part of each operation in the records */
    parts,
    collections,
    records,
    endpointOf: (id: string) => endpointOf.get(id),
    collectionOf: (parameter: string) => collections.find(collection => collection.parameter === parameter),
    credentials: createCredentials(contract, secrets, now),
    showing: createShowing(api, createSchemas(model), now),
    // They read records as a client of the check does: by URL.
    rules: createRecordModel(api, async url => readAt(url)),
    look,
  }
}

/** The values of a path's parameters but the last, by which the records of others are left out. */
export function outerValues({ path, parameter }: Collection, values: State): State {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name = '']) =>
    name === parameter ? [] : [name],
  )
  return Object.fromEntries(names.filter(name => name in values).map(name => [name, String(values[name])]))
}

/** Whether a record is where a path leads. */
export const isAt = ({ place }: Kept, wanted: State) =>
  Object.entries(wanted).every(([name, value]) => place[name] === value)

/** Whether a URL's path is of a template. */
function matches(template: string, path: string): boolean {
  const [templateParts, pathParts] = [template.split('/'), path.split('/')]
  return (
    templateParts.length === pathParts.length &&
    templateParts.every((name, index) => /^\{[^{}]+\}$/.test(name) || name === pathParts[index])
  )
}
