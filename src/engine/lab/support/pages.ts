import type { Browser, Locator, Page } from 'playwright-core'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { sampler } from 'spec-served-cli/internal/samples/samples'
import { type Model, modelOf, type OperationModel } from 'spec-served-document/model'
import type { Parameter, RequestBody } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { clientCalls } from './exchanges.ts'

/** The outcome for the operations of a document on its docs page. */
export interface Sent {
  operations: number
  /** those whose panel the page hides, and those for which there is no valid request */
  unsent: number
  /** requests that the server refused, or that the page did not send */
  faults: string[]
}

/**
 * Sends a request for each operation from the docs page of a mock, as the page fills it in. Required parameters that
 * the page leaves to the reader get values of their schemas. Nothing needs a credential.
 */
export async function sendFromPage(browser: Browser, text: string, original: Model): Promise<Sent> {
  const document = structuredClone(original.document)
  document.security = []
  for (const { operation } of modelOf(document).operations) delete operation.security
  const model = modelOf(document)
  const app = await serveMocks(text, model, { isOurs: false })
  const context = await browser.newContext({ viewport: { width: 1280, height: 1400 } })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  await page.goto(`${await app.listen({ port: 0, host: '127.0.0.1' })}/docs`)
  await page.locator('.opblock').first().waitFor({ state: 'attached' })
  const draw = sampler(createSchemas(model), { isFull: false, direction: 'request' })
  const sent: Sent = { operations: model.operations.length, unsent: 0, faults: [] }
  const possible = new Set(clientCalls(model).map(({ operation }) => operation.id))
  for (const operation of model.operations) {
    if (!possible.has(operation.id)) {
      sent.unsent++
      continue
    }
    const fault = await faultOf(page, operation, ({ content = {}, ...part }) =>
      draw({
        // An empty list or object in a query is not there.
        allOf: [
          { minItems: 1, minProperties: 1 },
          ('schema' in part && part.schema) || (Object.values(content)[0]?.schema ?? {}),
        ],
      }),
    ).catch(error => String(error))
    if (fault === 'unsent') sent.unsent++
    else if (fault !== undefined) sent.faults.push(`${operation.method} ${operation.path}: ${fault}`)
  }
  await context.close()
  await app.close()
  return sent
}

async function faultOf(
  page: Page,
  { method, path, parameters, body }: OperationModel,
  draw: (part: Parameter | RequestBody) => unknown,
): Promise<string | undefined> {
  const block = page
    .locator(`.opblock:has([data-path=${JSON.stringify(path)}])`)
    .filter({ has: page.locator('.opblock-summary-method', { hasText: new RegExp(`^${method}$`) }) })
    .first() // of the tags that it has
  const control = block.locator('.opblock-summary-control')
  if ((await control.getAttribute('aria-expanded')) === 'false') await control.click()
  await block.locator('.replies').waitFor()
  const execute = block.getByRole('button', { name: 'Execute' })
  if ((await execute.count()) === 0) return 'unsent'
  for (const parameter of parameters.filter(({ required }) => required)) {
    const row = block.locator(
      `tr[data-param-name=${JSON.stringify(parameter.name)}][data-param-in=${parameter.in}]`,
    )
    await fill(row, draw(parameter), parameter.content !== undefined)
  }
  // A change of access begins with an empty body.
  const text = block.locator('.opblock-section-request-body textarea').first()
  if (body && (await text.count()) > 0 && (await text.inputValue()) === '{}')
    await text.fill(JSON.stringify(draw(body)))
  for (const chooser of await block.locator('input[type=file]').all())
    await chooser.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.waitForTimeout(300) // a field is read when nothing was typed for a moment
  const request = page.waitForRequest(candidate => candidate.resourceType() === 'fetch', { timeout: 290_000 })
  const sent = request.catch(() => undefined)
  await execute.click()
  const question = page.getByRole('dialog', { name: 'Send this request?' })
  if (method === 'DELETE' || (await question.count()) > 0)
    await question.getByRole('button', { name: 'Send', exact: true }).click()
  const response = await (await sent)?.response()
  if (!response) {
    const marked = block.locator('.invalid, .field-fault, .validation-errors')
    const faults = (await marked.allTextContents()).filter(Boolean).join(' ')
    return `nothing was sent: ${faults.slice(0, 300)}`
  }
  await control.click()
  if (![400, 404, 405, 413, 415, 422].includes(response.status())) return undefined
  const answer = await response.text()
  if (response.status() === 404 && !/There is nothing at/.test(answer)) return undefined
  return `${response.status()} ${answer.slice(0, 400)} for ${response.request().url()} ${response.request().postData()?.slice(0, 300) ?? ''}`
}

/** Fills in a parameter that is empty. */
async function fill(row: Locator, value: unknown, isJson: boolean): Promise<void> {
  const text = isJson || typeof value === 'object' ? JSON.stringify(value) : String(value)
  const field = row.locator('input, select, textarea').first()
  if ((await field.count()) === 0) {
    await row.getByRole('button', { name: /^Add/ }).first().click()
    const [first] = Array.isArray(value) ? value : [value]
    return fill(row, first ?? 'text', isJson)
  }
  if ((await field.inputValue()) !== '') return
  const isChoice = await field.evaluate(element => element.tagName === 'SELECT')
  await (isChoice ? field.selectOption({ index: 1 }) : field.fill(text))
}
