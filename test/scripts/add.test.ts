import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { documentWith } from '../../scripts/add/document.ts'
import { planOperation, type Wish } from '../../scripts/add/plan.ts'
import { ways, withWays } from '../../scripts/add/ways.ts'
import { checkDocument } from '../../scripts/document/check.ts'
import { withDeprecation } from '../../scripts/document/deprecation.ts'
import { formatFaults } from '../../scripts/document/reading/fault.ts'
import { holdToRules } from '../../scripts/document/rewrite.ts'
import { withEntry } from '../../scripts/document/written.ts'
import type { Model } from '../../src/document/model.ts'
import { sharedDirectory } from '../support/fixtures.ts'
import { modelFrom, ownModel } from '../support/model.ts'

const text = await readFile('spec/openapi.yaml', 'utf8')
const model = await ownModel()
const directory = sharedDirectory()

/** What the lint has against a text. */
async function faultsOf(document: string): Promise<string> {
  const file = join(directory, 'openapi.yaml')
  await writeFile(file, document)
  return formatFaults(await checkDocument(file, 'full'))
}

const planIn = (known: Model, method: string, path: string, wish: Partial<Wish>) =>
  planOperation(known, { list: false, versioned: false, ...wish, method, path })
const plan = (method: string, path: string, wish: Partial<Wish> = {}) => planIn(model, method, path, wish)

/** The lines that one text has and the other has not, when nothing else is different. */
function added(before: string, after: string): string[] {
  const lines = before.split('\n')
  return after.split('\n').filter(line => {
    if (line !== lines[0]) return true
    lines.shift()
    return false
  })
}

describe('npm run add writes an operation that keeps every rule', () => {
  const operations: [method: string, path: string, wish: Partial<Wish>, id: string][] = [
    ['GET', '/pets/namesakes', {}, 'listNamesakes'],
    ['get', '/pets/{petId}/siblings', { list: true, reply: 'Pet', stability: 'beta' }, 'listSiblings'],
    ['GET', '/pets/{petId}/toys/{toyId}', { reply: 'Category', versioned: true }, 'getToy'],
    ['POST', '/pets/{petId}/toys', { reply: 'Category', body: 'NewCategory' }, 'createToy'],
    [
      'PUT',
      '/pets/{petId}/toys/{toyId}',
      { reply: 'Category', body: 'NewCategory', versioned: true },
      'replaceToy',
    ],
    ['PATCH', '/toys/{toyId}', { reply: 'Category', body: 'CategoryPatch', tag: 'Animals' }, 'updateToy'],
    ['DELETE', '/pets/{petId}/toys/{toyId}', { refusal: ['409=PetInUse'] }, 'deleteToy'],
    ['POST', '/api-keys/{keyId}/copies', { reply: 'IssuedApiKey', body: 'NewApiKey' }, 'createCopy'],
    [
      'GET',
      '/store/orders/late',
      { tag: 'Orders', summary: 'List late: orders', id: 'lateOrders' },
      'lateOrders',
    ],
  ]

  test.each(operations)('%s %s', (method, path, wish, id) => {
    expect(plan(method, path, wish).id).toBe(id)
  })

  test('each beside those before it, and all else stays as it is written, byte for byte', async () => {
    let [written, known] = [text, model]
    for (const [method, path, wish, id] of operations) {
      const before = written
      written = documentWith(before, known, planIn(known, method, path, wish))
      const more = written.split('\n').length - before.split('\n').length
      expect(added(before, written), id).toHaveLength(more)
      const document = parse(written)
      expect(Object.keys(document.paths[path]), id).toContain(method.toLowerCase())
      known = await modelFrom(document)
    }
    expect(known.operations).toHaveLength(model.operations.length + operations.length)
    // When a refusal of the business comes its author alone can say.
    const faults = (await faultsOf(written)).trim().split('\n')
    expect(faults).toEqual([
      expect.stringMatching(/told-refusals .* deleteToy is refused with pet_in_use. Decide:/),
    ])
  })

  test('beside the operations at its path, with what is known of their record', async () => {
    const written = documentWith(
      text,
      model,
      plan('POST', '/store/inventory', { body: 'InventoryUpdate', reply: 'InventoryItem' }),
    )
    expect(Object.keys(parse(written).paths['/store/inventory'])).toEqual(['get', 'post'])
    expect(await faultsOf(written)).toBe('')
    expect(plan('GET', '/api-keys/{keyId}/uses', { reply: 'Usage' })).toMatchObject({
      scope: 'admin',
      tag: 'API keys',
    })
  })

  test('with a way to each of its own statuses', async () => {
    const operation = plan('DELETE', '/pets/{petId}/toys/{toyId}', { refusal: ['409=PetInUse'] })
    const tests = withWays(await readFile(ways, 'utf8'), operation)
    expect(tests).toContain(`404: call => typical(call, 'deleteToy', { toyId: none }),`)
    expect(tests).toContain(`409: async () => notWritten('deleteToy'), // PetInUse`)
  })
})

