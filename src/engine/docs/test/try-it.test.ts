import type { Page, Request } from 'playwright-core'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { modelFrom } from 'spec-served-lab/support/model'
import type { operations } from 'spec-served-lab/support/petstore'
import { startPrefixProxy } from 'spec-served-lab/support/prefix-proxy'
import { expect, onTestFinished, test } from 'vitest'
import {
  authorize,
  block,
  docs,
  execute,
  fieldOf,
  forgiveRefusals,
  open,
  pictures,
  server,
  showDocument,
  useDocs,
} from './support.ts'

useDocs()

type OperationId = keyof typeof operations

const fields = (page: Page, id: OperationId) =>
  block(page, id)
    .locator('.parameters :is(input, select)')
    .evaluateAll(found =>
      found.map(control => [control.getAttribute('aria-label'), control.value] as [string | null, string]),
    )

const press = (page: Page, id: OperationId) =>
  block(page, id).getByRole('button', { name: 'Execute' }).click()

/** Presses Execute; the request that is sent. */
async function send(page: Page, id: OperationId): Promise<Request> {
  // The page itself reads the caller's limits, and its own files.
  const isOfForm = (url: string) => !/^\/(usage|docs|openapi)\b/.test(new URL(url).pathname)
  const sent = page.waitForRequest(one => one.resourceType() === 'fetch' && isOfForm(one.url()))
  await press(page, id)
  const request = await sent
  await (await request.response())?.finished()
  return request
}

test('a form holds no example as a value, but where something is read and needs it', async () => {
  const page = await docs()
  const tried = ['listPets', 'getPet', 'replacePet', 'updatePet', 'rotateApiKey', 'updateApiKey'] as const
  for (const id of tried) {
    await open(page, id)
    const filled = (await fields(page, id)).filter(([name, value]) => value && name !== 'Idempotency-Key')
    expect(filled, id).toEqual(id === 'getPet' ? [['petId', '1']] : [])
  }
  const placeholder = (id: OperationId, name: string) => fieldOf(page, id, name).getAttribute('placeholder')
  expect(await placeholder('replacePet', 'petId')).toBe('1')
  expect(await placeholder('replacePet', 'If-Match')).toBe('"3-c41d5f0c1a9e"')
  expect(await placeholder('listPets', 'limit')).toBe('20')
})

test('an unedited form asks for everything and is answered', async () => {
  const page = await docs()
  await authorize(page)
  await open(page, 'listPets')
  const request = await send(page, 'listPets')
  expect(request.url()).toBe(`${server.url}/pets`)
  expect((await request.response())?.status()).toBe(200)
})

test('each execution of a POST has a key of its own, which can be seen and edited', async () => {
  const page = await docs()
  await authorize(page)
  await open(page, 'createPet')
  const field = fieldOf(page, 'createPet', 'Idempotency-Key')
  const keys = new Set<string>()
  for (let i = 0; i < 3; i++) {
    const shown = await field.inputValue()
    expect(shown).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    const request = await send(page, 'createPet')
    expect(request.headers()['idempotency-key']).toBe(shown)
    expect((await request.response())?.headers()).not.toHaveProperty('idempotent-replayed')
    keys.add(shown)
    await expect.poll(() => field.inputValue()).not.toBe(shown)
  }
  expect(keys.size).toBe(3)

  const [first = ''] = keys
  await field.fill(first)
  await page.waitForTimeout(500) // the field is read when nothing was typed for a moment
  const again = await send(page, 'createPet')
  expect((await again.response())?.headers()['idempotent-replayed']).toBe('true')

  await expect.poll(() => field.inputValue()).not.toBe(first)
  await field.fill('')
  await page.waitForTimeout(500)
  expect((await send(page, 'createPet')).headers()).not.toHaveProperty('idempotency-key')
  expect(await field.inputValue()).toBe('')
})

