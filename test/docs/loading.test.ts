import { expect, test } from 'vitest'
import { openDocs, server } from './support.ts'

test('a first visit loads little, each file once, and moves nothing that is there', async () => {
  const page = await openDocs()
  try {
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.setCacheDisabled', { cacheDisabled: true })
    const sizes: number[] = []
    network.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
    await page.addInitScript(`
      globalThis.shifts = []
      new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await page.goto(`${server.url}/docs`)
    await page.locator('.replies').first().waitFor()
    await page.waitForTimeout(1000) // all that it would load and move later
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter(path => path.startsWith('/'))`,
    )
    expect(loaded.toSorted()).toEqual([
      '/docs/json',
      '/docs/static/swagger-initializer.js',
      '/docs/static/swagger-ui-bundle.js',
      '/docs/static/swagger-ui.css',
      '/docs/static/theme/page.css',
      '/docs/static/theme/page.js',
    ])
    // Four fifths of it is Swagger UI itself.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(490_000)
    expect(await page.evaluate('shifts')).toEqual([])
  } finally {
    await page.context().close()
  }
})
