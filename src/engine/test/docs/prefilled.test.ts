import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { modelOf } from '../../src/engine/document/model.ts'
import { ownDocuments } from '../../src/engine/test/support/exchanges.ts'
import { sendFromPage } from '../../src/engine/test/support/pages.ts'
import { readDocument } from '../../src/engine/tools/reading/read.ts'

let browser: Browser
beforeAll(async () => {
  browser = await chromium.connect(inject('browser'))
})
afterAll(() => browser.close())

test.each(ownDocuments)(
  'the server takes what the page fills in for each operation of %s',
  async file => {
    const { document, text } = await readDocument(file)
    expect(await sendFromPage(browser, text, modelOf(document))).toMatchObject({ faults: [] })
  },
  300_000,
)
