import { readFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import { failureText } from '../src/failure-text.ts'
import type { paths } from '../src/generated/schema.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'

const usage = `Usage: npm run demo -- [--url URL] [--key KEY] [--animals N]

Drives a running store with a client that knows nothing but the generated types, and prints what happens.
  --url      where the store is (default: PETSTORE_URL, or http://localhost:3000)
  --key      an API key (default: PETSTORE_KEY, or what data/api-key holds)
  --animals  how many are added (default: 40)`

/** A client that waits when it is told to, and tries again. */
function connect(url: string, apiKey: string) {
  const client = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': apiKey } })
  const sent = new Map<string, Request>()
  client.use({
    onRequest({ id, request }) {
      sent.set(id, request.clone()) // a body is read but once
    },
    async onResponse({ id, response }) {
      const request = sent.get(id)
      sent.delete(id)
      if (response.status !== 429 || !request) return undefined
      const seconds = Number(response.headers.get('Retry-After'))
      console.log(`\n  429: waiting ${seconds} s, as Retry-After says`)
      await new Promise(resolve => setTimeout(resolve, seconds * 1000))
      return fetch(request)
    },
  })
  return client
}

function bar(done: number, total: number): void {
  const width = 40
  const filled = Math.round((done / total) * width)
  const text = `  ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} animals`
  process.stdout.write(process.stdout.isTTY ? `\r${text}` : done === total ? `${text}\n` : '')
}

function need<T>(data: T | undefined, error: { code: string; message: string } | undefined): T {
  if (data !== undefined) return data
  throw new Error(error ? `${error.code}: ${error.message}` : 'The server answered nothing')
}

async function tour(client: ReturnType<typeof connect>, total: number): Promise<void> {
  const name = `Demo ${new Date().toISOString()}`
  const made = await client.POST('/categories', { body: { name } })
  const category = need(made.data, made.error)
  console.log(`Category ${category.id}: ${category.name}`)

  const taken = await client.POST('/categories', { body: { name } })
  if (taken.error?.code === 'category_name_taken')
    console.log(`The same once more is refused: ${taken.error.message}`)

  for (let done = 0; done < total; ) {
    const size = Math.min(20, total - done)
    const body = Array.from({ length: size }, (_, i) => ({
      name: `Animal ${done + i + 1}`,
      categoryId: category.id,
    }))
    const added = await client.POST('/pets/batch', {
      body,
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    })
    done += need(added.data, added.error).length
    bar(done, total)
  }
  if (process.stdout.isTTY) console.log()

  let seen = 0
  let pages = 0
  for (let cursor: string | undefined; ; ) {
    const query = { categoryId: category.id, sort: 'name' as const, limit: 15, ...(cursor && { cursor }) }
    const page = await client.GET('/pets', { params: { query } })
    seen += need(page.data, page.error).length
    pages++
    cursor = page.response.headers.get('X-Next-Cursor') ?? undefined
    if (!cursor) break
  }
  console.log(`Paged through ${seen} animals on ${pages} pages`)

  const first = await client.GET('/pets', { params: { query: { categoryId: category.id, limit: 1 } } })
  const [pet] = need(first.data, first.error)
  if (!pet) throw new Error('There is no animal to order')
  const header = { 'Idempotency-Key': crypto.randomUUID() }
  const ordered = await client.POST('/store/orders', {
    body: { petId: pet.id, quantity: 1 },
    params: { header },
  })
  console.log(`Ordered ${pet.name}: order ${need(ordered.data, ordered.error).id}`)
  const again = await client.POST('/store/orders', {
    body: { petId: pet.id, quantity: 1 },
    params: { header },
  })
  console.log(
    `The same request again: order ${need(again.data, again.error).id}, replayed: ${again.response.headers.get('Idempotent-Replayed')}`,
  )
  const refused = await client.POST('/store/orders', { body: { petId: pet.id, quantity: 1 } })
  console.log(`A second order is refused with ${refused.error?.code}: ${refused.error?.message}`)

  const usage = await client.GET('/usage')
  for (const window of need(usage.data, usage.error).windows)
    console.log(`Left this ${window.name}: ${window.remaining} of ${window.limit}`)
}

const options = {
  url: { type: 'string', default: process.env.PETSTORE_URL ?? 'http://localhost:3000' },
  key: { type: 'string', default: process.env.PETSTORE_KEY ?? '' },
  animals: { type: 'string', default: '40' },
} as const

await runCommand({ usage, options }, async ({ url, key, animals }) => {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Misuse('--url begins with http:// or https://')
  const total = wholeNumber('--animals', animals, 1)
  const apiKey = key || (await readFile('data/api-key', 'utf8').catch(() => '')).trim()
  console.log(`A tour of ${url}`)
  try {
    await tour(connect(url, apiKey), total)
  } catch (error) {
    throw new Error(`${failureText(error)}\nIs the server running, and is the key right? (--url, --key)`)
  }
  return 0
})
