import { shared } from 'spec-served-lab/support/fixtures'
import { changedContract } from 'spec-served-lab/support/model'
import { addPets, issueKey, startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

/** A store whose document has changed, and nothing else. */
const store = shared(async () =>
  startStore({
    contract: await changedContract(changed => {
      changed['x-rate-limits'].plans.Business = { minute: 7, day: 77 }
      changed.paths['/pets'].get['x-stability'] = 'beta'
      const { get } = changed.paths['/pets/{petId}']
      get['x-deprecated-sunset'] = '2031-01-01'
      get.responses['451'] = get.responses['404']
      delete get.responses['404']
      changed.paths['/categories/{categoryId}'].put['x-effects'] = [
        { of: { categoryId: 'path.categoryId' }, becomes: { description: 'before.description' } },
      ]
      changed.components.parameters.limit.schema.maximum = 500
      for (const method of ['patch', 'delete'])
        changed.paths['/api-keys/{keyId}'][method].parameters.push({
          $ref: '#/components/parameters/idempotencyKey',
        })
    }),
  }),
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

test('a greater limit gives longer pages, with no other edit', async () => {
  const { categoryId } = await addPets(store.call)
  for (let i = 0; i < 3; i++)
    await store.call('createPets', {
      body: Array.from({ length: 100 }, (_, j) => ({ name: `Rex ${i} ${j}`, categoryId })),
    })
  for (const filter of ['', '&sort=name', '&name=rex', '&status=available']) {
    const reply = await store.request(`/pets?limit=299&categoryId=${categoryId}${filter}`)
    expect([reply.statusCode, reply.json().length], filter).toEqual([200, 299])
    expect(reply.headers['x-next-cursor'], filter).toBeDefined()
  }
  for (const list of ['/categories', '/store/orders', '/store/inventory', '/api-keys'])
    expect((await store.request(`${list}?limit=500`)).statusCode, list).toBe(200)
})

test('changes of keys may be repeated with an Idempotency-Key, with no other edit', async () => {
  const body = { name: 'Key', plan: 'Free', scopes: ['read'] }
  const { id: keyId } = (await store.call('createApiKey', { body })).body
  const url = `/api-keys/${keyId}`
  const send = async (method: 'PATCH' | 'DELETE', headers: object, payload?: object) => {
    const reply = await store.request({ method, url, headers: { ...headers }, ...(payload && { payload }) })
    return [reply.statusCode, reply.headers['idempotent-replayed']]
  }
  for (const [method, status, payload] of [
    ['PATCH', 200, { name: 'Other' }],
    ['DELETE', 204, undefined],
  ] as const) {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    expect(await send(method, headers, payload)).toEqual([status, undefined])
    expect(await send(method, headers, payload)).toEqual([status, 'true'])
  }
  expect((await store.request(url)).statusCode).toBe(404)
})
