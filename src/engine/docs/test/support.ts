import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { type operations, type RunningServer, startProcess } from 'spec-served-lab/support/petstore'
import { afterAll, afterEach, beforeAll, expect, inject, onTestFinished } from 'vitest'

/** The directory for pictures of the page. */
export const pictures = 'test/.output'
/** The screens on which readers see the page. */
export const sizes = {
  desk: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
}
/** Started before the first test of a file, and stopped after the last. */
export let server: RunningServer
let browser: Browser
/** One with every scope. */
export let key: string
/** The faults of all pages: errors and warnings on the console, violations of the policy, requests to elsewhere. */
let faults: string[] = []

/** Gives a file of tests a server and a browser. Each file calls it first. */
export function useDocs(): void {
  const directory = temporaryDirectory()
  beforeAll(async () => {
    await mkdir(pictures, { recursive: true })
    ;[server, browser] = await Promise.all([
      dataDirectory(directory).then(DATA_DIR => startProcess({ DATA_DIR })),
      chromium.connect(inject('browser')),
    ])
    key = await readFile(join(directory, 'api-key'), 'utf8').then(
      text => text.trim(),
      () => `pet_live_${'0'.repeat(36)}`,
    )
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })
  afterEach(() => {
    const found = faults
    faults = []
    expect(found).toEqual([])
  })
}

/** Takes what Chromium says of refused requests for no fault: the test asked for them. */
export function forgiveRefusals(): void {
  faults = faults.filter(fault => !fault.startsWith('Failed to load resource'))
}

export async function openDocs(
  options: BrowserContextOptions & { origin?: string; path?: string; hash?: string } = {},
): Promise<Page> {
  const { origin = server.url, path = '/docs', hash = '', ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1280, height: 1400 },
    timezoneId: 'America/Los_Angeles', // where a day of the document begins on the day before
    ...rest,
  })
  context.setDefaultTimeout(300_000) // on a machine that has other work
  return visit(await context.newPage(), origin, hash, path)
}

export async function visit(page: Page, origin = server.url, hash = '', path = '/docs'): Promise<Page> {
  page.on('console', message => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  page.on('pageerror', error => faults.push(error.message))
  page.on('request', request => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin) faults.push(request.url())
  })
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', event => console.error(event.violatedDirective, event.blockedURI))`,
  )
  await page.goto(`${origin}${path}${hash}`)
  await page.locator('.opblock').first().waitFor({ state: 'attached' })
  return page
}

/** A page of the test's own, which is closed after it. */
export async function docs(options?: Parameters<typeof openDocs>[0]): Promise<Page> {
  const page = await openDocs(options)
  onTestFinished(() => page.context().close())
  return page
}

/** A page that shows another document than the server's. */
export async function showDocument(
  document: object,
  options?: Parameters<typeof openDocs>[0],
): Promise<Page> {
  const page = await docs(options)
  await page.route('**/openapi.json?*', route => route.fulfill({ json: document }))
  await page.reload()
  await page.locator('.opblock').first().waitFor({ state: 'attached' })
  return page
}

/** An operation of the document; the literal names of the pet store's own help the editor. */
type OperationId = keyof typeof operations | (string & {})

export const block = (page: Page, operationId: OperationId) => page.locator(`.opblock[id$="-${operationId}"]`)
/** The field of a parameter. */
export const fieldOf = (page: Page, operationId: OperationId, name: string) =>
  block(page, operationId).getByLabel(name, { exact: true })
export async function open(page: Page, operationId: OperationId): Promise<void> {
  const control = block(page, operationId).locator('.opblock-summary-control')
  if ((await control.getAttribute('aria-expanded')) === 'false') await control.click()
  await block(page, operationId).locator('.replies').waitFor()
}
/** The panel of the reply that is shown. */
export const replyOf = (page: Page, operationId: OperationId) =>
  block(page, operationId).getByRole('tabpanel')
export const showReply = (page: Page, operationId: OperationId, status: number) =>
  block(page, operationId)
    .locator('.reply-groups')
    .getByRole('tab', { name: String(status) })
    .click()

export async function authorize(page: Page, remember = false): Promise<void> {
  await page.locator('.scheme-container .authorize').click()
  const dialog = page.locator('.dialog-ux')
  await dialog.getByLabel('Your API key').fill(key)
  if (remember) await dialog.getByText('Remember on this computer').click()
  await dialog.getByRole('button', { name: 'Use this key' }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
}

export async function execute(page: Page, operationId: OperationId): Promise<void> {
  await block(page, operationId).getByRole('button', { name: 'Execute' }).click()
  await block(page, operationId).locator('.answer').waitFor()
}

/** The browser's storage as text, of the tab and of the computer. */
export const kept = (page: Page) =>
  page.evaluate<{ tab: string; computer: string }>(
    `(() => {
      // The version that was seen is no secret.
      const told = ({ 'docs.seen': _, ...rest }) => JSON.stringify(rest)
      return { tab: told({ ...sessionStorage }), computer: told({ ...localStorage }) }
    })()`,
  )
