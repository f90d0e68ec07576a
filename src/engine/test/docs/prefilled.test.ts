import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { modelOf } from '../../document/model.ts'
import { readDocument } from '../../tools/reading/read.ts'
import { ownDocuments } from '../support/exchanges.ts'
import { sendFromPage } from '../support/pages.ts'

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
