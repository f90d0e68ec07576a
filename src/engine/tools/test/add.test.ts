import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Model } from 'spec-served-document/model'
import { formatFaults } from 'spec-served-document/reading/fault'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { constraintFor } from '../add/columns.ts'
import { withDeprecation } from '../add/deprecation.ts'
import { documentWith } from '../add/document.ts'
import { planOperation, type Wish } from '../add/plan.ts'
import { resourceOf } from '../add/resource.ts'
import { writeTestStub } from '../add/test-stub.ts'
import { checkRules } from '../generate/rewrite.ts'
import { withLimits } from '../init/limits.ts'
import { checkDocument } from '../lint/lint.ts'
import { withEntry, withValue } from '../lint/written.ts'

const text = await readFile('spec/openapi.yaml', 'utf8')
const lending = await readFile('src/engine/lab/support/lending.yaml', 'utf8')
const model = await ownModel()
const directory = sharedDirectory()

const modelOfText = async (source: string) => modelFrom(parse(source))

/** Returns the faults that the lint finds in a text. */
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

describe('the stub of a test', () => {
  const birthdays = { method: 'GET', path: '/pets/birthdays', summary: "List an animal's birthdays" }
  const line = `test.todo('GET /pets/birthdays: List an animal\\'s birthdays')`
  const project = async (name: string, packageJson: object, files: Record<string, string> = {}) => {
    const root = join(directory, name)
    await mkdir(join(root, 'test'), { recursive: true })
    await writeFile(join(root, 'package.json'), JSON.stringify(packageJson))
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), content)
    }
    return root
  }

  test('add writes a test that is still to be written, for the runner of the project', async () => {
    const plain = await project('plain', {})
    expect(await writeTestStub(birthdays, 'animals.ts', plain)).toBe('test/animals.test.ts')
    const written = await readFile(join(plain, 'test/animals.test.ts'), 'utf8')
    expect(written).toBe(`import { test } from 'node:test'\n\n${line}\n`)
    const run = promisify(execFile)(process.execPath, ['--test', 'test/animals.test.ts'], { cwd: plain })
    expect((await run).stdout).toMatch(/todo 1/)
    const vitest = await project('vitest', { devDependencies: { vitest: '5' } })
    await writeTestStub(birthdays, 'animals.ts', vitest)
    expect(await readFile(join(vitest, 'test/animals.test.ts'), 'utf8')).toContain(`from 'vitest'`)
  })

  test('add writes it behind the tests that are there, once', async () => {
    const there = `import { expect, test } from 'vitest'\n\ntest('one', () => expect(1).toBe(1))\n`
    const root = await project('there', {}, { 'test/operations/animals.test.ts': there })
    for (const _ of [1, 2])
      expect(await writeTestStub(birthdays, 'animals.ts', root)).toBe('test/operations/animals.test.ts')
    expect(await readFile(join(root, 'test/operations/animals.test.ts'), 'utf8')).toBe(`${there}\n${line}\n`)
  })
})

