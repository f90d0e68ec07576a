import { describe, expect, test } from 'vitest'
import { addPets, openStore } from '../support/store.ts'

const store = openStore()

const found = async (query: Record<string, string | number>) =>
  (await store.call('listPets', { query })).body.map(pet => pet.name)

describe('a name is found', () => {
  test.each([
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straß'],
    ['ΣΙΣΥΦΟΣ', 'ΣΙΣ'],
    ['σισυφος', 'ΣΙΣΥΦΟΣ'],
    ['ﬁsh', 'FI'],
    ['ŉandu', 'ʼN'],
    ['Ångström', 'A\u030ANGSTRO\u0308M'],
    ['A\u0323\u0302bc', '\u1EADB'],
    ['Éclair', 'e'],
    ['ᾳδης', 'ΑΙΔ'],
    ['Ꮳꮃꭹ', 'ꮳꮃ'],
    ['𐐔𐐯', '𐐼𐐇'],
    ['한글', '하'],
    ['İstanbul', 'i\u0307ST'],
    ['100% _dog_', '100% _D'],
    ['\u{10ffff}\u{10ffff}x', '\u{10ffff}\u{10ffff}'],
    ['\ud7ffx', '\ud7ff'],
  ])('%s by %s, in either order', async (name, beginning) => {
    const { categoryId } = await addPets(store.call, name, 'Zorro')
    for (const sort of ['id', '-id', 'name', '-name'])
      expect(await found({ categoryId, name: beginning, sort })).toEqual([name])
  })

  test.each([
    ['Änne', 'AN'],
    ['Eclair', 'é'],
    ['ılgaz', 'i'],
    ['Tig', 'TI\u0307'],
    ['①', '1'],
    ['ΣΙΣΥΦΟΣ', 'ΣΙΣΑ'],
  ])('%s not by %s', async (name, beginning) => {
    const { categoryId } = await addPets(store.call, name)
    for (const sort of ['id', 'name']) expect(await found({ categoryId, name: beginning, sort })).toEqual([])
  })
})

test('categories are the same in any case and composition', async () => {
  for (const same of [
    ['ΟΔΟΣ', 'οδοσ', 'οδος'],
    ['Große Vögel', 'GROSSE VO\u0308GEL', 'große vögel'],
  ]) {
    const replies = []
    for (const name of same) replies.push(await store.call('createCategory', { body: { name } }))
    expect(replies.map(reply => reply.status)).toEqual([201, 409, 409])
  }
})

describe('a list by name', () => {
  const hostile = [
    '\ufdfa'.repeat(24),
    '\u0390'.repeat(100),
    '\u{1d160}'.repeat(100),
    '\u{1d160}'.repeat(99).concat('a'),
    'x\u0001'.repeat(50),
    `x${'\u0001'.repeat(99)}`,
    '"\\'.repeat(50),
    '\ufb03'.repeat(100),
    '\u1f82'.repeat(100),
    '😀'.repeat(100),
    '\u{10ffff}'.repeat(100),
    `x${'\ufeff'.repeat(99)}`,
    '\u2028\u202e'.repeat(50),
  ]

  test.each(['name', '-name'])('by %s leads through every name', async sort => {
    const { categoryId, ids } = await addPets(store.call, ...hostile)
    const forward = await walk(`/pets?categoryId=${categoryId}&sort=${sort}&limit=1`)
    expect(forward.toSorted((a, b) => a - b)).toEqual(ids)
  })

  test.each(['-name', 'id'])('by %s leads through all of a beginning and other filters', async sort => {
    for (const name of hostile) {
      const { categoryId, ids } = await addPets(store.call, name, name)
      const filters = new URLSearchParams({
        categoryId: String(categoryId),
        name,
        status: 'available',
        ids: [...ids, ...Array.from({ length: 98 }, (_, i) => Number.MAX_SAFE_INTEGER - i)].join(),
      })
      expect((await walk(`/pets?${filters}&sort=${sort}&limit=1`)).toSorted((a, b) => a - b)).toEqual(ids)
      filters.delete('ids')
      expect((await walk(`/pets?${filters}&sort=${sort}&limit=1`)).toSorted((a, b) => a - b)).toEqual(ids)
    }
  })

  /** The identifiers on all pages, by their links. */
  async function walk(first: string): Promise<number[]> {
    const ids: number[] = []
    for (let url = first; url; ) {
      const response = await store.app.inject({ url, headers: { 'x-api-key': store.key } })
      expect(response.statusCode, response.payload).toBe(200)
      ids.push(...response.json().map((pet: { id: number }) => pet.id))
      url = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1] ?? ''
    }
    return ids
  }
})

test('a byte order mark is stored where it does not begin a text', async () => {
  const { categoryId } = await addPets(store.call)
  const { body } = await store.call('createPet', { body: { name: 'R\ufeffex\ufeff', categoryId } })
  expect(body.name).toBe('R\ufeffex\ufeff')
  expect(await found({ categoryId, name: 'r\ufeff' })).toEqual(['R\ufeffex\ufeff'])
})
