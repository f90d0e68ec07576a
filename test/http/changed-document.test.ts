import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { contractOf } from '../../scripts/document/contract.ts'
import { modelFrom } from '../support/model.ts'
import { issueKey, startStore } from '../support/store.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))

/** The service of a changed document: nothing else is changed. */
const serve = async (changed: typeof document) =>
  startStore({ contract: contractOf(stringify(changed), await modelFrom(changed)) })

test('a changed plan number changes the server, with no other edit', async () => {
  const changed = structuredClone(document)
  changed['x-rate-limits'].plans.Business = { minute: 7, day: 77 }
  const store = await serve(changed)
  const headers = { 'x-api-key': await issueKey(store.db, { plan: 'Business' }) }
  const reply = await store.request({ url: '/pets', headers })
  expect(reply.headers['ratelimit-policy']).toBe('"minute";q=7;w=60,"day";q=77;w=86400')
  await store.close()
})

test('a changed stability and sunset change headers and page, with no other edit', async () => {
  const changed = structuredClone(document)
  changed.paths['/pets/{petId}'].get['x-deprecated-sunset'] = '2031-01-01'
  changed.paths['/pets'].get['x-stability'] = 'beta'
  const store = await serve(changed)
  const [pet, pets] = [await store.request('/pets/1'), await store.request('/pets')]
  expect(pet.headers.sunset).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
  expect(pets.headers['x-stability']).toBe('beta')
  const served = (await store.request('/openapi.json')).json()
  expect(served).toMatchObject({ paths: { '/pets': { get: { 'x-stability': 'beta' } } } })
  await store.close()
})

test('the status of a refusal follows from the response that names its code, with no other edit', async () => {
  const changed = structuredClone(document)
  const { responses } = changed.paths['/pets/{petId}'].get
  responses['451'] = responses['404']
  delete responses['404']
  const store = await serve(changed)
  expect((await store.request('/pets/1')).json()).toMatchObject({ code: 'not_found', status: 451 })
  await store.close()
})

test('a replacement keeps what the document says stays, and removes what it says nothing of, with no other edit', async () => {
  const changed = structuredClone(document)
  changed.paths['/categories/{categoryId}'].put['x-effects'] = [
    { of: { categoryId: 'path.categoryId' }, becomes: { description: 'before.description' } },
  ]
  for (const [served, kept] of [
    [changed, 'Loud'],
    [document, undefined],
  ]) {
    const store = await serve(served)
    const category = await store.call('createCategory', { body: { name: 'Dogs', description: 'Loud' } })
    const path = { categoryId: category.body.id }
    const { body } = await store.call('replaceCategory', { path, body: { name: 'Hounds' } })
    expect(body.description).toBe(kept)
    await store.close()
  }
})
