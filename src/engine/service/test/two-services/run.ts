import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrations } from 'spec-served-lab/support/petstore' // the database is a copy that has them
import { createService, defineService } from '../../index.ts'

// Opens the shop and the zoo of two directories in one process, and calls both by turns. It tells the answers on the
// standard error. The standard output has their log.

const [shopRoot = '', zooRoot = ''] = process.argv.slice(2)

function open(name: string, root: string, level: string) {
  const handlers = {
    async add({ body }: { body: { fails?: boolean } }) {
      if (body.fails) throw new Error(`The ${name} is closed`)
      return { status: 200, body: { by: name } }
    },
  }
  const service = defineService({ root: pathToFileURL(`${root}/`), name, handlers, migrations })
  return createService(service, { DATA_DIR: join(root, 'data'), LOG_LEVEL: level })
}

const listeners = process.listenerCount('exit')
const [shop, zoo] = await Promise.all([open('shop', shopRoot, 'info'), open('zoo', zooRoot, 'error')])
const answers: unknown[] = []

async function ask(service: typeof shop, path: string, payload: object): Promise<void> {
  const reply = await service.inject({ method: 'POST', url: path, payload })
  const { by, code } = reply.json()
  answers.push([path, reply.statusCode, reply.headers['x-ratelimit-remaining'], by ?? code])
}

for (const payload of [{ a1: 1 }, { b1: 1 }, { fails: true }]) {
  await ask(shop, '/goods', payload)
  await ask(zoo, '/animals', payload)
}
await ask(zoo, '/goods', {})
await shop.close()
await ask(zoo, '/animals', { b2: 1 })
await zoo.close()
// Pending log lines are written within a moment.
for (let tries = 0; process.listenerCount('exit') > listeners && tries < 100; tries++)
  await new Promise(resolve => setTimeout(resolve, 20))
console.error(JSON.stringify({ answers, left: process.listenerCount('exit') - listeners }))
