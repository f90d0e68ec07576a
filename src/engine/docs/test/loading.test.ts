import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { docs, openDocs, server, useDocs } from './support.ts'

useDocs()

/** The course of a first visit: see `watch`. */
interface Course {
  /** ms until contents, search and the first operation answer a click; when the first operation is shown whole */
  interactive: number
  whole: number
  /** how much what could be seen was moved */
  shifts: number[]
  files: string[]
  /** bytes on the wire, header fields included: in all, and before it was interactive */
  bytes: number
  bytesBefore: number
}

/** Notes in the page when the three are there and a click would be answered, and what moved. */
const notes = `
  globalThis.course = { shifts: [] }
  new PerformanceObserver(list => course.shifts.push(...list.getEntries().map(({ value }) => value)))
    .observe({ type: 'layout-shift', buffered: true })
  const needed = ['.navigation a[href^="#/"]', '#search', '.opblock-summary-control']
  const look = new MutationObserver(() => {
    if (!course.isThere && needed.every(one => document.querySelector(one))) {
      course.isThere = true
      // Work that is done at once would delay a click.
      const channel = new MessageChannel()
      channel.port1.onmessage = () => (course.interactive = Math.round(performance.now()))
      channel.port2.postMessage(null)
    }
    if (document.querySelector('.replies')) course.whole ??= Math.round(performance.now())
  })
  look.observe(document, { childList: true, subtree: true })`

async function watch(page: Page, hash = ''): Promise<Course> {
  const network = await page.context().newCDPSession(page)
  const finished: { at: number; size: number }[] = []
  const begun: number[] = []
  network.on('Network.requestWillBeSent', ({ timestamp }) => begun.push(timestamp))
  network.on('Network.loadingFinished', ({ timestamp, encodedDataLength }) =>
    finished.push({ at: timestamp, size: encodedDataLength }),
  )
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  await network.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.addInitScript(notes)
  await page.goto('about:blank') // else only the address would change
  await page.goto(`${server.url}/docs${hash}`)
  await page.locator('.replies').first().waitFor()
  await page.waitForTimeout(1000) // all that it would load and move later
  const seen = await page.evaluate<Omit<Course, 'files' | 'bytes' | 'bytesBefore'>>('course')
  const files = await page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter(path => path.startsWith('/'))`,
  )
  const end = Math.min(...begun) + seen.interactive / 1000
  const sum = (of: typeof finished) => of.reduce((total, { size }) => total + size, 0)
  return { ...seen, files, bytes: sum(finished), bytesBefore: sum(finished.filter(({ at }) => at <= end)) }
}

let course: Course
beforeAll(async () => {
  const page = await openDocs({ viewport: { width: 1440, height: 900 } })
  course = await watch(page)
  await page.context().close()
  const { interactive, whole, bytes, bytesBefore } = course
  console.info(
    `A first visit, on a fourth of the CPU: ${interactive} ms and ${bytesBefore} bytes until it is interactive, ${whole} ms and ${bytes} bytes in all`,
  )
})

test('a first visit loads little, and each file once', () => {
  expect(course.files.toSorted()).toEqual([
    '/docs/changes.md',
    '/docs/static/index.css',
    '/docs/static/swagger-initializer.js',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/static/swagger-ui-standalone-preset.js',
    '/docs/static/swagger-ui.css',
    '/docs/static/theme/page.css',
    '/docs/static/theme/page.js',
    '/openapi.json',
  ])
  expect(course.bytes).toBeLessThan(600_000)
})

test('a first visit is interactive soon, on a busy machine too, and moves nothing that is there', () => {
  expect(course.interactive).toBeLessThan(8000)
  expect(course.shifts).toEqual([])
})

test.each([
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])('nor does one that a link leads to an operation ($width px)', async viewport => {
  const page = await docs({ viewport })
  expect((await watch(page, '#/Orders/placeOrder')).shifts).toEqual([])
})
