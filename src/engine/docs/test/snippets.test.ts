import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { ownModel } from 'spec-served-lab/support/model'
import { operations } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { languages, type Recorded, run, startRecorder } from './snippets.ts'
import { authorize, block, docs, fieldOf, key, open, openDocs, pictures, server, useDocs } from './support.ts'

useDocs()

const ids = Object.keys(operations) as (keyof typeof operations)[]
const directory = resolve(pictures, 'snippets')
const onMachine = await Promise.all(
  languages.map(({ version: [program, ...args] }) =>
    run(program, args).then(
      () => true,
      () => false,
    ),
  ),
)
const runnable = languages.filter((_, i) => onMachine[i])

let recorder: Awaited<ReturnType<typeof startRecorder>>
let page: Page
beforeAll(async () => {
  recorder = await startRecorder(server.url)
  page = await openDocs({ origin: recorder.url })
  for (const id of ids) await open(page, id)
})
afterAll(async () => {
  await page?.context().close()
  await recorder?.stop()
  await rm(directory, { recursive: true, force: true })
})

const samplesOf = (where: Page, id: keyof typeof operations) => block(where, id).locator('.samples')

const model = await ownModel()

/** Returns the query that a request must have, with its numbers left open. */
function queryOf(id: keyof typeof operations): string {
  const required =
    model.operation(id)?.parameters.filter(parameter => parameter.in === 'query' && parameter.required) ?? []
  const pairs = required.map(({ name, example }) => `${name}=${String(example).replace(/\d+/g, '{}')}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Chooses a language by its tab, or in the list of further ones, and waits for its code. */
async function choose(samples: Locator, title: string): Promise<void> {
  const tab = samples.getByRole('tab', { name: title, exact: true })
  if ((await tab.count()) > 0) await tab.click()
  else await samples.getByLabel('More languages').selectOption({ label: title })
  await samples.locator('pre', { hasNotText: 'being loaded' }).waitFor()
}

/** The code of each operation, as the page shows it in a language. */
async function codesIn(title: string): Promise<Map<string, string>> {
  const [first = 'listPets'] = ids
  await choose(samplesOf(page, first), title)
  const shown = ids.map(
    async id => [id, (await samplesOf(page, id).locator('pre').textContent()) ?? ''] as const,
  )
  return new Map(await Promise.all(shown))
}

/** A key of its own for a language: what one does with keys stops no other. */
async function newKey(name: string): Promise<string> {
  const reply = await fetch(`${server.url}/api-keys`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, plan: 'Business', scopes: ['read', 'write', 'admin'] }),
  })
  const issued = (await reply.json()) as { secret: string } // as the document says
  return issued.secret
}

const requestOf = ({ method, url, type, body }: Recorded) => ({ method, url, type: body && type, body })

let keys: Map<string, string>
let asCurlSends: Recorded[]
beforeAll(async () => {
  keys = new Map(await Promise.all(runnable.map(async ({ title }) => [title, await newKey(title)] as const)))
})

test('the key that was given is masked, and copied with the code', async () => {
  const own = await docs()
  await own.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(own, 'listOrders')
  const samples = samplesOf(own, 'listOrders')
  expect(await samples.locator('pre').textContent()).toContain('YOUR_API_KEY')
  // The page says why there is no form.
  expect(await block(own, 'listOrders').getByText('can’t be tried from here').isVisible()).toBe(true)
  await authorize(own)
  for (const { title } of languages) {
    await choose(samples, title)
    expect(await samples.locator('pre').textContent()).toContain('pet_live_••••••••')
    await samples.getByRole('button', { name: /^Copy/ }).click()
    const copied = await own.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(key)
    expect(copied).not.toContain('•')
  }
  // The language stays the reader's.
  await own.reload()
  await open(own, 'getHealth')
  expect(await samplesOf(own, 'getHealth').getByRole('tab', { selected: true }).textContent()).toBe('Go')
})

test.each(runnable)('the code of each operation in $title runs as it stands', async language => {
  const { title } = language
  const secret = keys.get(title) ?? ''
  const codes = await codesIn(title)
  const ready = new Map([...codes].map(([id, code]) => [id, code.replaceAll('YOUR_API_KEY', secret)]))
  recorder.take()
  await language.runAll(ready, join(directory, title))
  const sent = recorder.take()
  expect(sent.map(({ method, url }) => `${method} ${url.replace(/\d+/g, '{}')}`)).toEqual(
    ids.map(id => `${operations[id].method} ${operations[id].path.replace(/\{\w+\}/g, '{}')}${queryOf(id)}`),
  )
  for (const [i, { key: shown, status }] of sent.entries()) {
    const id = ids[i] ?? 'listPets'
    expect(shown, id).toBe(operations[id].scope ? secret : undefined)
    // The record may be gone or in use by now. A malformed request would be refused in another way.
    expect([200, 201, 204, 404, 409], id).toContain(status)
  }
  asCurlSends ??= sent
  expect(sent.map(requestOf)).toEqual(asCurlSends.map(requestOf))
})

test('the code follows the form, and what a reader writes is never code', async () => {
  const own = await docs({ origin: recorder.url })
  await open(own, 'createCategory')
  const name = `It's "$(id)" \`x\` \\ \${y}`
  await block(own, 'createCategory').locator('textarea').fill(JSON.stringify({ name }))
  await fieldOf(own, 'createCategory', 'Idempotency-Key').fill(`a'b"c`)
  await own.waitForTimeout(500) // the field is read when nothing was typed for a moment
  for (const language of runnable) {
    await choose(samplesOf(own, 'createCategory'), language.title)
    const code = (await samplesOf(own, 'createCategory').locator('pre').textContent()) ?? ''
    recorder.take()
    await language.runAll(new Map([['createCategory', code]]), join(directory, `form-${language.title}`))
    const [sent] = recorder.take()
    expect(sent?.body, language.title).toEqual({ name })
  }
})

