import { readFile } from 'node:fs/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Page } from 'playwright-core'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { operations } from 'spec-served-lab/support/petstore'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import {
  authorize,
  block,
  docs,
  fieldOf,
  forgiveRefusals,
  key,
  open,
  pictures,
  replyOf,
  server,
  showDocument,
  showReply,
  useDocs,
} from './support.ts'

useDocs()

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

/** How far below the top something begins, in pixels, and whether what sticks there hides it. */
const placeOf = (page: Page, selector: string) =>
  page.evaluate<{ top: number; isHidden: boolean }>(`(() => {
    const [target, bar] = ['${selector}', '.bar'].map(name => document.querySelector(name).getBoundingClientRect())
    return { top: target.top, isHidden: target.top < bar.bottom && target.bottom > bar.top }
  })()`)
const isAtTop = ({ top, isHidden }: { top: number; isHidden: boolean }) => top >= 0 && top < 130 && !isHidden
const errorCodes = async () => {
  const { components } = parse(await readFile('spec/openapi.yaml', 'utf8'))
  return components.schemas.ErrorCode.enum as string[] // a list of texts
}
const width = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

test('each operation names its operationId and the scope it needs', async () => {
  const page = await docs()
  for (const [id, { scope }] of Object.entries(operations)) {
    const summary = block(page, id as keyof typeof operations).locator('.opblock-summary')
    expect(await summary.locator('.opblock-summary-operation-id').textContent()).toBe(id)
    expect(await summary.locator('.scope').allTextContents(), id).toEqual(
      scope ? [`Needs the scope ${scope}`] : [],
    )
  }
})

test('the row of a parameter shows its bounds, choices and default', async () => {
  const page = await docs()
  await open(page, 'listPets')
  const rows = block(page, 'listPets').locator('.parameters tr[data-param-name]')
  const bounds = await rows.evaluateAll(found =>
    found.map(row => [row.getAttribute('data-param-name'), row.querySelector('.bounds')?.textContent]),
  )
  expect(bounds).toEqual([
    ['status', 'one of available, pending, sold'],
    ['categoryId', undefined],
    ['name', '1 to 100 characters'],
    ['ids', '1 to 100 items; for example 1, 2'],
    ['sort', 'one of id, -id, name, -name; default id'],
    ['limit', '1 to 100; default 20'],
    ['cursor', '1 to 1,648 characters'],
    ['If-None-Match', '1 to 1,000 characters'],
  ])
  // The page names the place of parameters once for all of them. The schema of an identifier tells its size.
  const places = await block(page, 'listPets').locator('.parameters tbody tr').allInnerTexts()
  expect(places.filter(text => !text.includes('\n'))).toEqual(['In the query', 'Header fields'])
  expect(places.join()).not.toMatch(/\((query|header)\)/)
  await page.evaluate(`location.hash = '#schemas/Id'`)
  await page.locator('[id="schemas/Id"]').getByText('1 to 9,007,199,254,740,991').waitFor()
})

