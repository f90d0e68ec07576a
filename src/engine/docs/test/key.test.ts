import { keyForm } from 'spec-served/internal/callers/api-key'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'
import {
  block,
  docs,
  execute,
  forgiveRefusals,
  key,
  open,
  pictures,
  server,
  showDocument,
  useDocs,
} from './support.ts'

useDocs()

const form = keyForm('petstore')

test('a first call stands at the top: the field for the key, a line of curl, and its reply', async () => {
  const page = await docs()
  const first = page.getByRole('region', { name: 'Your first call' })
  await first.waitFor()
  const order = await page.evaluate<boolean>(`(() => {
    const [call, guide, reference] = ['.first-call', '.guide', '.tag-tree'].map(name => document.querySelector(name))
    const isBefore = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
    return isBefore(call, guide) && isBefore(guide, reference)
  })()`)
  expect(order).toBe(true)
  const code = first.locator('pre').first()
  expect(await code.textContent()).toBe(`curl '${server.url}/pets' \\\n  -H 'X-API-Key: YOUR_API_KEY'`)
  // Before the call, the reply is the example of the document.
  expect(await first.locator('pre').last().textContent()).toContain('"Rex"')
  await first.getByLabel('Your API key').fill(key)
  await first.getByRole('button', { name: 'Use this key' }).click()
  await first.getByText('read, write, admin').waitFor()
  expect(await code.textContent()).toContain('pet_live_••••••••')
  const sent = page.waitForRequest(request => request.url() === `${server.url}/pets`)
  await first.getByRole('button', { name: 'Send this call' }).click()
  expect((await sent).headers()['x-api-key']).toBe(key)
  await first.locator('.answer .status-2').waitFor()
  expect(JSON.parse((await first.locator('.answer pre').textContent()) ?? '').length).toBeGreaterThan(1)
  expect(await page.locator('.quota').textContent()).toMatch(/left, resets/)
  await page.screenshot({ path: `${pictures}/first-call.png` })
  await first.getByRole('button', { name: 'Forget it' }).click()
  expect(await first.locator('.answer').count()).toBe(0)
})

const list = (operationId: string, more: object = {}) => ({
  get: {
    operationId,
    responses: { 200: { description: 'All', content: { 'application/json': { example: [1] } } } },
    ...more,
  },
})
test.each([
  ['3.0.3', {}, undefined],
  ['3.1.0', { bearer: { type: 'http', scheme: 'bearer' } }, 'Your token'],
  ['3.2.0', { basic: { type: 'http', scheme: 'basic' } }, undefined],
])(
  'the first call fits a document of %s with its own credentials, or none',
  async (openapi, schemes, label) => {
    const security = Object.keys(schemes).map(name => ({ [name]: [] }))
    const page = await showDocument({
      openapi,
      info: { title: 'Elsewhere', version: '1' },
      ...(security.length > 0 && { security }),
      components: { securitySchemes: schemes },
      paths: {
        '/things/{id}': list('getThing', {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        }),
        '/old': list('listOld', { deprecated: true }),
        '/state': list('getState', { security: [] }),
        '/things': list('listThings'),
      },
    })
    const first = page.getByRole('region', { name: 'Your first call' })
    const path = security.length > 0 ? '/things' : '/state'
    expect(await first.locator('pre').first().textContent()).toContain(`${server.url}${path}'`)
    expect(await first.locator('input').count()).toBe(label ? 1 : 0)
    if (label) expect(await first.getByLabel(label).count()).toBe(1)
    expect(await page.locator('.authorize').count()).toBe(security.length > 0 ? 1 : 0)
  },
)

test('a document that nothing can be read from has no first call, and works', async () => {
  const responses = { 204: { description: 'Done' } }
  const model = await modelFrom({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/things': { post: { operationId: 'addThing', responses } } },
  })
  const app = await serveMocks('', model, { isOurs: false })
  onTestFinished(() => app.close())
  const page = await docs({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) })
  expect(await page.locator('.first-call').count()).toBe(0)
  expect(await page.locator('.navigation a[href="#first-call"]').count()).toBe(0)
  await open(page, 'addThing')
})