test('what removes or changes access asks first, each time; nothing is sent without a yes', async () => {
  const page = await docs()
  const sent: string[] = []
  page.on('request', request => {
    // The page's requests about a given key cost nothing, nor do its requests about itself.
    if (request.resourceType() === 'fetch' && !/\/usage$|\/docs\//.test(request.url()))
      sent.push(`${request.method()} ${request.url()}`)
  })
  await authorize(page)
  await open(page, 'createPet')
  const created = await (await (await send(page, 'createPet')).response())?.json()
  await open(page, 'deletePet')
  await press(page, 'deletePet')
  const question = page.getByRole('dialog', { name: 'Send this request?' })
  // The form tells what is missing before the page asks anything.
  expect(await question.count()).toBe(0)
  await fieldOf(page, 'deletePet', 'petId').fill(String(created.id))
  await page.waitForTimeout(500)

  await press(page, 'deletePet')
  expect(await question.textContent()).toContain(`DELETE /pets/${created.id}`)
  await page.screenshot({ path: `${pictures}/question.png` })
  await page.keyboard.press('Escape')
  await press(page, 'deletePet')
  await question.getByRole('button', { name: 'Don’t send' }).click()
  expect(await question.count()).toBe(0)
  expect(sent).toEqual([`POST ${server.url}/pets`])

  await press(page, 'deletePet')
  await question.getByRole('button', { name: 'Send', exact: true }).click()
  await block(page, 'deletePet').locator('.answer').waitFor()
  expect(sent.slice(1)).toEqual([`DELETE ${server.url}/pets/${created.id}`])

  await open(page, 'createApiKey')
  await press(page, 'createApiKey')
  expect(await question.textContent()).toContain('POST /api-keys')
  await page.keyboard.press('Escape')
  expect(sent.length).toBe(2)
})

test('all this holds for any document', async () => {
  const parameter = (name: string, place: string, more: object) => ({ name, in: place, ...more })
  const document = {
    openapi: '3.0.3',
    info: { title: 'Elsewhere', version: '1' },
    paths: {
      '/things/{kind}': {
        put: {
          operationId: 'putThing',
          parameters: [
            parameter('kind', 'path', { required: true, schema: { type: 'string', enum: ['a', 'b'] } }),
            parameter('several', 'query', {
              schema: { type: 'string' },
              examples: { one: { value: 'x' }, two: { value: 'y' } },
            }),
            parameter('filter', 'query', {
              style: 'deepObject',
              schema: { type: 'object', properties: { a: { type: 'string', example: 'q' } } },
            }),
            parameter('content', 'query', {
              content: { 'application/json': { schema: { type: 'string', default: 'z' }, example: 'z' } },
            }),
            parameter('list', 'query', {
              schema: { type: 'array', items: { type: 'integer' }, default: [3], maxItems: 4 },
            }),
            parameter('either', 'query', {
              schema: { oneOf: [{ type: 'integer', example: 5, maximum: 9 }] },
            }),
            parameter('idempotency-key', 'header', { schema: { type: 'string' } }),
          ],
          responses: { default: { description: 'Something.' } },
        },
      },
    },
  }
  const page = await showDocument(document)
  const operation = page.locator('.opblock')
  await operation.locator('.replies').waitFor()
  const values = await operation
    .locator('.parameters :is(input, select, textarea)')
    .evaluateAll(found => found.map(control => [control.getAttribute('aria-label'), control.value]))
  expect(values.filter(([, value]) => value)).toEqual([
    ['idempotency-key', expect.stringMatching(/^[\da-f-]{36}$/)],
  ])
  expect(await operation.locator('.bounds').allTextContents()).toEqual([
    'one of a, b',
    'default "z"',
    'at most 4 items; default 3',
    'at most 9',
  ])
})

/** Serves mocks of a document of 3.1, and opens their page. */
async function mocked(paths: object): Promise<Page> {
  const model = await modelFrom({ openapi: '3.1.0', info: { title: 'Forms', version: '1' }, paths })
  const app = await serveMocks('', model, { isOurs: false })
  onTestFinished(() => app.close())
  return docs({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) })
}

test('the page works behind a prefix that a proxy takes away, even if the service does not know it', async () => {
  const get = { operationId: 'getThing', responses: { 204: { description: 'A thing' } } }
  const model = await modelFrom({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/thing': { get } },
  })
  const app = await serveMocks('', model, { isOurs: false })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const proxy = await startPrefixProxy(port, '/service', false)
  onTestFinished(async () => {
    proxy.close()
    await app.close()
  })
  const page = await docs({ origin: proxy.origin, path: '/service/docs' })
  forgiveRefusals() // the address of the preload, which the proxy does not know
  await open(page, 'getThing')
  await execute(page, 'getThing')
  expect(await block(page, 'getThing').locator('.answer').textContent()).toContain('204')
  expect(await block(page, 'getThing').locator('pre').first().textContent()).toContain(`${proxy.url}/thing`)
})

