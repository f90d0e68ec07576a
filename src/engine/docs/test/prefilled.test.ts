import { type Browser, chromium } from 'playwright-core'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { ownDocuments } from 'spec-served-lab/support/exchanges'
import { sendFromPage } from 'spec-served-lab/support/pages'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

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
