import '../../src/compile-cache.js'
import { readFile } from 'node:fs/promises'

// Libraries change rarely and take half of a start: they are loaded before there is a change.
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'))
/** What the service loads only where it is asked for. */
const rare = /^(node|pino-pretty|@prometheus-io\/.*|@opentelemetry\/.*|@fastify\/otel)$/
const names = Object.keys(dependencies).filter(name => !rare.test(name))
const loaded = Promise.allSettled(names.map(name => import(name)))

const leave = () => process.exit()
process.once('disconnect', leave)
process.once('message', async () => {
  process.off('disconnect', leave) // from now on it is told to stop
  await loaded
  await import('./serve.ts')
})
