import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { perform } from 'spec-served/internal/command/run'
import { root } from 'spec-served-cli'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { listen } from 'spec-served-lab/support/http'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'

const all = sharedDirectory()
const library = 'src/engine/document/test/documents/library.yaml'
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** Serves the files below the folder as any host of files does. */
const host = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '', 'http://host').pathname)
  const file = path.endsWith('/') ? `${path}index.html` : path
  const content = await readFile(join(all, file)).catch(() => undefined)
  response
    .writeHead(content ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'text/plain' })
    .end(content)
})
let [origin, browser]: [string, Browser | undefined] = ['', undefined]
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(host)}`
  browser = await chromium.connect(inject('browser'))
})
afterAll(async () => {
  await browser?.close()
  host.close()
})

const write = (folder: string, ...options: string[]) =>
  perform(root, ['docs', '--out', join(all, folder), ...options])

async function open(path: string) {
  const page = await browser?.newPage()
  if (!page) throw new Error('There is no browser')
  onTestFinished(() => page.close())
  const faults: string[] = []
  page.on('console', message => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  page.on('pageerror', error => faults.push(error.message))
  page.on('response', reply => reply.status() === 404 && faults.push(reply.url()))
  await page.goto(`${origin}${path}`)
  await page.locator('.opblock').first().waitFor({ state: 'attached' })
  return { page, faults }
}

test.each(['spec/openapi.yaml', library, 'src/engine/document/test/documents/payments.yaml'])(
  'the docs of %s are read from a host of files, below a path, with all that they lead to',
  async spec => {
    const folder = `below/a path/${spec.replaceAll(/\W/g, '-')}`
    expect((await write(folder, '--spec', spec)).code).toBe(0)
    for (const path of [`/${folder}/`, `/${folder}/index.html`]) {
      const { page, faults } = await open(path)
      const { document } = await readDocument(spec)
      expect(await page.locator('h1').textContent()).toContain(document.info.title)
      const releases = page.locator('.aside a[href*="/releases/"]')
      expect((await releases.count()) > 0).toBe(spec.startsWith('spec/')) // only that one has been released
      for (const link of [...(await page.locator('.document-links a').all()), ...(await releases.all())]) {
        const address = new URL((await link.getAttribute('href')) ?? '', page.url()).href
        const reply = await fetch(address)
        expect([address, reply.status]).toEqual([address, 200])
      }
      const [operation] = modelOf(document).operations
      const block = page.locator(`.opblock[id$="-${operation?.id}"]`)
      const control = block.locator('.opblock-summary-control')
      if ((await control.getAttribute('aria-expanded')) === 'false') await control.click()
      await block.locator('.replies').waitFor()
      await block.getByLabel('More languages').selectOption({ label: 'Ruby' })
      await expect.poll(() => block.locator('.samples pre').textContent()).toContain("require 'net/http'")
      expect(faults).toEqual([])
    }
    const texts = [`${origin}/${folder}/llms.txt`]
    for (const address of texts) {
      const reply = await fetch(address)
      expect([address, reply.status]).toEqual([address, 200])
      if (!/\.(md|txt)$/.test(address)) continue
      const links = (await reply.text()).matchAll(/\]\(([\w./-]+)(?:#[^)]*)?\)/g)
      for (const [, link = ''] of links) {
        const next = new URL(link, address).href
        if (!texts.includes(next)) texts.push(next)
      }
    }
    const { document } = await readDocument(spec)
    expect(texts.length).toBeGreaterThan(modelOf(document).operations.length)
    const feed = await fetch(`${origin}/${folder}/changes.atom`)
    expect(feed.status).toBe(spec.startsWith('spec/') ? 200 : 404) // only that one has been released
  },
)

test('the page of a host of files calls the service at its own address', async () => {
  const { document, text } = await readDocument('spec/openapi.yaml')
  const app = await serveMocks(text, modelOf(document), { isOurs: false })
  onTestFinished(() => app.close())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  expect((await write('calls', '--spec', 'spec/openapi.yaml', '--server', address)).code).toBe(0)
  const { page, faults } = await open('/calls/')
  const block = page.locator('.opblock[id$="-getHealth"]')
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Execute' }).click()
  await expect.poll(() => block.locator('.answer').textContent()).toContain('200')
  expect(faults).toEqual([])
})

test('the docs replace those written before, and no other file', async () => {
  const [mine, kept] = [join(all, 'again/index.html'), join(all, 'again/notes.txt')]
  expect((await write('again', '--spec', 'spec/openapi.yaml')).code).toBe(0)
  await writeFile(kept, 'mine')
  const before = await readFile(join(all, 'again/openapi.json'), 'utf8')
  expect((await write('again', '--spec', library)).code).toBe(0)
  expect(await readFile(join(all, 'again/openapi.json'), 'utf8')).not.toBe(before)
  expect(await readFile(join(all, 'again/operations/listPets.md')).catch(() => 'gone')).toBe('gone')
  expect(await readFile(kept, 'utf8')).toBe('mine')
  await writeFile(mine, 'changed')
  expect(await write('again', '--spec', library)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /again\/index\.html was not written by this command.* Nothing was written\.$/,
    ),
  })
  expect(await readFile(mine, 'utf8')).toBe('changed')
})

test('the docs go through no link to another folder', async () => {
  await mkdir(join(all, 'linked'))
  await mkdir(join(all, 'elsewhere'))
  await symlink(join(all, 'elsewhere'), join(all, 'linked/operations'))
  expect((await write('linked', '--spec', library)).code).toBe(1)
})

test('names of operations that no file can have get one', async () => {
  const file = join(all, 'names.yaml')
  const operation = (id: string) => ({ operationId: id, responses: { 200: { description: 'ok' } } })
  const ids = ['../../up', 'a/b', 'getPet', 'getpet', 'ä'.repeat(300), 'CON ?#%']
  const paths = Object.fromEntries(ids.map((id, i) => [`/p${i}`, { get: operation(id) }]))
  await writeFile(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Names', version: '1' }, paths }))
  expect((await write('names', '--spec', file)).code).toBe(0)
  const llms = await readFile(join(all, 'names/llms.txt'), 'utf8')
  const links = [...llms.matchAll(/\]\((operations\/[^)]*)\)/g)].flatMap(([, link]) => link ?? [])
  expect(new Set(links.map(link => link.toLowerCase())).size).toBe(ids.length)
  for (const link of links) expect((await fetch(`${origin}/names/${link}`)).status).toBe(200)
})
