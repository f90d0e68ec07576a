import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadEnvFile } from '../src/engine/service/process/config.ts'
import { failureText, visibleLine } from '../src/engine/service/runtime/visible-text.ts'
import { type Client, connect, need, type Retry } from '../src/engine/tools/client/client.ts'
import { checkCredential, type Given, Misuse, wholeNumber } from '../src/engine/tools/command/arguments.ts'
import { operations } from '../src/generated/operations.ts'
import type { paths } from '../src/generated/schema.ts'

const repeatable = Object.values(operations)
  .filter(facts => facts.repeatable)
  .map(({ method, path }) => `${method} ${path}`)

function connectTo(url: string, apiKey: string): Client<paths> {
  const headers = { 'X-API-Key': apiKey }
  const onRetry = ({ response, waitMs }: Retry) =>
    say(
      `  ${response ? `The server answers ${response.status}` : `Nobody answers at ${url}`}: trying again in ${Math.ceil(waitMs / 1_000)} s`,
    )
  return connect<paths>({ repeatable }, { baseUrl: url, headers, onRetry })
}

/** Servers and other clients choose what some of it says. */
const say = (line: string) => console.log(visibleLine(line))

/** How wide a bar is that shows how much is done. */
const width = 40

async function tour(client: Client<paths>, total: number): Promise<void> {
  const name = `Demo ${new Date().toISOString()}`
  const made = await client.POST('/categories', { body: { name } })
  const category = need(made)
  say(`Category ${category.id}: ${category.name}`)

  const taken = await client.POST('/categories', { body: { name } })
  if (taken.error?.code === 'category_name_taken')
    say(`The same once more is refused: ${taken.error.message}`)

  for (let done = 0; done < total; ) {
    const size = Math.min(20, total - done)
    const body = Array.from({ length: size }, (_, i) => ({
      name: `Animal ${done + i + 1}`,
      categoryId: category.id,
    }))
    done += need(await client.POST('/pets/batch', { body })).length
    const filled = Math.round((done / total) * width)
    console.log(`  ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} animals`)
  }

  let seen = 0
  for await (const pet of client.items('/pets', {
    query: { categoryId: category.id, sort: 'name', limit: 15 },
  }))
    if (pet.categoryId === category.id) seen++
  say(`Went through ${seen} animals, page by page`)

  const first = await client.GET('/pets', { params: { query: { categoryId: category.id, limit: 1 } } })
  const [pet] = need(first)
  if (!pet) throw new Error('There is no animal to order')
  const order = {
    body: { petId: pet.id, quantity: 1 },
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
  }
  const ordered = await client.POST('/store/orders', order)
  say(`Ordered ${pet.name}: order ${need(ordered).id}`)
  const again = await client.POST('/store/orders', order)
  const replayed = again.response.headers.get('Idempotent-Replayed')
  say(`The same request again: order ${need(again).id}, replayed: ${replayed}`)
  const refused = await client.POST('/store/orders', { body: order.body })
  say(`A second order is refused with ${refused.error?.code}: ${refused.error?.message}`)

  const usage = await client.GET('/usage')
  for (const window of need(usage).windows)
    say(`Left this ${window.name}: ${window.remaining} of ${window.limit}`)
}

/** Drives a running store. The variable API_KEY, or the file api-key in DATA_DIR, holds the key. */
export async function run({
  url: given,
  key,
  animals,
}: Given<'url' | 'key'> & { animals: string }): Promise<number> {
  loadEnvFile()
  const { PORT = '3000', DATA_DIR = './data', API_KEY } = process.env
  const url = given ?? `http://localhost:${PORT}`
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Misuse('--url begins with http:// or https://')
  const total = wholeNumber('--animals', animals, 1)
  const stored = () => readFile(join(DATA_DIR, 'api-key'), 'utf8').catch(() => '')
  const apiKey = key || API_KEY || (await stored()).trim()
  checkCredential(apiKey)
  console.log(`A tour of ${url}`)
  try {
    await tour(connectTo(url, apiKey), total)
  } catch (error) {
    throw new Error(`${failureText(error)}\nIs the server running, and is the key right? (--url, API_KEY)`)
  }
  return 0
}
