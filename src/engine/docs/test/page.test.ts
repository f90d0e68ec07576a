import type { Page } from 'playwright-core'
import { ownModel } from 'spec-served-lab/support/model'
import { operations, rateLimits } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorize,
  block,
  docs,
  execute,
  forgiveRefusals,
  kept,
  key,
  open,
  openDocs,
  pictures,
  server,
  useDocs,
  visit,
} from './support.ts'

useDocs()

describe('a page that only reads', () => {
  let page: Page
  beforeAll(async () => {
    page = await openDocs()
  })
  afterAll(() => page.context().close())

  test('has a title, an icon and a scale of its own, and no top bar', async () => {
    expect(await page.title()).toBe('Pet Store API')
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    const answer = await fetch(new URL(icon ?? '', `${server.url}/docs`))
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(await page.locator('meta[name=viewport]').count()).toBe(1)
    expect(await page.locator('.topbar').count()).toBe(0)
    // Browsers ask for it where a reply is no page, and no reader pays for that.
    const elsewhere = await fetch(`${server.url}/favicon.ico`)
    expect([elsewhere.status, elsewhere.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(await elsewhere.text()).not.toContain('Pet Store')
    await page.screenshot({ path: `${pictures}/light.png` })
  })

  test('has one first heading, a main part, and no level of headings left out but in Swagger UI’s schemas', async () => {
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await page.getByRole('banner').count()).toBe(1)
    expect(await page.getByRole('search').count()).toBe(1)
    const levels = await page.evaluate<number[]>(
      `[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].filter(heading => !heading.closest('.models')).map(heading => Number(heading.tagName[1]))`,
    )
    for (const [i, level] of levels.entries()) expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1)
  })

  test('shows every operation once, under its tag, and the tags under their parents', async () => {
    const ids = await page.locator('.opblock').evaluateAll(blocks => blocks.map(found => String(found.id)))
    expect(ids.map(id => id.split('-').at(-1)).sort()).toEqual(Object.keys(operations).sort())
    const tree = await page.evaluate(
      `[...document.querySelectorAll('.tag-tree > section')].map(section => [...section.querySelectorAll('h2, h3')]
        .map(heading => heading.querySelector('button > span')?.textContent ?? heading.firstChild.textContent))`,
    )
    const { tags = [] } = (await ownModel()).document
    const childrenOf = (name: string) => tags.filter(tag => tag['x-parent'] === name).map(tag => tag.name)
    const roots = tags.filter(tag => tag['x-parent'] === undefined).map(tag => tag.name)
    expect(roots).toContain('Pets')
    expect(childrenOf('Pets')).toContain('Animals')
    expect(tree).toEqual(roots.map(name => [name, ...childrenOf(name)]))
  })

  test('marks what is experimental, beta or deprecated, and nothing else', async () => {
    for (const [id, facts] of Object.entries(operations)) {
      const badges = await block(page, id as keyof typeof operations)
        .locator('.badge')
        .allTextContents()
      expect(badges, id).toEqual([facts.stability, facts.deprecation && 'deprecated'].filter(Boolean))
    }
  })

  test('says since when getPet is deprecated, when it ends, and what replaces it', async () => {
    const days = Math.ceil((Date.parse(operations.getPet.deprecation.sunset) - Date.now()) / 86_400_000)
    expect(await block(page, 'getPet').locator('.deprecation').textContent()).toBe(
      `Deprecated since 5 June 2026, ends 5 December 2030, ${days.toLocaleString('en-US')} days left. Use GET /pets instead.`,
    )
    // The replacement is not deprecated itself.
    expect(await block(page, 'listPets').locator('.deprecation').count()).toBe(0)
  })

  test('shows the plans of the document in the chapter on limits', async () => {
    await page.evaluate(`location.hash = '#limits'`)
    await page.locator('.plans').waitFor()
    const rows = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('.plans tr')].map(row => [...row.cells].map(cell => cell.textContent))`,
    )
    expect(rows).toEqual([
      ['Plan', ...rateLimits.windows.map(({ name }) => `Requests per ${name}`)],
      ...Object.entries(rateLimits.plans).map(([name, quota]) => [
        name,
        ...rateLimits.windows.map(window =>
          'custom' in quota ? 'custom' : quota[window.name].toLocaleString('en-US'),
        ),
      ]),
    ])
    expect(await page.locator('.plans p').textContent()).toContain(
      'refused 20 times in one minute is banned for 15 minutes',
    )
    await page.evaluate(`location.hash = '#/'`)
    await page.locator('.introduction').waitFor()
  })

  test('shows the version once', async () => {
    const { info } = (await ownModel()).document
    expect((await page.locator('body').innerText()).split(info.version).length - 1).toBe(1)
  })

  test('names its own origin and links to the document', async () => {
    expect(await page.locator('.base-url code').textContent()).toBe(server.url)
    const links = await page
      .locator('.document-links a')
      .evaluateAll(found => found.map(link => link.getAttribute('href')))
    expect(links).toEqual(['/openapi.yaml', '/openapi.json', '/docs/llms.txt'])
  })
})

test('the search finds by path, operationId, summary, description and tag, as one types', async () => {
  const page = await docs()
  // An operation in a tag that the reader has closed is found all the same.
  await page.getByRole('button', { name: /^Inventory The stock/ }).click()
  expect(await block(page, 'listInventory').isVisible()).toBe(false)
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox')
  expect(await search.evaluate(input => input.matches(':focus'))).toBe(true)
  await search.blur()
  await page.keyboard.press('Control+k')
  expect(await search.evaluate(input => input.matches(':focus'))).toBe(true)
  for (const [text, ids] of [
    ['listInventory', ['listInventory']],
    ['/pets/batch', ['createPets']],
    ['fulfil an', ['updateOrder']],
    ['merge patch animal', ['updatePet']],
    ['system', ['getHealth']],
    ['insufficient_stock', ['placeOrder']],
    ['overlapHours', ['rotateApiKey']],
    ['412 orders', ['updateOrder', 'cancelOrder']],
  ] as const) {
    await search.fill(text)
    const found = await page.locator('.opblock').evaluateAll(all => all.map(element => String(element.id)))
    for (const id of ids)
      expect(
        found.map(name => name.split('-').at(-1)),
        text,
      ).toContain(id)
    expect(found.length, `${text}: ${found}`).toBeLessThan(8)
    expect(await block(page, ids[0]).isVisible()).toBe(true)
    expect(await page.locator('.search-count').textContent()).toMatch(
      new RegExp(`^${found.length} operations?(, \\d+ chapters?)?(, \\d+ schemas?)?$`),
    )
    const listed = await page.locator('.navigation a[href^="#/"]:not(.nav-tag a)').count()
    expect(listed).toBe(found.length)
  }
  await search.fill('no such thing')
  expect(await page.locator('.opblock').count()).toBe(0)
  expect(await page.getByText('Nothing found for “no such thing”.').isVisible()).toBe(true)
  expect(await page.locator('.results a').count()).toBe(3)
  await search.fill('insufficient_stock')
  await page.locator('.navigation').getByRole('link', { name: 'insufficient_stock' }).click()
  await page.getByRole('heading', { name: /insufficient_stock/ }).waitFor()
  await search.fill('')
  // Everything is back, and what the reader had closed is closed.
  const others = Object.values(operations).filter(({ tag }) => tag !== 'Inventory')
  expect(await page.locator('.opblock').count()).toBe(others.length)
})

describe('a search in a page that others have searched', () => {
  let page: Page
  beforeAll(async () => {
    page = await openDocs()
  })
  afterAll(() => page.context().close())

  test('the search finds schemas, header fields, what is meant and what is mistyped, and says why', async () => {
    const search = page.getByRole('searchbox')
    const hits = () =>
      page.locator('.results li').evaluateAll(found =>
        found.map(hit => ({
          href: hit.querySelector('a')?.getAttribute('href'),
          reasons: [...hit.querySelectorAll('mark')].map(mark => mark.textContent),
          text: hit.textContent,
        })),
      )
    for (const [text, href, reason] of [
      ['NewPet', '#schemas/NewPet', 'NewPet'],
      ['ratelimit-policy', '#headers-of-replies', 'RateLimit-Policy'],
      ['x-next-cursor', '#/Animals/listPets', 'X-Next-Cursor'],
      ['pagination', '#pages', 'Page'],
      ['pagination', '#/Orders/listOrders', 'cursor'],
      ['invantory', '#/Inventory/listInventory', 'inventory'],
      ['ctaegories', '#/Categories/listCategories', 'categories'],
    ] as const) {
      await search.fill(text)
      const found = await hits()
      const hit = found.find(candidate => candidate.href === href)
      expect(hit?.reasons.join(), `${text}: ${found.map(item => item.text).join('\n')}`).toContain(reason)
      for (const { text: told, reasons } of found) expect(reasons.length, told ?? '').toBeGreaterThan(0)
    }
  })

  test.each([
    ['Tier', /^#limits /],
    ['webhook', /^(#[\w-]+ ){3}$/],
    ['stock webhook', /^(#[\w-]+ ){3}$/],
    ['invantory', /#\/Inventory\/listInventory /],
  ] as const)(
    'the search for “%s” says that it finds nothing, and offers the nearest chapters',
    async (text, nearest) => {
      await page.getByRole('searchbox').fill(text)
      await page.getByText(`Nothing found for “${text}”. This is nearest:`).waitFor()
      const hits = await page
        .locator('.results a')
        .evaluateAll(links => links.map(link => link.getAttribute('href') ?? ''))
      expect(hits.map(hit => `${hit} `).join('')).toMatch(nearest)
      const chapters = hits.filter(hit => /^#[\w-]+$/.test(hit))
      expect(chapters.length).toBeGreaterThan(0)
      for (const hit of chapters) expect(await page.locator(`h2[id="${hit.slice(1)}"]`).count(), hit).toBe(1)
    },
  )
})

test('the arrow keys go through what the search finds, and Enter scrolls to what is chosen', async () => {
  const page = await docs({ viewport: { width: 1280, height: 800 } })
  const search = page.getByRole('searchbox')
  const focused = () => page.evaluate<string | null>(`document.activeElement.getAttribute('href')`)
  await page.keyboard.press('/')
  await page.keyboard.type('status')
  const hits = await page
    .locator('.results a')
    .evaluateAll(links => links.map(link => link.getAttribute('href')))
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe(hits[0])
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe(hits[1])
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await search.evaluate(input => input.matches(':focus'))).toBe(true)
  const isAtTop = (id: string) =>
    expect
      .poll(async () => (await page.locator(`[id="${id}"]`).boundingBox())?.y ?? -1)
      .toSatisfy((y: number) => y >= 0 && y < 130)
  await search.fill('PetStatus')
  await page.keyboard.press('Enter')
  await isAtTop('schemas/PetStatus')
  expect(await page.locator('[id="schemas/PetStatus"] .fields').isVisible()).toBe(true)
  expect(await search.inputValue()).toBe('')
  await search.fill('cancelOrder')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await isAtTop('operations-Orders-cancelOrder')
})

test('the link to the successor opens it, scrolls there and puts the keyboard on it, also out of a search', async () => {
  const page = await docs()
  await page.getByRole('searchbox').fill('getPet')
  await open(page, 'getPet')
  await page.screenshot({ path: `${pictures}/deprecated.png` })
  await block(page, 'getPet').getByRole('link', { name: 'GET /pets', exact: true }).click()
  await block(page, 'listPets').locator('.opblock-body').waitFor()
  await expect
    .poll(() => page.evaluate('document.activeElement.closest(".opblock")?.id'))
    .toContain('listPets')
  await expect
    .poll(async () => (await block(page, 'listPets').boundingBox())?.y ?? -1)
    .toSatisfy((y: number) => y >= 0 && y < 300)
})

test('calls are made with the key, show their duration and whole identifiers; listOrders can’t be tried', async () => {
  const page = await docs()
  await authorize(page)
  await open(page, 'listPets')
  await block(page, 'listPets').locator('[data-param-name=categoryId] input').fill('9007199254740991')
  const sent = page.waitForRequest(/\/pets\?/)
  await block(page, 'listPets').getByRole('button', { name: 'Execute' }).click()
  const request = await sent
  expect(request.headers()['x-api-key']).toBe(key)
  expect(request.url()).toContain('categoryId=9007199254740991')
  const answer = block(page, 'listPets').locator('.answer')
  expect(await answer.locator('.status').textContent()).toBe('200')
  expect(await answer.locator('.samples-head').first().textContent()).toMatch(/\d+ ms$/)

  await open(page, 'listOrders')
  await block(page, 'listOrders').getByText('Parameters').waitFor()
  expect(
    await block(page, 'listOrders')
      .getByRole('button', { name: /try it out|execute/i })
      .count(),
  ).toBe(0)
})

test('the theme is the system’s until the reader chooses one, which is kept for the next visit', async () => {
  const page = await docs()
  const isDark = () =>
    page.evaluate<boolean>(`document.documentElement.classList.contains('dark-mode') &&
      getComputedStyle(document.documentElement).colorScheme === 'dark'`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(isDark).toBe(true)
  const theme = page.getByLabel('Theme')
  expect(await theme.evaluate(select => select.value)).toBe('system')
  await theme.selectOption('Light')
  await expect.poll(isDark).toBe(false)
  await page.reload()
  await theme.waitFor()
  expect(await theme.evaluate(select => select.value)).toBe('light')
  expect(await isDark()).toBe(false)
  await theme.selectOption('Dark')
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await isDark()).toBe(true)
  await theme.selectOption('System')
  expect(await isDark()).toBe(false)
})

test('a key is kept for the tab only, and only on wish for the computer; logout forgets both', async () => {
  const page = await docs()
  await authorize(page)
  expect((await kept(page)).tab).toContain(key)
  expect((await kept(page)).computer).toBe('{}')
  await page.reload()
  const locked = (where: Page) => where.locator('.scheme-container .authorize.locked')
  await locked(page).waitFor()

  const otherTab = await visit(await page.context().newPage())
  expect(await locked(otherTab).count()).toBe(0)
  await authorize(otherTab, true)
  expect(await kept(otherTab)).toEqual({ tab: '{}', computer: expect.stringContaining(key) })
  const thirdTab = await visit(await page.context().newPage())
  await locked(thirdTab).waitFor()

  await thirdTab.locator('.scheme-container .authorize').click()
  expect(await thirdTab.getByRole('checkbox', { name: /Remember/ }).isChecked()).toBe(true)
  await thirdTab.locator('.dialog-ux').getByRole('button', { name: 'Forget it' }).click()
  expect(await kept(thirdTab)).toEqual({ tab: '{}', computer: '{}' })
  await thirdTab.reload()
  await thirdTab.locator('.opblock').first().waitFor()
  expect(await locked(thirdTab).count()).toBe(0)
})

test('what is left of the quota is shown after a call, as its response said', async () => {
  const page = await docs()
  let remaining = 42
  await page.route('**/categories', async route => {
    const response = await route.fetch()
    const reset = Math.ceil(Date.now() / 1000) + 50
    const told = { limit: 60, remaining: remaining--, reset }
    const fields = Object.entries(told).map(([name, value]) => [`x-ratelimit-${name}`, String(value)])
    await route.fulfill({ response, headers: { ...response.headers(), ...Object.fromEntries(fields) } })
  })
  await authorize(page)
  expect(await page.locator('.quota').count()).toBe(0)
  await open(page, 'listCategories')
  await execute(page, 'listCategories')
  expect(await page.locator('.quota').textContent()).toMatch(/^42 of 60 left, resets in [1-5]?\d seconds?$/)
  await block(page, 'listCategories').getByRole('button', { name: 'Execute' }).click()
  await page.getByText('41 of 60 left').waitFor()
})

test('the keyboard alone reaches, opens and tries an operation, always with a visible focus', async () => {
  const page = await docs({ viewport: { width: 1100, height: 1400 } })
  const focused = () =>
    page.evaluate<{ text: string; outline: string }>(
      `(({ activeElement: element }) => ({ text: (element.getAttribute('aria-label') ?? element.textContent).trim(), outline: getComputedStyle(element).outlineStyle }))(document)`,
    )
  const tabTo = async (text: RegExp) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      const { text: found, outline } = await focused()
      expect(outline, found).not.toBe('none')
      if (text.test(found)) return
    }
    expect.fail(`Tab never reaches ${text}`)
  }
  await tabTo(/^Skip to the content/)
  await tabTo(/^No key/)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your API key' })
  for (let i = 0; i < 8; i++) {
    expect(await dialog.locator(':focus').count()).toBe(1)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Escape')
  expect((await focused()).text).toMatch(/^No key/)
  await page.evaluate(`document.querySelector('.skip-link[href="#operations"]').focus()`)
  await page.keyboard.press('Enter')
  await tabTo(/^Animals/)
  await page.keyboard.press('Space')
  await block(page, 'listPets').waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await tabTo(/^GET\s*\/pets\s*List animals/)
  await page.keyboard.press('Enter')
  await block(page, 'listPets').getByRole('button', { name: 'Execute' }).waitFor()
  await tabTo(/^Execute/)
  await page.keyboard.press('Space')
  await block(page, 'listPets').locator('.answer').waitFor()
  forgiveRefusals()
})

test('nothing makes the page scroll sideways on a phone', async () => {
  const page = await docs({ viewport: { width: 390, height: 844 } })
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  expect(await width()).toBe(390)
  await page.getByRole('button', { name: 'Contents and search' }).click()
  await page.getByRole('searchbox').waitFor()
  expect(await width()).toBe(390)
  await page.keyboard.press('Escape')
  await page.screenshot({ path: `${pictures}/mobile.png` })
  for (const id of ['getPet', 'createPets', 'listOrders', 'updateApiKey'] as const) {
    await open(page, id)
  }
  await page.getByRole('button', { name: 'Schemas' }).click()
  expect(await width()).toBe(390)
  await page.locator('.scheme-container .authorize').click()
  expect(await width()).toBe(390)
})
