import '../../src/compile-cache.js'
import { readFile } from 'node:fs/promises'
import { loadAnew } from './anew.ts'
import type { FromServer, ToServer } from './messages.ts'

// What takes most of a start is done before there is a change.
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'))
/** What the service loads only where it is asked for. */
const rare = /^(node|pino-pretty|@prometheus-io\/.*|@opentelemetry\/.*|@fastify\/otel)$/
const names = Object.keys(dependencies).filter(name => !rare.test(name))
let isWanted = false

async function prepare(): Promise<void> {
  await Promise.allSettled(names.map(name => import(name)))
  if (isWanted) return
  const { warmUp } = await import('./serve.ts')
  if (isWanted) return
  for await (const _step of warmUp()) if (isWanted) return
}
// What is wrong with the code is told once it is to serve.
const prepared = prepare().catch(() => {})
prepared.then(() => process.send?.('prepared' satisfies FromServer))

const leave = () => process.exit()
const ends = ['disconnect', 'SIGINT', 'SIGTERM'] as const
for (const name of ends) process.once(name, leave)
process.once('message', async (message: ToServer) => {
  if (!('load' in message)) return
  for (const name of ends) process.off(name, leave) // from now on it stops as a server does
  isWanted = true
  await prepared
  loadAnew(message.load === 'all')
  const { start } = await import('./serve.ts')
  await start()
})
