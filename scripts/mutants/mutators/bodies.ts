import { modelOf } from '../../../src/document/model.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { drop, type Edit, edit, keysOf, type Mutator, nodeAt, renameKey, set } from './edit.ts'
import { type Place, placesIn } from './places.ts'

/** What operations take and answer: bodies, their media types, statuses and header fields. */
export const bodyMutators: Mutator[] = [requestBodies, statuses, responses, headers]

function* requestBodies(document: OpenApi): Generator<Edit> {
  for (const { operation, at } of modelOf(document).operations)
    if (operation.requestBody) yield drop('request body removed', document, [...at, 'requestBody'])
  for (const place of placesIn(document, 'requestBody')) {
    yield set('request body required flipped', document, [...place.at, 'required'], !place.node.required)
    yield* mediaTypes(document, place, 'request')
  }
}

function* statuses(document: OpenApi): Generator<Edit> {
  for (const { operation, at } of modelOf(document).operations) {
    const declared = Object.keys(operation.responses).filter(status => !status.startsWith('x-'))
    if (declared.length > 1)
      for (const status of declared)
        yield drop('status removed', document, [...at, 'responses', status], status)
    for (const [group, candidates] of [
      ['4', ['402', '418', '423', '424']],
      ['2', ['202', '203', '206']],
    ] as const) {
      const like = declared.find(status => status.startsWith(group))
      const added = candidates.find(status => !declared.includes(status))
      if (like && added)
        yield set(
          `status ${group}xx added`,
          document,
          [...at, 'responses', added],
          operation.responses[like],
          `like ${like}`,
        )
    }
  }
}

function* responses(document: OpenApi): Generator<Edit> {
  for (const place of placesIn(document, 'response')) {
    const { at, node } = place
    if (node.content) yield drop('response body removed', document, [...at, 'content'])
    yield* mediaTypes(document, place, 'response')
    for (const name of keysOf(node.headers))
      yield drop('response header dropped', document, [...at, 'headers', name], name)
    const added = { description: 'An addition.', schema: { type: 'string' } }
    yield edit('response header added', [...at, 'headers'], '(none) → X-Added', root => {
      const response = nodeAt(root, at)
      response.headers = { ...nodeAt({ headers: {}, ...response }, ['headers']), 'X-Added': added }
    })
  }
}

function* headers(document: OpenApi): Generator<Edit> {
  for (const { at, node } of placesIn(document, 'header'))
    yield set('response header required flipped', document, [...at, 'required'], !node.required)
}

function* mediaTypes(document: OpenApi, { at, node }: Place, side: string): Generator<Edit> {
  const other = 'application/x-other+json'
  const types = keysOf(node.content)
  for (const type of types) {
    const place = [...at, 'content', type]
    if (!types.includes(other))
      yield edit(`${side} media type renamed`, place, `${type} → ${other}`, root =>
        renameKey(nodeAt(root, [...at, 'content']), type, other),
      )
    if (types.length > 1) yield drop(`${side} media type removed`, document, place, type)
  }
}
