import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Client, connect, need, type Retry } from 'spec-served/client'
import { operations } from '../src/generated/operations.ts'
import type { paths } from '../src/generated/schema.ts'

const help = `Usage: npm run demo -- [OPTIONS]

Drives a running store, and prints what happens. Its client knows nothing but the generated types. The variable API_KEY,
or the file api-key in DATA_DIR, holds the key. What it adds stays in the store, and the last line names it.

  --url URL    where the store is; else the variable PORT says so
  --key KEY    an API key in their place; others on this machine can see it
  --animals N  how many are added (default: 40)`

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

/** Servers and other clients choose some texts, so that control characters are spelt out. */
const visible = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
const say = (line: string) => console.log(visible(line))

/** How wide a bar is that shows how much is done. */
const width = 40

/** The records that the tour has added so far, in words. */
const added: string[] = []

async function tour(client: Client<paths>, total: number): Promise<void> {
  const name = `Demo ${new Date().toISOString()}`
  const made = await client.POST('/categories', { body: { name } })
  const category = need(made)
  added.push(`the category ${category.id} (${category.name})`)
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
    added[1] = `${done} animals in it`
    const filled = Math.round((done / total) * width)
    console.log(`  ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} animals`)
  }

  let seen = 0
  for await (const pet of client.items('/pets', {
    query: { categoryId: category.id, sort: 'name', limit: 15 },
  }))
    if (pet.categoryId === category.id) seen++
  say(`Went through ${seen} animals, page by page`)

  const first = await client.GET('/pets', { query: { categoryId: category.id, limit: 1 } })
  const [pet] = need(first)
  if (!pet) throw new Error('There is no animal to order')
  const order = {
    body: { petId: pet.id, quantity: 1 },
    header: { 'Idempotency-Key': crypto.randomUUID() },
  }
  const ordered = await client.POST('/store/orders', order)
  added.push(`the order ${need(ordered).id}`)
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

/** Reads the options. @throws Error for a wrong use */
async function optionsOf(args: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: { url: text, key: text, animals: text, help: { type: 'boolean' } },
  })
  const { PORT = '3000', DATA_DIR = './data', API_KEY } = process.env
  const { url = `http://localhost:${PORT}`, animals = '40' } = values
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Error('--url begins with http:// or https://')
  if (!/^[1-9]\d{0,5}$/.test(animals)) throw new Error('--animals is a whole number from 1 to 999999')
  const stored = () => readFile(join(DATA_DIR, 'api-key'), 'utf8').catch(() => '')
  const key = values.key || API_KEY || (await stored()).trim()
  if (/[^\t -~]/.test(key))
    throw new Error('The key holds a line break or another character that no header field carries')
  return { url, key, animals: Number(animals), isHelp: values.help }
}

/** Whether anybody answers at a URL, whatever it is. */
const isAnswered = (url: string) =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  )

/** Returns the exit code: 0 done, 1 failed, 2 wrong use. */
async function run(args: string[]): Promise<number> {
  const options = await optionsOf(args).catch((error: Error) => error) // of parseArgs, or ours
  if (options instanceof Error) {
    console.error(`${options.message}\n${help}`)
    return 2
  }
  const { url, key, animals, isHelp } = options
  console.log(isHelp ? help : `A tour of ${url}`)
  if (isHelp) return 0
  if (!(await isAnswered(url))) {
    console.error(`Nobody answers at ${url}. Start the server by \`npm start\`, or name another by --url.`)
    return 1
  }
  try {
    await tour(connectTo(url, key), animals)
    return 0
  } catch (error) {
    console.error(visible(String(error)))
    console.error('Is it a pet store, and is the key right? (--url, API_KEY)')
    return 1
  } finally {
    if (added.length > 0) say(`This stays in the store: ${added.join(', ')}.`)
  }
}

if (existsSync('.env')) process.loadEnvFile()
process.exitCode = await run(process.argv.slice(2))