describe('npm run add refuses', () => {
  test.each<[string, string, string, Partial<Wish>, RegExp]>([
    ['what is there', 'GET', '/pets', {}, /GET \/pets already: listPets/],
    ['a path that differs in names alone', 'GET', '/pets/{id}', {}, /the same path as \/pets\/\{petId\}/],
    [
      'an operationId that is there',
      'GET',
      '/pets/namesakes',
      { id: 'listPets' },
      /listPets already \(GET \/pets\)/,
    ],
    ['what is no path', 'GET', 'pets', {}, /pets is no path/],
    ['an end with a slash', 'GET', '/pets/', {}, /is no path/],
    ['a query in the path', 'GET', '/pets?x=1', {}, /is no path/],
    ['an open brace', 'GET', '/pets/{petId', {}, /is no path/],
    ['a parameter twice', 'GET', '/pets/{petId}/x/{petId}', {}, /has a parameter twice/],
    ['the paths of the docs', 'GET', '/docs/all', {}, /belongs to the docs/],
    ['another method', 'BREW', '/pets/tea', {}, /BREW is no method: take one of GET/],
    ['an unknown tag', 'GET', '/pets/x', { tag: 'Toys' }, /no tag Toys: give --tag with one of Animals/],
    ['a tag that groups others', 'GET', '/pets/x', { tag: 'Pets' }, /no tag Pets/],
    ['a path that is near to none', 'GET', '/toys', { reply: 'Pets' }, /No operation is near/],
    ['an unknown schema', 'GET', '/pets/x', { reply: 'Toy' }, /no schema Toy: write it/],
    ['a POST of nothing', 'POST', '/pets/x', { reply: 'Pet' }, /--body/],
    ['a body of a GET', 'GET', '/pets/x', { body: 'NewPet' }, /GET has no body/],
    ['a list of one record', 'GET', '/pets/x/{petId}', { list: true, reply: 'Pet' }, /names one record/],
    ['an unknown scope', 'GET', '/pets/x', { scope: 'root' }, /--scope is one of/],
    ['an unknown stability', 'GET', '/pets/x', { stability: 'rc' }, /--stability is/],
    ['an unknown refusal', 'GET', '/pets/x', { refusal: ['409=Nope'] }, /--refusal is a status/],
  ])('%s', (_, method, path, wish, why) => {
    expect(() => plan(method, path, wish)).toThrow(why)
  })
})

describe('a text that is about to be written', () => {
  const unused = withEntry(text, ['components', 'schemas'], 'Toy', { type: 'string', description: 'A toy.' })

  test('is held to the rules as spec/openapi.yaml, where its faults are told', async () => {
    const wrong = unused.replace(/ +operationId: listPets\n/, '')
    await expect(holdToRules(wrong)).rejects.toThrow(
      /^(spec\/openapi\.yaml:\d+:\d+ .*\n)+Nothing was written\.$/,
    )
  })

  test('may have a schema that nothing refers to yet', async () => {
    expect(await faultsOf(unused)).toContain('no-unused-components')
    await holdToRules(unused)
  })
})

describe('a text that is written into', () => {
  const sample = '# begins\nb: 2 # two\na:\n  # deep\n  y: |\n    text\n\n# ends\n'

  test('keeps its comments, its order and its form', () => {
    expect(withEntry(sample, [], 'c', { tags: ['x'] }, { after: 'b' })).toBe(
      sample.replace('# two\n', '# two\nc:\n  tags: [x]\n'),
    )
    expect(withEntry(sample, ['a'], 'x', 1, { before: 'y' })).toBe(sample.replace('  y:', '  x: 1\n  y:'))
    expect(withEntry(sample, ['a'], 'z', 1)).toContain('    text\n')
  })

  test('is refused where there is no such map, or one in one line', () => {
    expect(() => withEntry(sample, ['c'], 'x', 1)).toThrow('The document has no c to write into')
    expect(() => withEntry('a: { b: 1 }\n', ['a'], 'x', 1)).toThrow('a stands in one line')
  })
})

describe('npm run deprecate', () => {
  const since = '2026-11-21'
  const end = { id: 'getInventoryItem', since, sunset: '2031-01-01', successor: 'listInventory' }

  test('writes the ends of operations with all that the rules ask for', async () => {
    const kinds = ['getInventoryItem', 'deletePet', 'createPets', 'listOrders', 'updateOrder']
    const ids = kinds.filter(id => !model.operation(id)?.operation.deprecated)
    let written = text
    for (const id of ids) {
      const before = written
      written = withDeprecation(before, model, { id, since, sunset: '2031-01-01', successor: 'getUsage' })
      const more = written.split('\n').length - before.split('\n').length
      expect(added(before, written), id).toHaveLength(more)
    }
    const ended = await modelFrom(parse(written))
    for (const id of ids)
      expect(ended.operation(id)?.operation, id).toMatchObject({
        deprecated: true,
        'x-deprecated-at': since,
        'x-successor': 'getUsage',
      })
    expect(await faultsOf(written)).toBe('')
  })

  test('moves the end of an operation that is deprecated already, and nothing else', () => {
    const written = withDeprecation(text, model, { id: 'getPet', since, sunset: '2031-06-01' })
    expect(written).toBe(text.replace('x-deprecated-sunset: 2030-12-05', 'x-deprecated-sunset: 2031-06-01'))
  })

  test.each([
    ['an unknown operation', { ...end, id: 'nope' }, /no operation nope/],
    ['too short a notice', { ...end, sunset: '2027-01-01' }, /is stable: from 2026-11-21 it has 180 days/],
    ['an unknown successor', { ...end, successor: 'nope' }, /no operation nope/],
    ['itself as successor', { ...end, successor: 'getInventoryItem' }, /can’t replace itself/],
    ['a successor that ends too', { ...end, successor: 'getPet' }, /getPet is deprecated itself/],
    ['the end of a successor', { ...end, id: 'listPets' }, /getPet is replaced by listPets/],
  ])('refuses %s', (_, deprecation, why) => {
    expect(() => withDeprecation(text, model, deprecation)).toThrow(why)
  })
})