describe.each(Object.entries(sizes))('on a %s', (size, viewport) => {
  const targets = {
    '#/Orders': '[data-tag=Orders]',
    '#/Orders/placeOrder': '[id$=-placeOrder]',
    '#/API%20keys/rotateApiKey': '[id$=-rotateApiKey]',
    '#plans': '#plans',
    '#limits': '#limits',
    '#retries-and-versions': '#retries-and-versions',
  }

  test('links lead to their target, below the bar, at first and when they are followed', async () => {
    for (const hash of ['#/Orders', '#/Orders/placeOrder', '#plans'] as const) {
      const page = await docs({ viewport, hash })
      await expect.poll(() => placeOf(page, targets[hash])).toSatisfy(isAtTop)
      expect(new URL(page.url()).hash).toBe(hash)
    }
    const page = await docs({ viewport })
    for (const [hash, selector] of Object.entries(targets)) {
      await page.evaluate(`location.hash = '${hash}'`)
      await expect.poll(() => placeOf(page, selector)).toSatisfy(isAtTop)
      await page.waitForTimeout(700) // until the page has settled
    }
    await page.goBack()
    await expect.poll(() => page.evaluate('location.hash')).toBe('#limits')
    // The address stays the reader's when the way back leads to an operation.
    for (let i = 0; i < 3; i++) await page.goBack()
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/Orders/placeOrder')
  })

  test('what a link leads to stays in place while what is above it opens, however late', async () => {
    const page = await docs({ viewport })
    await page.evaluate(`document.documentElement.style.overflowAnchor = 'none'; location.hash = '#plans'`)
    // Every 400 ms, where frames that take long count for little.
    await page.evaluate(`new Promise(grown => {
      let spent = 0
      let last = performance.now()
      const grow = time => {
        const before = spent
        spent += Math.min(time - last, 50)
        last = time
        if (Math.floor(spent / 400) > Math.floor(before / 400)) {
          const late = document.createElement('div')
          late.style.height = '300px'
          document.querySelector('#plans').before(late)
        }
        if (spent < 1300) requestAnimationFrame(grow)
        else grown()
      }
      requestAnimationFrame(grow)
    })`)
    await expect.poll(() => placeOf(page, '#plans')).toSatisfy(isAtTop)
  })

  test('an operation opens short, the success first; other replies are a step away, grouped by what to do next', async () => {
    const page = await docs({ viewport })
    await open(page, 'updatePet')
    const operation = block(page, 'updatePet')
    const { height = 0 } = (await operation.boundingBox()) ?? {}
    expect(height).toBeLessThan(size === 'desk' ? 1900 : 2800)
    const groups = await operation
      .locator('.reply-group')
      .evaluateAll(found =>
        found.map(group => [...group.querySelectorAll('*')].map(part => part.textContent)),
      )
    expect(groups.map(([name]) => name)).toEqual([
      'Success',
      'Fix the request',
      'Ask for access',
      'Wait',
      'Try again',
    ])
    const codes = await operation.locator('.reply-groups [role=tab]').allTextContents()
    expect(codes.map(Number).sort()).toEqual([...operations.updatePet.statuses])

    const reply = replyOf(page, 'updatePet')
    expect(await reply.getAttribute('data-code')).toBe('200')
    expect(await reply.getByText('Unique identifier assigned on creation.').isVisible()).toBe(true)
    expect(await operation.getByText('X-RateLimit-Remaining').count()).toBe(0)
    expect(await operation.getByText('"Rex"').filter({ visible: true }).count()).toBe(1)

    await showReply(page, 'updatePet', 412)
    expect(await reply.getByRole('link', { name: 'precondition_failed' }).isVisible()).toBe(true)
    expect(await operation.getByText('"precondition_failed"').isVisible()).toBe(true)
    await operation.screenshot({ path: `${pictures}/operation-${size}.png` })
    await reply.getByRole('link', { name: 'header fields of most replies' }).click()
    await page.locator('.common-headers').waitFor()
    const common = await page.locator('.common-headers tbody th').allTextContents()
    expect(common).toContain('X-RateLimit-Remaining')
    expect(common).toContain('X-Request-Id')
    expect(await width(page)).toBe(viewport.width)
  })

  test('a form that is filled, sent and answered widens nothing, and the quota covers nothing', async () => {
    const page = await docs({ viewport })
    await authorize(page)
    await open(page, 'createCategory')
    const operation = block(page, 'createCategory')
    await operation.locator('textarea').fill(JSON.stringify({ name: `Long${'g'.repeat(80)} ${size}` }))
    await operation.getByRole('button', { name: 'Reset' }).waitFor()
    expect(await width(page)).toBe(viewport.width)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.answer')
    await answer.waitFor()
    await answer.evaluate(table => table.scrollIntoView())
    await page.screenshot({ path: `${pictures}/answer-${size}.png` })
    expect(await width(page)).toBe(viewport.width)

    const quota = page.getByRole('complementary', { name: 'Your remaining requests' })
    expect(await placeOf(page, '.answer')).toSatisfy(isAtTop)
    const [bar, pill] = [await page.locator('.bar').boundingBox(), await quota.boundingBox()]
    expect((pill?.y ?? 0) + (pill?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
    await quota.getByRole('button', { name: 'Don’t show this' }).click()
    expect(await quota.count()).toBe(0)
    await operation.getByRole('button', { name: 'Clear' }).click()
    expect(await fieldOf(page, 'createCategory', 'Idempotency-Key').inputValue()).not.toBe('')
  })
})

test('each code of error has a part of the page: status, when and why, what to do, an example, and where', async () => {
  const page = await docs({ hash: '#errors/insufficient_stock' })
  const part = page.locator('.error-code').filter({ has: page.locator('[id="errors/insufficient_stock"]') })
  await expect.poll(() => placeOf(page, '[id="errors/insufficient_stock"]')).toSatisfy(isAtTop)
  const told = await part.textContent()
  for (const text of ['409', 'Fewer of the animal are in stock', 'Order less, or try later', '"status": 409'])
    expect(told).toContain(text)
  await part.getByRole('link', { name: 'placeOrder' }).click()
  await block(page, 'placeOrder').locator('.replies').waitFor()

  await showReply(page, 'placeOrder', 409)
  await replyOf(page, 'placeOrder').getByRole('link', { name: 'pet_not_available' }).click()
  await expect.poll(() => placeOf(page, '[id="errors/pet_not_available"]')).toSatisfy(isAtTop)
  const shared = page.locator('.error-code').filter({ has: page.locator('[id="errors/order_complete"]') })
  expect(await shared.locator('.where').textContent()).toBe('cancelOrder, updateOrder')
  const codes = await page.locator('.error-code h3 code').allTextContents()
  expect(codes.sort()).toEqual([...(await errorCodes())].sort())
})

test('a refusal is shown in words: its code with a link, each fault, the request, and how long to wait', async () => {
  const page = await docs()
  await authorize(page)
  await page.route('**/categories', async route => {
    if (route.request().method() === 'GET') return route.continue()
    // The page marks failed requests on the console, which tests take for faults.
    const details = [{ path: '/name', message: 'must not be blank' }]
    const body = { code: 'rate_limited', message: 'Too many requests.', status: 429, details }
    await route.fulfill({
      status: 429,
      json: body,
      headers: { 'Retry-After': '90', 'X-Request-Id': 'one-two' },
    })
  })
  await open(page, 'createCategory')
  await block(page, 'createCategory').getByRole('button', { name: 'Execute' }).click()
  const answer = block(page, 'createCategory').locator('.answer')
  await answer.waitFor()
  const told = await answer.textContent()
  for (const text of ['rate_limited', 'Too many requests.', '/name must not be blank', 'Request one-two'])
    expect(told).toContain(text)
  expect(told).toMatch(/Try again in (90|8\d) seconds|Try again in 2 minutes/)
  await answer.getByRole('link', { name: 'rate_limited' }).click()
  await expect.poll(() => placeOf(page, '[id="errors/rate_limited"]')).toSatisfy(isAtTop)
  forgiveRefusals()
})

test('the chapter on changes has the releases, what is new since the last visit, and what ends when', async () => {
  const changelog =
    '# Changes\n\n## 2.1.0 (2026-12-01)\n\n- `listPets` finds more.\n\n## 1.0.0 (2026-11-21)\n\nThe first release.\n'
  const page = await docs()
  await page.route('**/docs/changes.md', route =>
    route.fulfill({ body: changelog, contentType: 'text/markdown' }),
  )
  await page.evaluate(`localStorage.setItem('docs.seen', '2.0.10'); sessionStorage.removeItem('docs.seen')`)
  await page.reload()
  await page.locator('.opblock').first().waitFor()
  await page.evaluate(`location.hash = '#changes'`)
  const titles = page.locator('.release h4')
  await titles.first().waitFor()
  expect(await titles.allTextContents()).toEqual([
    '2.1.0 (2026-12-01)new since your last visit',
    '1.0.0 (2026-11-21)',
  ])
  const ending = page.locator('.sunsets li')
  expect(await ending.allTextContents()).toContainEqual(
    expect.stringMatching(/^5 December 2030 \([\d,]+ days left\): getPet, then listPets$/),
  )
  const calendar = await page.getByRole('link', { name: /\.ics/ }).getAttribute('href')
  const reply = await page.request.get(new URL(calendar ?? '', page.url()).href)
  expect(reply.headers()['content-type']).toBe('text/calendar; charset=utf-8')
  expect(await reply.text()).toContain('DTSTART;VALUE=DATE:20301205\r\n')
})

test('the chapter on agents has a configuration for each client, and one with a key lists its tools', async () => {
  const page = await docs({ hash: '#use-it-from-an-agent' })
  const chapter = page.locator('.chapter').filter({ has: page.locator('#use-it-from-an-agent') })
  const written = async (name: string) => {
    await chapter.getByRole('tab', { name }).click()
    return JSON.parse((await chapter.locator('pre').textContent()) ?? '')
  }
  const headers = { 'X-API-Key': 'YOUR KEY' }
  const url = `${server.url}/mcp`
  expect(await written('VS Code')).toEqual({ servers: { 'pet-store': { type: 'http', url, headers } } })
  expect(await chapter.getByText('.vscode/mcp.json').count()).toBe(1)
  expect(await written('Cursor')).toEqual({ mcpServers: { 'pet-store': { url, headers } } })
  const { mcpServers } = await written('Claude Code')
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { ...mcpServers['pet-store'].headers, 'X-API-Key': key } }
  const transport = new StreamableHTTPClientTransport(new URL(mcpServers['pet-store'].url), { requestInit })
  await client.connect(transport as Transport) // whose optional properties may not be undefined
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('placeOrder')
  await client.close()
})

test('names of operations and codes in the guide lead to them', async () => {
  const page = await docs({ hash: '#limits' })
  const limits = page.locator('.chapter').filter({ has: page.locator('#limits') })
  const link = (name: string) => limits.getByRole('link', { name, exact: true }).first().getAttribute('href')
  expect(await link('address_banned')).toBe('#errors/address_banned')
  expect(await link('getUsage')).toBe('#/Usage/getUsage')
})

test('an address that can’t be read leads to the beginning', async () => {
  const page = await docs({ hash: '#/%E0%A4%A' })
  expect(await page.locator('.introduction').isVisible()).toBe(true)
  await page.evaluate(`location.hash = '#/%E0%A4%A'`)
  await page.waitForTimeout(200)
  expect(await page.locator('.introduction').isVisible()).toBe(true)
})

test('guide and reference are one page: what it says of limits and errors is found by the browser, and printed', async () => {
  const page = await docs({ viewport: sizes.desk })
  await page.locator('.replies').first().waitFor()
  // Hidden parts are not in this text, and a browser does not find them either.
  const text = await page.locator('main').innerText()
  for (const one of ['banned for 15 minutes', 'Order less, or try later', 'animals in pages'])
    expect(text).toContain(one)
  await page.emulateMedia({ media: 'print' })
  for (const part of ['.plans', '.error-codes', '#operations-Animals-listPets'])
    expect(await page.locator(part).isVisible(), part).toBe(true)
  for (const part of ['.side', '.bar']) expect(await page.locator(part).isVisible(), part).toBe(false)
  // Nothing to fill in or to press, and no dark areas, whatever the theme.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.waitForTimeout(300)
  const controls = page.locator(
    'main :is(input, select, textarea, button:not(h2 *, h3 *, .opblock-summary *, .reply-group *))',
  )
  expect(await controls.evaluateAll(all => all.filter(candidate => candidate.checkVisibility()).length)).toBe(
    0,
  )
  const dark = await page.evaluate<string[]>(`[...document.querySelectorAll('body, body *')].filter(part => {
    const [red, green, blue, alpha = 1] = getComputedStyle(part).backgroundColor.match(/[\\d.]+/g).map(Number)
    return part.checkVisibility() && alpha > 0.5 && red + green + blue < 380
  }).map(part => part.className || part.tagName)`)
  expect(dark).toEqual([])
  const cut = await page.evaluate(
    `[...document.querySelectorAll('.guide pre')].filter(code => code.scrollHeight > code.clientHeight + 1).length`,
  )
  expect(cut).toBe(0)
})

test('texts give numbers, and not where the document has them', async () => {
  const page = await docs({ hash: '#/Animals/createPet' })
  await block(page, 'createPet').getByText('payload within some time (1 day)').waitFor()
  await page.locator('.guide').waitFor()
  expect(await page.locator('main').innerText()).not.toMatch(
    /x-lifetimes|x-rate-limits|x-request-bounds|idempotentReplies|bodyValues/,
  )
  expect(
    await page
      .locator('.chapter')
      .getByRole('link', { name: 'the table of plans' })
      .first()
      .getAttribute('href'),
  ).toBe('#plans')
  expect(await page.getByRole('row', { name: 'Idempotent replies 1 day' }).count()).toBe(1)
})

test('each view has a title of its own', async () => {
  const page = await docs({ hash: '#/Orders/placeOrder' })
  for (const [hash, title] of [
    ['#/Orders/placeOrder', 'Order an animal · Pet Store API'],
    ['#/API%20keys', 'API keys · Pet Store API'],
    ['#limits', 'Limits · Pet Store API'],
    ['#errors/pet_in_use', 'pet_in_use · Pet Store API'],
    ['#plans', 'Plans · Pet Store API'],
    ['#/', 'Pet Store API'],
  ] as const) {
    await page.evaluate(`location.hash = '${hash}'`)
    await expect.poll(() => page.title()).toBe(title)
  }
})

test('a link to what is not there says so, until another is followed', async () => {
  const page = await docs({ hash: '#/Animals/feedPet' })
  const alert = page.getByRole('alert')
  await expect.poll(() => alert.textContent()).toMatch(/^#\/Animals\/feedPet is not on this page/)
  await page.evaluate(`location.hash = '#limits'`)
  await alert.waitFor({ state: 'detached' })
  for (const hash of ['#/Animals/listPets', '#releases', '#ends', '#schemas']) {
    await page.evaluate(`location.hash = '${hash}'`)
    await page.waitForTimeout(1500) // it would be said by then
    expect(await alert.count(), hash).toBe(0)
  }
  await page.evaluate(`location.hash = '#errors/gone'`)
  await alert.waitFor()
})

test('a document of 3.2 shows its methods, which can be tried, its webhooks and its tags', async () => {
  const { document, text } = await readDocument('src/engine/document/test/documents/library.yaml')
  const app = await serveMocks(text, modelOf(document), { isOurs: false })
  onTestFinished(() => app.close())
  const page = await docs({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) })
  const shown = await page.locator('.side .nav-method').allTextContents()
  expect(shown).toEqual(['GET', 'QUERY', 'GET', 'LINK', 'PURGE', 'QUERY'])
  expect(await page.locator('.tag-group h2').first().textContent()).toBe('catalogueThe catalogue')
  const webhooks = page.locator('section[aria-labelledby=webhooks]')
  expect(await webhooks.locator('h3').allTextContents()).toEqual(['POST overdue', 'QUERY lost'])
  await page.locator('[id="operations-books-linkBook"] .opblock-summary-control').first().click()
  const link = page.locator('[id="operations-books-linkBook"]')
  expect(await link.locator('.curl, pre').first().textContent()).toContain('curl -X LINK')
  await link.locator('[data-param-name=isbn] input').fill('9780000000001')
  await link.getByText('Execute').click()
  await link.getByText('unauthenticated').first().waitFor()
  forgiveRefusals()
})

test('the rules between records are sentences at their operation, with links to their errors', async () => {
  const page = await docs({ viewport: { width: 320, height: 700 } })
  await open(page, 'createPet')
  const rules = block(page, 'createPet').locator('.rules li')
  expect(await rules.allInnerTexts()).toEqual([
    'categoryId must name a category, else 409 category_not_found.',
    'quantity of the new pet is 1.',
    'If you send no status, status of the new pet is available.',
  ])
  expect(await rules.getByRole('link').getAttribute('href')).toBe('#errors/category_not_found')
  // Words are whole on a phone.
  const heights = await rules
    .locator('code')
    .evaluateAll(codes => codes.map(code => code.getClientRects().length))
  expect(Math.max(...heights)).toBe(1)
  await open(page, 'getHealth')
  expect(await block(page, 'getHealth').locator('.rules').count()).toBe(0)
  expect(await page.getByText('Rules between records').count()).toBe(0)
  expect(await width(page)).toBe(320)
})

test('a header field stands in the chapter on most replies with their very description, and at a reply with another', async () => {
  const page = await docs({ hash: '#headers-of-replies' })
  const row = page.locator('.common-headers tbody tr').filter({ hasText: 'Cache-Control' })
  expect(await row.innerText()).toContain('No cache may store the reply')
  await open(page, 'listCategories')
  await showReply(page, 'listCategories', 200)
  const own = replyOf(page, 'listCategories').locator('details')
  expect(await own.locator('dd').first().isVisible()).toBe(false)
  await own.locator('summary').click()
  expect(await own.innerText()).toMatch(/Cache-Control\s+Only the cache of this client may store the reply/)
  await showReply(page, 'listCategories', 401)
  expect(await replyOf(page, 'listCategories').textContent()).not.toContain('Cache-Control')
})

test('each field has a link of its own, which opens what holds it', async () => {
  const street = { type: 'string', description: 'With its number.' }
  const address = { type: 'object', properties: { street } }
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, address, 'a/b': { type: 'string' } },
  }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Owner' } } }
  const post = {
    operationId: 'addOwner',
    tags: ['All owners'],
    requestBody: { content },
    responses: { 200: { description: 'Added', content }, 409: { description: 'Twice', content } },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Owners', version: '1' },
    paths: { '/owners': { post } },
    components: { schemas: { Owner: schema } },
  }
  const page = await showDocument(document)
  for (const hash of [
    '#schemas/Owner/address/street',
    '#/All%20owners/addOwner/body/address/street',
    '#/All%20owners/addOwner/409/address/street',
  ]) {
    await page.evaluate(`location.hash = '${hash}'`)
    const id = decodeURIComponent(hash.slice(1))
    const field = page.locator(`[id="${id}"]`)
    await field.waitFor()
    const isInSight = async () => {
      const { y = 0, height = 0 } = (await field.boundingBox()) ?? {}
      return y > 56 && y + height < (page.viewportSize()?.height ?? 0)
    }
    await expect.poll(isInSight).toBe(true)
    await page.waitForTimeout(700) // until the page has settled
    expect(await page.getByRole('alert').count(), hash).toBe(0)
  }
  const [first] = await page.getByRole('link', { name: 'Link to a/b' }).all()
  await first?.click()
  expect(await page.evaluate('decodeURIComponent(location.hash)')).toMatch(/\/a\/b$/)
  // The fields inside are folded until a reader asks for them.
  await page.reload()
  expect(await page.getByText('With its number.').count()).toBe(0)
})