test.each([
  ['PHP', /CURLOPT_CUSTOMREQUEST => "POST"/, String.raw`\$a #{b}`],
  ['C#', /HttpMethod\.Post/, '$a #{b}'],
  ['Ruby', /Net::HTTP::Post/, String.raw`$a \#{b}`],
  ['Kotlin', /\.post\(body\)/, String.raw`\$a #{b}`],
  ['C', /CURLOPT_CUSTOMREQUEST, "POST"/, '$a #{b}'],
])('%s is loaded once it is chosen, by keys too, and stays the reader’s', async (title, verb, name) => {
  const own = await docs()
  const loaded: string[] = []
  own.on('request', request => loaded.push(new URL(request.url()).pathname))
  await open(own, 'createCategory')
  await block(own, 'createCategory')
    .locator('textarea')
    .fill(JSON.stringify({ name: '$a #{b}' }))
  const samples = samplesOf(own, 'createCategory')
  const list = samples.getByLabel('More languages')
  await list.focus()
  expect(loaded).not.toContain('/docs/static/languages.js')
  const chosen = list.locator('option:checked')
  for (let presses = 0; presses < 9 && (await chosen.textContent()) !== title; presses++)
    await list.press('ArrowDown')
  await expect.poll(() => samples.locator('pre').textContent()).toMatch(verb)
  await expect.poll(() => samples.locator('pre').textContent()).toContain(name)
  const code = (await samples.locator('pre').textContent()) ?? ''
  expect(code).toContain(`${server.url}/categories`)
  expect(code).toContain('YOUR_API_KEY')
  expect(code).toContain('application/json')
  expect(loaded.filter(path => path.endsWith('/languages.js'))).toHaveLength(1)
  await own.reload()
  await open(own, 'getPet')
  const kept = samplesOf(own, 'getPet')
  expect(await kept.getByLabel('More languages').locator('option:checked').textContent()).toBe(title)
  await expect.poll(() => kept.locator('pre').textContent()).toContain(`${server.url}/pets/1`)
})