test('a wrong key keeps its text, with its fault below; one with wrong check digits is not sent', async () => {
  const page = await docs()
  const asked: string[] = []
  page.on('request', request => {
    const sent = request.headers()['x-api-key']
    if (sent) asked.push(sent)
  })
  const first = page.getByRole('region', { name: 'Your first call' })
  const field = first.getByLabel('Your API key')
  const use = async (text: string) => {
    await field.fill(text)
    await first.getByRole('button', { name: 'Use this key' }).click()
  }
  const fault = first.locator('.field-fault')
  const [good, other] = [form.mint(), form.mint()]
  const wrongDigits = `${good.slice(0, -6)}${other.slice(-6)}`
  for (const [text, words] of [
    [wrongDigits, 'The check digits of the key do not fit'],
    [good.slice(0, -1), 'it has 35 characters after pet_live_, and 36 belong there'],
    ['my key', 'a key is pet_live_ followed by 36 letters and digits'],
  ] as const) {
    await use(text)
    await fault.getByText(words).waitFor()
    expect(await field.inputValue()).toBe(text)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  }
  expect(asked).toEqual([])
  expect(await page.locator('.scheme-container .authorize').innerText()).toBe('No key')

  await use(good) // which nobody has
  await fault.getByText(/^The key is refused: \S.*What to do$/).waitFor()
  expect(await field.inputValue()).toBe(good)
  expect(await page.locator('.scheme-container .authorize').innerText()).toBe('Wrong key')
  expect(asked).toContain(good)
  await page.screenshot({ path: `${pictures}/wrong-key.png` })
  // The fault is that of this text alone.
  await field.fill(`${good} `)
  expect(await fault.count()).toBe(0)
  await use(key)
  await first.getByText('read, write, admin').waitFor()
  expect(await page.locator('.scheme-container .authorize').innerText()).toBe('Your API key')
  forgiveRefusals()
})

test('a key that is pasted with what stands around it is the key', async () => {
  const page = await docs()
  const first = page.getByRole('region', { name: 'Your first call' })
  for (const text of [`"${key}"`, `Bearer ${key}`, `X-API-Key: ${key} `, `  '${key}',\n`]) {
    await first.getByLabel('Your API key').fill(text)
    await first.getByRole('button', { name: 'Use this key' }).click()
    await first.getByText('read, write, admin').waitFor()
    await first.getByRole('button', { name: 'Forget it' }).click()
  }
  const field = first.getByLabel('Your API key')
  await field.fill(`${key}-more`)
  await first.getByRole('button', { name: 'Use this key' }).click()
  await first.locator('.field-fault').getByText('This is no key').waitFor()
})

test('a lock is grey until a key is given, and names its state', async () => {
  const page = await docs()
  const [bar, row] = [
    page.locator('.scheme-container .authorize svg'),
    block(page, 'listPets').locator('.authorization__btn svg'),
  ]
  const greyness = (svg: typeof bar) =>
    svg.evaluate(found => {
      // @ts-expect-error because this runs in the browser, whose types the tests do not have
      const [red, green, blue] = getComputedStyle(found).fill.match(/\d+/g).map(Number)
      return Math.max(red, green, blue) - Math.min(red, green, blue)
    })
  const name = () => block(page, 'listPets').locator('.authorization__btn').getAttribute('aria-label')
  for (const svg of [bar, row]) expect(await greyness(svg)).toBeLessThan(40)
  expect(await name()).toBe('No key')
  const first = page.getByRole('region', { name: 'Your first call' })
  await first.getByLabel('Your API key').fill(key)
  await first.getByRole('button', { name: 'Use this key' }).click()
  await first.getByText('read, write, admin').waitFor()
  expect(await name()).toBe('Your key is sent')
  expect(await block(page, 'getHealth').locator('.authorization__btn').count()).toBe(0)
})