test('the errors are folded on a phone; a link opens one', async () => {
  const page = await docs({ viewport: sizes.phone, hash: '#errors' })
  const errors = page.locator('.error-code')
  await errors.first().waitFor()
  const opened = () =>
    errors.evaluateAll(all => all.filter(candidate => candidate.hasAttribute('open')).map(item => item.id))
  expect((await opened()).length).toBe(0)
  await page.evaluate(`location.hash = '#errors/pet_in_use'`)
  await expect.poll(async () => (await opened()).length).toBe(1)
  expect(await errors.filter({ hasText: 'pet_in_use' }).locator('pre').first().isVisible()).toBe(true)
  const desk = await docs({ viewport: sizes.desk, hash: '#errors' })
  expect(await desk.locator('.error-code:not([open])').count()).toBe(0)
})

test('nothing moves for a reader who wants no motion', async () => {
  const page = await docs({ viewport: sizes.phone, reducedMotion: 'reduce' })
  const moving = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('*')].filter(part => {
      const { transitionDuration, animationName } = getComputedStyle(part)
      return transitionDuration.split(', ').some(time => time !== '0s') || animationName !== 'none'
    }).map(part => part.className || part.tagName)`)
  expect(await moving()).toEqual([])
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await moving()).not.toEqual([])
})

test('other released versions are offered with their documents, and the page says how API clients import this one', async () => {
  const page = await docs()
  const versions = page.locator('details', { hasText: 'Other versions' })
  await versions.locator('summary').press('Enter')
  const link = versions.getByRole('link', { name: '1.0.0' })
  const address = new URL((await link.getAttribute('href')) ?? '', page.url()).href
  expect(await (await fetch(address)).text()).toBe(await readFile('spec/released/1.0.0.yaml', 'utf8'))
  const clients = page.locator('details', { hasText: 'Postman' })
  await clients.locator('summary').press('Enter')
  expect(await clients.locator('code').textContent()).toBe(`${server.url}/openapi.json`)
  for (const name of ['Postman', 'Bruno', 'Insomnia'])
    expect(await clients.getByText(name, { exact: true }).isVisible()).toBe(true)
})

test('a page that can’t load its document says so, and what to do', async () => {
  const page = await docs()
  await page.route(/\/(openapi\.json|docs\/json)/, route => route.fulfill({ status: 503, body: 'busy' }))
  await page.reload()
  await page
    .getByText(
      'This page can’t load its document (503 Service Unavailable): see whether you are online, and reload the page.',
    )
    .waitFor()
  forgiveRefusals()
})

test('a reader without JavaScript is led to the Markdown', async () => {
  const page = await docs()
  const plain = await page.context().browser()?.newContext({ javaScriptEnabled: false })
  if (!plain) throw new Error('The browser is gone')
  onTestFinished(() => plain.close())
  const reading = await plain.newPage()
  await reading.goto(page.url())
  await reading.getByRole('link', { name: 'The same as Markdown' }).click()
  expect(new URL(reading.url()).pathname).toBe('/docs/llms.txt')
})
