import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { copyOfProject, develop } from 'spec-served-lab/support/development'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

let copy: string
let dev: Awaited<ReturnType<typeof develop>>
let browser: Browser
let page: Page
let spec: string
let text: string

beforeAll(async () => {
  copy = await copyOfProject()
  spec = join(copy, 'spec/openapi.yaml')
  text = await readFile(spec, 'utf8')
  dev = await develop(copy, [], await freePort())
  browser = await chromium.connect(inject('browser'))
  page = await browser.newPage()
  page.setDefaultTimeout(300_000) // on a machine that has other work
  const url = await dev.url()
  await page.goto(`${url}/docs`)
  await page.waitForSelector('.swagger-ui .info')
})
afterAll(async () => {
  await browser?.close()
  await dev?.stop()
  await rm(copy, { recursive: true, maxRetries: 3 })
})

/** Replaces a file, as many editors and git do. */
async function replace(file: string, content: string): Promise<void> {
  await writeFile(join(copy, 'new'), content)
  await rename(join(copy, 'new'), file)
}

/** Whether the compiler has the types of the document as it stands. */
async function typesAreCurrent(): Promise<boolean> {
  const hash = createHash('sha256')
    .update(await readFile(spec))
    .digest('hex')
  return (await readFile(join(copy, 'src/generated/schema.ts'), 'utf8')).includes(hash)
}

const alert = () => page.getByRole('alert').filter({ hasText: /:\d+/ })

test('npm run dev shows an edit of the document on the docs page that is open, without a hand', async () => {
  const begun = performance.now()
  await writeFile(spec, text.replace(/^( {2}title:) .*/m, '$1 Zoo'))
  await page.getByText('Zoo').first().waitFor({ state: 'attached' })
  console.log(`shown after ${Math.round(performance.now() - begun)} ms`)
  await expect.poll(typesAreCurrent).toBe(true)
})

test('npm run dev keeps serving the last good document, and shows faults with file and line, there and on the page', async () => {
  const url = await dev.url()
  await writeFile(spec, text.replace('operationId: listPets', 'operationId: [listPets]'))
  await alert().waitFor()
  expect(await alert().textContent()).toMatch(/spec\/openapi\.yaml:\d+/)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect(dev.output()).toMatch(/not loaded, .*:\n.*openapi\.yaml:\d+/)

  await writeFile(spec, text)
  await alert().waitFor({ state: 'detached' })

  const file = join(copy, 'src/handlers/dates.ts')
  const code = await readFile(file, 'utf8')
  await writeFile(file, `${code}export const wrong: number = 'text'\n`)
  await page.getByText(/dates\.ts\(5,14\): error TS2322/).waitFor()
  await writeFile(file, code)
  await alert().waitFor({ state: 'detached' })
}, 600_000)

test.each([
  [
    'throws',
    `throw new Error('half written')`,
    /src\/handlers\/dates\.ts:5 half written: correct it there\./,
  ],
  ['does not parse', 'const twice = ]', /src\/handlers\/dates\.ts:5 Expression expected: correct it there\./],
  [
    'ends its process',
    `console.log('It ends here.')\nprocess.exit(3)`,
    /It ends here\.\n[\s\S]*the server has ended \(3\)/,
  ],
])('npm run dev names code that %s, and recovers', async (_, wrong, told) => {
  const file = join(copy, 'src/handlers/dates.ts')
  const code = await readFile(file, 'utf8')
  dev.forget()
  await replace(file, `${code}${wrong}\n`)
  await dev.said(told)
  dev.forget()
  await replace(file, code)
  const url = await dev.url()
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test('npm run dev leaves the types of the last document behind when it ends', async () => {
  dev.forget()
  await writeFile(spec, text.replace(/^( {2}title:) .*/m, '$1 Farm'))
  await dev.url()
  await dev.stop()
  expect(await typesAreCurrent()).toBe(true)
})
