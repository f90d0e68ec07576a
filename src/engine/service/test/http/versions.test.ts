import { shared } from 'spec-served-lab/support/fixtures'
import { changedContract } from 'spec-served-lab/support/model'
import { addPets, startOn, startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

const store = shared(() => startStore())

test('paging through 5,000 animals while others come and go shows every one that stays exactly once', async () => {
  const { categoryId } = await addPets(store.call)
  const pet = (index: number) => ({ name: `n${index % 977}`, categoryId })
  for (let i = 0; i < 50; i++)
    await store.call('createPets', { body: Array.from({ length: 100 }, (_, j) => pet(i * 100 + j)) })
  const all = await store.db.selectFrom('pets').select('id').where('category_id', '=', categoryId).execute()
  const leaving = new Set(all.filter((_, index) => index % 10 === 3).map(row => row.id))
  const seen: number[] = []
  const departures = [...leaving]
  let url: string | undefined = `/pets?categoryId=${categoryId}&sort=name&limit=100`
  while (url && seen.length < 10_000) {
    const reply = await store.request(url)
    seen.push(...reply.json().map((found: { id: number }) => found.id))
    url = /<([^>]+)>; rel="next"/.exec(String(reply.headers.link))?.[1]
    for (const petId of departures.splice(0, 10)) await store.call('deletePet', { path: { petId } })
    await store.call('createPet', { body: pet(seen.length) })
  }
  expect(new Set(seen).size).toBe(seen.length)
  const stayed = all.map(row => row.id).filter(id => !leaving.has(id))
  expect(stayed.filter(id => !seen.includes(id))).toEqual([])
})

test('a release that changes the schema of a record changes its ETag, and one that changes a description does not', async () => {
  const { categoryId } = await addPets(store.call)
  const tagOf = async (change: (category: Record<string, Record<string, unknown>>) => void) => {
    const contract = await changedContract(({ components }) => change(components.schemas.Category.properties))
    const { app, close } = await startOn(store.db, { contract })
    const reply = await app.inject({
      url: `/categories/${categoryId}`,
      headers: { 'x-api-key': store.key },
    })
    await close()
    return String(reply.headers.etag)
  }
  const original = await tagOf(() => {})
  const described = await tagOf(({ name }) => Object.assign(name ?? {}, { description: 'Another text' }))
  expect([original, described]).toEqual([expect.stringMatching(/^"1-\w+"$/), original])
  expect(await tagOf(({ name }) => Object.assign(name ?? {}, { format: 'hostname' }))).not.toBe(original)
  expect(await tagOf(properties => Object.assign(properties, { description: { type: 'integer' } }))).not.toBe(
    original,
  )
})
