import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { contractOf } from '../../scripts/document/contract.ts'
import { shared } from '../support/fixtures.ts'
import { modelFrom } from '../support/model.ts'
import { issueKey, startStore } from '../support/store.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))

/** Changes of the document, and of nothing else. */
const changed = structuredClone(document)
changed['x-rate-limits'].plans.Business = { minute: 7, day: 77 }
changed.paths['/pets'].get['x-stability'] = 'beta'
const { get } = changed.paths['/pets/{petId}']
get['x-deprecated-sunset'] = '2031-01-01'
get.responses['451'] = get.responses['404']
delete get.responses['404']
changed.paths['/categories/{categoryId}'].put['x-effects'] = [
  { of: { categoryId: 'path.categoryId' }, becomes: { description: 'before.description' } },
]
const store = shared(async () =>
  startStore({ contract: contractOf(stringify(changed), await modelFrom(changed)) }),
)

test('a changed plan number changes the server, with no other edit', async () => {
  const headers = { 'x-api-key': await issueKey(store.db, { plan: 'Business' }) }
  const reply = await store.request({ url: '/pets', headers })
  expect(reply.headers['ratelimit-policy']).toBe('"minute";q=7;w=60,"day";q=77;w=86400')
})

test('a changed stability and sunset change headers and page, with no other edit', async () => {
  const [pet, pets] = [await store.request('/pets/1'), await store.request('/pets')]
  expect(pet.headers.sunset).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
  expect(pets.headers['x-stability']).toBe('beta')
  const served = (await store.request('/openapi.json')).json()
  expect(served).toMatchObject({ paths: { '/pets': { get: { 'x-stability': 'beta' } } } })
})

test('the status of a refusal follows from the response that names its code, with no other edit', async () => {
  expect((await store.request('/pets/1')).json()).toMatchObject({ code: 'not_found', status: 451 })
})

test('a replacement keeps what the document says stays, and removes what it says nothing of, with no other edit', async () => {
  await using unchanged = await startStore()
  for (const [{ call }, kept] of [
    [store, 'Loud'],
    [unchanged, undefined],
  ] as const) {
    const category = await call('createCategory', { body: { name: 'Dogs', description: 'Loud' } })
    const path = { categoryId: category.body.id }
    const { body } = await call('replaceCategory', { path, body: { name: 'Hounds' } })
    expect(body.description).toBe(kept)
  }
})