const list = (items: object) => ({ type: 'array', items })
const thing = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
test.each(['multipart/form-data', 'application/x-www-form-urlencoded'])(
  'the server takes a form as %s with lists, objects and constants, as the page fills it in',
  async type => {
    const properties = {
      things: list(thing),
      numbers: { ...list({ type: 'integer' }), minItems: 2 },
      words: list({ type: 'string' }),
      thing,
      kind: { const: 'fixed' },
      mode: { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] },
    }
    const schema = { type: 'object', required: Object.keys(properties), properties }
    const post = {
      operationId: 'addThings',
      requestBody: { content: { [type]: { schema } } },
      responses: { 204: { description: 'Added' } },
    }
    const page = await mocked({ '/things': { post } })
    await open(page, 'addThings')
    await execute(page, 'addThings')
    expect(await block(page, 'addThings').locator('.answer').textContent()).toContain('204')
  },
)

test('a form has a field for each file of a list', async () => {
  const bytes = { type: 'string', contentMediaType: 'application/octet-stream' }
  const schema = {
    type: 'object',
    required: ['files', 'photo'],
    properties: { files: list(bytes), photo: bytes },
  }
  const post = {
    operationId: 'addFiles',
    requestBody: { content: { 'multipart/form-data': { schema } } },
    responses: { 204: { description: 'Added' } },
  }
  const page = await mocked({ '/files': { post } })
  await open(page, 'addFiles')
  expect(await block(page, 'addFiles').locator('pre').first().textContent()).toMatch(/-F '?files=@/)
  const choosers = block(page, 'addFiles').locator('input[type=file]')
  await choosers.first().waitFor()
  expect(await choosers.count()).toBe(2)
  for (const at of [0, 1])
    await choosers.nth(at).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') })
  await execute(page, 'addFiles')
  expect(await block(page, 'addFiles').locator('.answer').textContent()).toContain('204')
})

test('constants, tuples and names by pattern are shown', async () => {
  const alternatives = [
    { const: 'a', title: 'First', description: 'the first' },
    { const: 'b', title: 'Second', description: 'the second' },
  ]
  const schema = {
    type: 'object',
    properties: {
      version: { const: 3 },
      pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
      labels: { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
      state: { oneOf: alternatives },
    },
  }
  const get = {
    operationId: 'listThings',
    parameters: [
      { name: 'kind', in: 'query', schema: { oneOf: alternatives } },
      { name: 'mode', in: 'query', schema: { const: 'fixed' } },
    ],
    responses: { 200: { description: 'Things', content: { 'application/json': { schema } } } },
  }
  const page = await mocked({ '/things': { get } })
  await open(page, 'listThings')
  const operation = block(page, 'listThings')
  const options = (name: string) => operation.locator(`[data-param-name=${name}] option`).allTextContents()
  expect(await options('kind')).toEqual(['any', 'a', 'b'])
  expect(await options('mode')).toEqual(['any', 'fixed'])
  expect(await operation.locator('[data-param-name=kind]').textContent()).toContain('First: the first')
  for (const more of await operation.locator('.replies .more-fields button').all()) await more.click()
  const shown = await operation.locator('.replies .reply').textContent()
  for (const part of ['always 3', 'list: integer, string', 'names of the form ^x-', 'Second: the second'])
    expect(shown).toContain(part)
})

test('what changes access begins with no body that does so', async () => {
  const page = await docs()
  await open(page, 'updateApiKey')
  expect(await block(page, 'updateApiKey').locator('textarea').inputValue()).toBe('{}')
  await open(page, 'createPet')
  expect(await block(page, 'createPet').locator('textarea').inputValue()).toContain('Rex')
})

test('JSON that is broken is named while it is typed, with the place, and nothing else is', async () => {
  const page = await docs()
  await open(page, 'createPet')
  const body = fieldOf(page, 'createPet', 'Request body')
  const fault = block(page, 'createPet').locator('.field-fault')
  expect(await fault.textContent()).toBe('')
  await body.fill('{\n  "name": "Rex"\n  "categoryId": 1\n}')
  expect(await fault.textContent()).toMatch(/^This is no JSON: .*line 3 column 3/)
  expect(await body.getAttribute('aria-invalid')).toBe('true')
  expect(await body.getAttribute('aria-describedby')).toBe(await fault.getAttribute('id'))
  await body.fill('{ "name": "Rex" }')
  expect(await fault.textContent()).toBe('')
  expect(await body.getAttribute('aria-invalid')).toBe('false')
})

test('the reply has its header fields as they were sent, those on limits together, and its text in its box', async () => {
  const page = await docs()
  await authorize(page)
  const long = 'x'.repeat(300)
  const sent = {
    Date: 'Fri, 27 Nov 2026 06:37:43 GMT',
    'X-RateLimit-Limit': '60',
    Vary: 'Origin, Accept',
    RateLimit: '"a";r=1, "b";r=2',
  }
  await page.route('**/categories', route => route.fulfill({ json: [{ id: 1, name: long }], headers: sent }))
  await open(page, 'listCategories')
  await execute(page, 'listCategories')
  const answer = block(page, 'listCategories').locator('.answer')
  const groups = await answer
    .locator('.header-fields tbody')
    .evaluateAll(bodies =>
      bodies.map(body =>
        [...body.querySelectorAll('tr')].map(row => [...row.cells].map(cell => cell.textContent)),
      ),
    )
  expect(groups[0]).toContainEqual(['date', sent.Date])
  expect(groups[0]).toContainEqual(['vary', sent.Vary])
  expect(groups[1]).toEqual([
    ['ratelimit', sent.RateLimit],
    ['x-ratelimit-limit', '60'],
  ])
  // All code on the page fits its box, and no button covers any.
  const misfits = await page.evaluate(
    `[...document.querySelectorAll('pre')].filter(code => code.scrollWidth > code.clientWidth).length`,
  )
  expect(misfits).toBe(0)
  const covered = await answer.locator('.code').evaluate(code => {
    const [text, ...buttons] = [code.querySelector('pre'), ...code.querySelectorAll('button')].map(part =>
      part?.getBoundingClientRect(),
    )
    return buttons.filter(button => (button?.bottom ?? 0) > (text?.top ?? 0)).length
  })
  expect(covered).toBe(0)
  expect(await answer.getByRole('button').allTextContents()).toEqual(['Download', 'Copy'])
})

test('the body of a reply comes first, its header fields are folded, and it says when the form has another request', async () => {
  const page = await docs()
  await authorize(page)
  await open(page, 'listPets')
  await execute(page, 'listPets')
  const answer = block(page, 'listPets').locator('.answer')
  const [body, url, headers] = await Promise.all(
    ['pre', '.request-url', 'details'].map(async part => (await answer.locator(part).boundingBox())?.y ?? 0),
  )
  expect(body).toBeLessThan(url ?? 0)
  expect(url).toBeLessThan(headers ?? 0)
  expect(await answer.locator('.header-fields').isVisible()).toBe(false)
  await answer.getByText(/^\d+ header fields$/).click()
  expect(await answer.locator('.header-fields').isVisible()).toBe(true)
  const earlier = answer.getByText('This is the reply to the earlier request.')
  expect(await earlier.count()).toBe(0)
  await fieldOf(page, 'listPets', 'name').fill('Re')
  await earlier.waitFor()
  await fieldOf(page, 'listPets', 'name').fill('')
  await earlier.waitFor({ state: 'detached' })
  await fieldOf(page, 'listPets', 'status').selectOption('sold')
  await earlier.waitFor()
  await press(page, 'listPets')
  await earlier.waitFor({ state: 'detached' })
})

test('the next key of a repeated POST makes its reply no earlier one', async () => {
  const page = await docs()
  await authorize(page)
  await open(page, 'createPet')
  const shown = await fieldOf(page, 'createPet', 'Idempotency-Key').inputValue()
  await execute(page, 'createPet')
  await expect.poll(() => fieldOf(page, 'createPet', 'Idempotency-Key').inputValue()).not.toBe(shown)
  const answer = block(page, 'createPet').locator('.answer')
  expect(await answer.locator('.earlier').count()).toBe(0)
  await fieldOf(page, 'createPet', 'Request body').fill('{ "name": "Mia", "categoryId": 1 }')
  await answer.locator('.earlier').waitFor()
})

test('a body has a form beside its text: each follows the other', async () => {
  const page = await docs()
  await open(page, 'createPet')
  const text = fieldOf(page, 'createPet', 'Request body')
  const value = async () => JSON.parse(await text.inputValue())
  const input = (name: string) => fieldOf(page, 'createPet', `${name} in the body`)
  expect(await input('name').inputValue()).toBe('Rex')
  await input('name').fill('Mia')
  await expect.poll(value).toEqual({ name: 'Mia', categoryId: 1 })
  await input('categoryId').fill('12')
  await input('status').selectOption('sold')
  await expect.poll(value).toEqual({ name: 'Mia', categoryId: 12, status: 'sold' })
  await input('status').selectOption('not sent')
  await input('name').fill('')
  await expect.poll(value).toEqual({ categoryId: 12 })
  await text.fill('{ "name": "Ida", "categoryId": 3 }')
  await expect.poll(() => input('name').inputValue()).toBe('Ida')
  // A form would change these numbers, or can't read the text, so it leaves them alone.
  for (const broken of ['{ "name": ', '{ "name": "Ida", "categoryId": 9007199254740993 }', '[1]']) {
    await text.fill(broken)
    await expect.poll(() => input('name').isDisabled(), { message: broken }).toBe(true)
    expect(await text.inputValue()).toBe(broken)
  }
})

test('the form for a body has an input for each kind of field, nested ones too', async () => {
  const properties = {
    name: { type: ['string', 'null'] },
    count: { type: 'number' },
    isOpen: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    days: { type: 'array', items: { type: 'string', enum: ['sat', 'sun'] } },
    kind: { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] },
    owner: { type: 'object', properties: { city: { type: 'string' } } },
    made: { type: 'string', readOnly: true },
  }
  const content = { 'application/json': { schema: { type: 'object', properties }, example: {} } }
  const post = {
    operationId: 'addShop',
    requestBody: { content },
    responses: { 204: { description: 'Added' } },
  }
  const page = await mocked({ '/shops': { post } })
  await open(page, 'addShop')
  const input = (name: string) => block(page, 'addShop').getByLabel(`${name} in the body`)
  await input('name').fill('Corner')
  await input('count').fill('1.5')
  await input('isOpen').selectOption('false')
  await input('tags').fill('["a", "b"]')
  await input('days').getByLabel('sun').check()
  await input('kind').selectOption('b')
  await block(page, 'addShop').locator('.model-example .more-fields button').click()
  await input('owner / city').fill('Bern')
  const text = fieldOf(page, 'addShop', 'Request body')
  await expect
    .poll(async () => JSON.parse(await text.inputValue()))
    .toEqual({
      name: 'Corner',
      count: 1.5,
      isOpen: false,
      tags: ['a', 'b'],
      days: ['sun'],
      kind: 'b',
      owner: { city: 'Bern' },
    })
  expect(await input('made').count()).toBe(0)
  await execute(page, 'addShop')
  expect(await block(page, 'addShop').locator('.answer').textContent()).toContain('204')
})

const file = { type: 'string', contentMediaType: 'application/octet-stream' }
const note = { type: 'string', example: 'n' }
test.each([
  ['of one file', 'multipart/form-data', { type: 'object', properties: { file } }, /-F 'file=@FILE'$/],
  [
    'of a file that is needed, and a note',
    'multipart/form-data',
    { type: 'object', required: ['file', 'note'], properties: { file, note } },
    /--form-string 'note=n' \\\n {2}-F 'file=@FILE'$/,
  ],
  ['of bytes', 'application/octet-stream', file, /--data-binary '@FILE'$/],
  ['of an image', 'image/png', {}, /--data-binary '@FILE'$/],
])('the sample of an upload %s is an upload before a file is chosen', async (_, type, schema, sample) => {
  const post = {
    operationId: 'upload',
    requestBody: { required: true, content: { [type]: { schema } } },
    responses: { 204: { description: 'Taken' } },
  }
  const page = await mocked({ '/files': { post } })
  await open(page, 'upload')
  const code = block(page, 'upload').locator('.samples pre')
  await block(page, 'upload').locator('input[type=file]').waitFor()
  expect(await code.textContent()).toMatch(sample)
  expect(await code.textContent()).not.toMatch(/-X GET/)
  for (const language of ['JavaScript', 'TypeScript', 'Python', 'Go']) {
    await block(page, 'upload').getByRole('tab', { name: language, exact: true }).click()
    expect(await code.textContent(), language).toMatch(/FILE/)
    expect(await code.textContent(), language).toMatch(/POST|requests\.post/)
  }
  await block(page, 'upload').getByRole('tab', { name: 'curl' }).click()
  const chosen = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') }
  await block(page, 'upload').locator('input[type=file]').setInputFiles(chosen)
  await expect.poll(() => code.textContent()).toContain('@a.png')
  await execute(page, 'upload')
  expect(await block(page, 'upload').locator('.answer').textContent()).toContain('204')
})

test('a request without a reply says why, and what to do: offline, or a service that can’t be reached', async () => {
  const page = await docs()
  await open(page, 'getHealth')
  await page.route('**/health', route => route.abort('connectionrefused'))
  await execute(page, 'getHealth')
  const text = block(page, 'getHealth').locator('.answer .refusal')
  expect(await text.innerText()).toBe(
    'There is no reply (Failed to fetch): see whether the service runs, and send it again.',
  )
  await page.context().setOffline(true)
  await execute(page, 'getHealth')
  await text.getByText('this computer is offline. Send it again once it is online.').waitFor()
  forgiveRefusals()
})
