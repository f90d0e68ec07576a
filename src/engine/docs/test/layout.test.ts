import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { block, docs, open, showDocument, sizes, useDocs } from './support.ts'

useDocs()

const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

describe.each(Object.entries(sizes))('on a %s', (size, viewport) => {
  test('the first call is on the first screen in either look, and contents, operation and code have places', async () => {
    const page = await docs({ viewport })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { y, height } = await boxOf(page.locator('.first-call pre').first())
      expect(y + height).toBeLessThan(viewport.height)
      const behind = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
      await expect.poll(behind).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 23, 27)')
    }
    await open(page, 'placeOrder')
    const navigation = page.getByRole('navigation')
    const [text, code] = await Promise.all([
      boxOf(block(page, 'placeOrder').locator('.opblock-section').first()),
      boxOf(block(page, 'placeOrder').locator('.samples')),
    ])
    if (size === 'desk') {
      const list = await boxOf(navigation)
      expect(list.x + list.width).toBeLessThanOrEqual(text.x)
      expect(text.x + text.width).toBeLessThanOrEqual(code.x)
      expect(code.x + code.width).toBeLessThanOrEqual(viewport.width)
    } else {
      expect(await navigation.isVisible()).toBe(false)
      expect(code.y).toBeGreaterThanOrEqual(text.y + text.height)
      await page.getByRole('button', { name: 'Contents and search' }).click()
      expect(await page.getByRole('searchbox').evaluate(input => input.matches(':focus'))).toBe(true)
      await page.keyboard.press('Escape')
      await navigation.waitFor({ state: 'hidden' })
      await page.keyboard.press('/')
    }
    await navigation.getByRole('link', { name: 'Change an API key' }).click()
    await block(page, 'updateApiKey').locator('.replies').waitFor()
    if (size !== 'desk') await navigation.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
  })
})

test('the list at the left has the order of the page, and is right at the end of the page too', async () => {
  const page = await docs({ viewport: sizes.desk })
  await page.locator('.guide').waitFor()
  const listed = await page
    .locator('.navigation a:not(.nav-tag a)')
    .evaluateAll(links => links.map(link => link.getAttribute('href')))
  const places = await page
    .locator('main [data-place]')
    .evaluateAll(found =>
      found.map(place => `#${String(place.getAttribute('data-place')).replace(/^#/, '')}`),
    )
  expect(listed).toEqual(places.filter(place => !place.startsWith('#errors/')))
  const current = page.locator('.navigation [aria-current]')
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await expect.poll(() => current.getAttribute('href')).toBe(listed.at(-1))
  const [before] = listed.slice(-2)
  // It can’t come to the top, but it is what the reader chose.
  await page.evaluate(`document.querySelector('.chapter:last-child').style.height = '100px'`)
  await page.locator('.navigation').getByRole('link').nth(-2).click()
  await page.waitForTimeout(700) // until the page has settled
  expect(await current.getAttribute('href')).toBe(before)
})

test('all that is read has one left edge', async () => {
  const page = await docs({ viewport: sizes.desk })
  await open(page, 'createPet')
  await page.locator('.guide').waitFor()
  const edges = await page.evaluate<[string, number][]>(`(() => {
    const operation = document.querySelector('[id$=-createPet]')
    const parts = [...document.querySelectorAll('h1, .description p, .base-url, .tag-group > h2, [data-tag] span, .chapter > h2, .plans table'),
      ...operation.querySelectorAll('.opblock-summary-method, .opblock-description p, h4, .parameter-place th, .parameter__name, .parameter-value, .field-name, textarea, .reply-words > *')]
    return parts.filter(part => part.checkVisibility()).map(part => {
      const range = document.createRange()
      range.selectNodeContents(part)
      const box = part.matches('textarea, table') ? part : range
      return [part.className || part.tagName, Math.round(box.getBoundingClientRect().left)]
    })
  })()`)
  const [[, left] = ['', 0]] = edges
  expect(edges.filter(([, edge]) => Math.abs(edge - left) > 1)).toEqual([])
})

test('the tags at the left are in the order of the document, whatever that of the operations', async () => {
  const operation = (tag: string) => ({
    get: { tags: [tag], operationId: `read${tag}`, responses: { 204: { description: 'Done.' } } },
  })
  const page = await showDocument({
    openapi: '3.0.3',
    info: { title: 'Ordered', version: '1' },
    tags: [{ name: 'B', 'x-parent': 'Group' }, { name: 'A' }, { name: 'C', 'x-parent': 'Group' }],
    paths: { '/c': operation('C'), '/a': operation('A'), '/b': operation('B') },
  })
  const named = page.locator('.navigation :is(.nav-title, .nav-tag)')
  expect(await named.allTextContents()).toEqual(['Guide', 'Group', 'B', 'C', 'A'])
})

test('the list at the left follows the scroll, in the reference and in the guide', async () => {
  const page = await docs({ viewport: sizes.desk })
  const current = page.locator('.navigation [aria-current]')
  await block(page, 'listOrders').evaluate(found => found.scrollIntoView())
  await expect.poll(() => current.getAttribute('href')).toBe('#/Orders/listOrders')
  // Its entry is where one sees it.
  await expect.poll(async () => (await boxOf(current)).y).toBeLessThan(860)
  await page.evaluate(`location.hash = '#authentication'`)
  await page.locator('.guide').waitFor()
  await page.waitForTimeout(700) // until the page has settled
  await page.locator('[id="errors/pet_in_use"]').evaluate(found => found.scrollIntoView())
  await expect.poll(() => current.textContent()).toBe('Errors')
})

test('the dark look has the lines of the light one, and no others', async () => {
  const lines = async (colorScheme: 'light' | 'dark') => {
    const page = await docs({ colorScheme })
    for (const id of ['createPet', 'getCategory', 'deletePet'] as const) await open(page, id)
    return page.evaluate<string[]>(
      `[...document.querySelectorAll('.opblock.is-open, .opblock.is-open *')].map(element => {
        const { borderTopWidth, borderBottomWidth } = getComputedStyle(element)
        return [element.className.baseVal ?? element.className, borderTopWidth, borderBottomWidth].join(' ')
      })`,
    )
  }
  expect(await lines('dark')).toEqual(await lines('light'))
})

test('the versions stand beside the title or below it, and never on it', async () => {
  const page = await docs({ viewport: { width: 320, height: 640 } })
  const boxes = await page.evaluate<{ title: number; versions: number[] }>(
    `(() => {
      const title = document.querySelector('.info .title')
      const text = document.createRange()
      text.selectNodeContents([...title.childNodes].find(node => node.nodeType === Node.TEXT_NODE))
      const end = text.getBoundingClientRect()
      const versions = [...title.querySelectorAll('small')].map(found => found.getBoundingClientRect())
      return { title: end.bottom, versions: versions.map(({ left, top }) => (left >= end.right ? end.bottom : top)) }
    })()`,
  )
  expect(boxes.versions.length).toBeGreaterThan(0)
  for (const top of boxes.versions) expect(top).toBeGreaterThanOrEqual(boxes.title - 4)
})
