import { changeRules } from 'spec-served-cli/internal/lint/change-rules'
import { modelFrom } from 'spec-served-lab/support/model'
import { violationsOf } from 'spec-served-lab/support/remedies'
import { expect, test } from 'vitest'
import type { Operation, Schema } from '../types.ts'

/** A document of records that are made, replaced and patched; `change` gets its schemas and its operations. */
async function records(
  change: (parts: Record<'shown' | 'made' | 'patch', Schema> & Record<'put' | 'merge', Operation>) => void,
) {
  const object = (required: string[]): Schema => ({
    type: 'object',
    required,
    properties: { name: { type: 'string' } },
  })
  const [shown, made, patch] = [object(['id', 'name']), object(['name']), object([])]
  const operation = (operationId: string, type: string, schema: Schema): Operation => ({
    operationId,
    tags: [],
    requestBody: { content: { [type]: { schema } } },
    responses: { 200: { description: '', content: { 'application/json': { schema: shown } } } },
  })
  const parameters = [
    { name: 'id', in: 'path' as const, required: true, schema: { type: 'string' as const } },
  ]
  const put = { ...operation('put', 'application/json', made), parameters }
  const merge = { ...operation('merge', 'application/merge-patch+json', patch), parameters }
  change({ shown, made, patch, put, merge })
  return modelFrom({
    openapi: '3.0.3',
    info: { title: 'Records', version: '1' },
    paths: { '/r': { post: operation('make', 'application/json', made) }, '/r/{id}': { put, patch: merge } },
  })
}

const faultsOf = (model: Awaited<ReturnType<typeof records>>) =>
  violationsOf(model, changeRules).map(({ violation }) => violation.message)
const day = { type: 'string', format: 'date' } as const
const withDay = (schema: Schema, more = {}) => ({ ...schema.properties, day: { ...day, ...more } })
const stays = [{ of: { id: 'path.id' }, becomes: { day: 'before.day' } }]

test('an optional property that a patch does not know, or takes no null for, is a fault', async () => {
  const unknown = await records(({ shown, made }) => {
    shown.properties = withDay(shown)
    made.properties = withDay(made)
  })
  expect(faultsOf(unknown)).toEqual([expect.stringMatching(/^merge can’t remove day, .*`nullable: true`/)])
  const stuck = await records(({ shown, made, patch }) => {
    for (const schema of [shown, made, patch]) schema.properties = withDay(schema)
  })
  expect(faultsOf(stuck)).toEqual([expect.stringMatching(/^merge can’t remove day/)])
})

test('an optional property that a replacement requires is a fault', async () => {
  const model = await records(({ shown, made, patch }) => {
    for (const schema of [shown, made]) schema.properties = withDay(schema)
    patch.properties = withDay(patch, { nullable: true })
    made.required = ['name', 'day']
  })
  expect(faultsOf(model)).toEqual([expect.stringMatching(/^put can’t remove day/)])
})

test('a property that both remove, or of which the document says that it stays, is none', async () => {
  const removable = await records(({ shown, made, patch }) => {
    for (const schema of [shown, made]) schema.properties = withDay(schema)
    patch.properties = withDay(patch, { nullable: true })
  })
  expect(faultsOf(removable)).toEqual([])
  const staying = await records(({ shown, made, patch, put, merge }) => {
    for (const schema of [shown, made, patch]) schema.properties = withDay(schema)
    for (const operation of [put, merge]) Object.assign(operation, { 'x-effects': stays })
  })
  expect(faultsOf(staying)).toEqual([])
})

test('a merge patch takes objects that are sent whole, and no others', async () => {
  const patching = (required: string[]) =>
    records(({ patch }) => {
      const properties = { street: { type: 'string' }, town: { type: 'string' } } as const
      patch.properties = { ...patch.properties, home: { type: 'object', required, properties } }
    })
  expect(faultsOf(await patching(['street', 'town']))).toEqual([])
  expect(faultsOf(await patching(['town']))).toEqual([expect.stringMatching(/^merge replaces home/)])
})