test('over the limit without a key, the reply says that a key has a quota of its own, and has the field for it', async () => {
  const page = await docs()
  const body = { code: 'rate_limited', message: 'Too many requests.', status: 429 }
  await page.route('**/categories', route => route.fulfill({ status: 429, json: body }))
  await open(page, 'listCategories')
  await execute(page, 'listCategories')
  const answer = block(page, 'listCategories').locator('.answer')
  const words = answer.getByText('A key has a quota of its own.')
  expect(await words.count()).toBe(1)
  await answer.getByLabel('Your API key').fill(key)
  await answer.getByRole('button', { name: 'Use this key' }).click()
  await words.waitFor({ state: 'detached' })
  forgiveRefusals()
})

test('a key is pasted once; what it may do and what is left is shown, or why it is refused', async () => {
  const page = await docs()
  await page.getByRole('link', { name: 'How to get one' }).first().click()
  const access = page.locator('.access')
  expect(await access.textContent()).toContain('data/api-key')
  expect(await access.textContent()).toContain('npm run keys -- create')
  const paste = async (text: string) => {
    await access.getByLabel('Your API key').fill(text)
    await access.getByRole('button', { name: 'Use this key' }).click()
  }
  await paste(` ${key} `)
  const state = access.locator('.key-state dl')
  await state.waitFor()
  const told = await state.locator('> div').allTextContents()
  expect(told).toEqual([
    'PlanBusiness',
    'Scopesread, write, admin',
    expect.stringMatching(/^Left this minute[\d,]+ of 1,000/),
    expect.stringMatching(/^Left this day[\d,]+ of 100,000/),
  ])
  await page.screenshot({ path: `${pictures}/way-in.png` })
  await access.getByRole('button', { name: 'Forget it' }).click()
  await paste(form.mint())
  await access.getByText(/^The key is refused: \S.*What to do/).waitFor()
  await access.getByRole('link', { name: 'What to do' }).click()
  await expect.poll(() => page.evaluate('location.hash')).toBe('#errors/unauthenticated')
  forgiveRefusals()
})

test('a refusal for lack of a key is shown once and has the field for it; with it, one click sends again', async () => {
  const page = await docs()
  await open(page, 'listPets')
  await execute(page, 'listPets')
  const answer = block(page, 'listPets').locator('.answer')
  expect((await answer.innerText()).match(/unauthenticated|Unauthorized/g)).toHaveLength(1)
  await answer.getByLabel('Your API key').fill(key)
  await answer.getByRole('button', { name: 'Use this key' }).click()
  await answer.getByText('read, write, admin').waitFor()
  await block(page, 'listPets').getByRole('button', { name: 'Execute' }).click()
  await answer.locator('.status-2').waitFor()
  forgiveRefusals()
})

test('the dialog for the key is short, as wide as a key, and works by real buttons', async () => {
  const page = await docs({ viewport: { width: 1280, height: 800 } })
  await page.locator('.scheme-container .authorize').click()
  const dialog = page.getByRole('dialog', { name: 'Your API key' })
  const field = dialog.getByLabel('Your API key')
  expect(await field.evaluate(input => input.matches(':focus'))).toBe(true)
  await field.fill(key)
  expect(await field.evaluate(input => input.scrollWidth - input.clientWidth)).toBe(0)
  expect((await dialog.locator('.modal-ux').boundingBox())?.height).toBeLessThan(400)
  const names = ['Close this', 'Use this key', 'Close']
  for (const name of names)
    expect(
      await dialog.getByRole('button', { name, exact: name === 'Close' }).evaluate(button => button.tagName),
    ).toBe('BUTTON')
  await page.keyboard.press('Enter')
  await dialog.getByText('read, write, admin').waitFor()
  await dialog.getByRole('button', { name: 'Forget it' }).click()
  await dialog.getByRole('link', { name: 'How to get one' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('location.hash')).toBe('#authentication')
})