describe('npm run add', () => {
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

  test.each(operations)('npm run add keeps every rule: %s %s', (method, path, wish, id) => {
    expect(plan(method, path, wish).id).toBe(id)
  })

  test('npm run add puts each part beside those before it, and leaves all else byte for byte', async () => {
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

  test('npm run add writes an operation beside those at its path, with what is known of their record', async () => {
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
})

describe('refusals of npm run add', () => {
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
  ])('npm run add refuses %s', (_, method, path, wish, why) => {
    expect(() => plan(method, path, wish)).toThrow(why)
  })
})

describe('npm run add -- --resource', () => {
  const withSchema = (properties: object) =>
    withEntry(text, ['components', 'schemas'], 'NewToy', {
      type: 'object',
      description: 'A toy.',
      properties,
    })

  test.each([
    ['Toy', text, 'Write the schema NewToy first'],
    ['Pet', text, 'The document has a schema Pet already'],
    ['toy', text, 'toy is no name of a schema, as Supplier'],
    ['Toy', withSchema({ parts: { type: 'array', items: { type: 'string' } } }), 'NewToy.parts may be array'],
    ['Toy', withSchema({ note: { type: 'string', nullable: true } }), 'NewToy.note may be null'],
  ])('npm run add -- --resource of %s is refused: %#', async (name, document, why) => {
    const known = await modelOfText(document)
    expect(() => resourceOf(known, name)).toThrow(why)
  })
})

describe('a text that is about to be written', () => {
  const unused = withEntry(text, ['components', 'schemas'], 'Toy', { type: 'string', description: 'A toy.' })

  test('a new text is held to the rules as spec/openapi.yaml, and its faults name that file', async () => {
    const wrong = unused.replace(/ +operationId: listPets\n/, '')
    await expect(checkRules(wrong)).rejects.toThrow(
      /^(spec\/openapi\.yaml:\d+:\d+ .*\n)+Nothing was written\.$/,
    )
  })

  test('a new text may have a schema that nothing refers to yet', async () => {
    expect(await faultsOf(unused)).toContain('no-unused-components')
    await checkRules(unused)
  })
})

describe('a text that is written into', () => {
  const sample = '# begins\nb: 2 # two\na:\n  # deep\n  y: |\n    text\n\n# ends\n'

  test('a text keeps its comments, its order and its form when an entry is added', () => {
    expect(withEntry(sample, [], 'c', { tags: ['x'] }, { after: 'b' })).toBe(
      sample.replace('# two\n', '# two\nc:\n  tags: [x]\n'),
    )
    expect(withEntry(sample, ['a'], 'x', 1, { before: 'y' })).toBe(sample.replace('  y:', '  x: 1\n  y:'))
    expect(withEntry(sample, ['a'], 'z', 1)).toContain('    text\n')
  })

  test('a text gets the map that it lacks, and a map of one line is spread over several', () => {
    expect(withEntry(sample, ['c', 'd'], 'x', 1)).toBe(sample.replace('text\n', 'text\nc:\n  d:\n    x: 1\n'))
    expect(withEntry('a: { b: 1, d: 2 } # why\nz: 1', ['a'], 'c', 1, { before: 'd' })).toBe(
      'a: # why\n  b: 1\n  c: 1\n  d: 2\nz: 1',
    )
    expect(withEntry('{"a":{"b":1}}', ['a'], 'c', 1)).toBe('{\n  "a": {\n    "b": 1,\n    "c": 1\n  }\n}\n')
    expect(withValue(sample, [], 'b', 3)).toBe(sample.replace('b: 2 # two', 'b: 3 # two'))
  })

  test('an entry is found by what its keys are called, as numbers or as texts', () => {
    expect(withEntry('200:\n  a: 1\n', ['200'], 'b', 2)).toBe('200:\n  a: 1\n  b: 2\n')
  })

  test('an entry is refused where a reference or an alias leads elsewhere', () => {
    const elsewhere = 'a: { $ref: "x.yaml" }\nb: &b { c: 1 }\nd: *b\n'
    expect(() => withEntry(elsewhere, ['a'], 'x', 1)).toThrow('a is written elsewhere (x.yaml)')
    expect(() => withEntry(elsewhere, ['d'], 'x', 1)).toThrow('d is written elsewhere (*b)')
  })
})

describe('a document of another project', async () => {
  const documents: Record<string, string> = {
    'without limits': lending,
    'with limits': (await withLimits(lending, 'lending.yaml')).text,
    'with statuses as numbers': lending.replaceAll(/'(\d{3})'/g, '$1'),
    'of JSON': JSON.stringify(parse(lending)),
  }

  test.each(Object.keys(documents))('%s gets operations and their ends, in its own way', async name => {
    const before = documents[name] ?? ''
    const known = await modelOfText(before)
    const wish = { tag: 'Books', reply: 'Book', id: 'getBook' }
    const extended = documentWith(before, known, planIn(known, 'GET', '/books/{book}', wish))
    const end = { since: '2026-11-27', sunset: '2031-01-01' }
    const first = withDeprecation(extended, await modelOfText(extended), { id: 'addBook', ...end })
    const second = withDeprecation(first, await modelOfText(first), { id: 'getBook', ...end })
    const file = join(directory, 'other.yaml')
    await writeFile(file, second)
    expect(formatFaults(await checkDocument(file, 'limits'))).toBe('')

    const { document, operation } = await modelOfText(second)
    expect(operation('getBook')?.responses.get('404')?.description).toBe('There is no such record.')
    for (const id of ['addBook', 'getBook'])
      expect(operation(id)?.operation).toMatchObject({
        deprecated: true,
        responses: { 410: { $ref: '#/components/responses/Gone' } },
      })
    expect(Object.keys(operation('getBook')?.responses.get('200')?.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
    )
    const isLimited = 'x-rate-limits' in document
    const ofLimits = {
      'x-codes': ['operation_sunset'],
      headers: { 'X-RateLimit-Limit': expect.anything() },
    }
    if (isLimited) expect(document.components?.responses?.Gone).toMatchObject(ofLimits)
    else expect(second).not.toMatch(/RateLimit|x-required-scope/)
  })
})

describe('npx spec-served deprecate', () => {
  const since = '2026-11-21'
  const end = { id: 'getInventoryItem', since, sunset: '2031-01-01', successor: 'listInventory' }

  test('npx spec-served deprecate writes the ends of operations with all that the rules ask for', async () => {
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

  test('npx spec-served deprecate only moves the end of an operation that is deprecated already', () => {
    const written = withDeprecation(text, model, { id: 'getPet', since, sunset: '2031-06-01' })
    expect(written).toBe(text.replace('x-deprecated-sunset: 2030-12-05', 'x-deprecated-sunset: 2031-06-01'))
  })

  test.each([
    ['an unknown operation', { ...end, id: 'nope' }, /no operation nope/],
    ['a misspelt operation', { ...end, id: 'getInventoryItm' }, /: did you mean getInventoryItem\?$/],
    ['a misspelt successor', { ...end, successor: 'listInventry' }, /: did you mean listInventory\?$/],
    [
      'too short a notice',
      { ...end, sunset: '2027-01-01' },
      /is stable, and clients have 180 days from 2026-11-21: --sunset 2027-05-20 or later$/,
    ],
    ['an unknown successor', { ...end, successor: 'nope' }, /no operation nope/],
    ['itself as successor', { ...end, successor: 'getInventoryItem' }, /can’t replace itself/],
    ['a successor that ends too', { ...end, successor: 'getPet' }, /getPet is deprecated itself/],
    ['the end of a successor', { ...end, id: 'listPets' }, /getPet is replaced by listPets/],
  ])('npx spec-served deprecate refuses %s', (_, deprecation, why) => {
    expect(() => withDeprecation(text, model, deprecation)).toThrow(why)
  })
})

test('a column has no bound that a double rounds to a number beyond 64 bits', () => {
  const whole = { type: 'integer', format: 'int64' } as const
  expect(constraintFor('counters', 'value', { ...whole, minimum: -(2 ** 63), maximum: 2 ** 63 })).toBe('')
  const half = constraintFor('counters', 'value', { ...whole, minimum: 0, maximum: 2 ** 63 })
  expect(half).toBe('constraint counters_value_fits check (value >= 0)')
})
