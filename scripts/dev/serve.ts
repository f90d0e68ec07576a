import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { checkersFor } from '../../src/checkers.ts'
import type { Checker } from '../../src/engine/access/callers.ts'
import type { Contract } from '../../src/engine/contract.ts'
import { docsAddresses } from '../../src/engine/docs/addresses.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { openMemoryParts } from '../../src/engine/memory-parts.ts'
import { unsealed } from '../../src/keys/seal.ts'
import { handlersFor, type StandIns } from '../../src/server.ts'
import { serve } from '../../src/service.ts'
import { standInsFor } from '../mock/serve.ts'
import type { FromServer, ToServer } from './messages.ts'

/** Named by the moment of its start. */
const build = String(Date.now())
let faults: string[] = []
let address = '/docs/static/dev.json'
const standIns: StandIns = {}
const told = Promise.withResolvers<void>()

process.on('message', (message: ToServer) => {
  if ('go' in message) {
    told.resolve()
    process.channel?.unref() // or a stop would wait for it
  } else if ('faults' in message) faults = message.faults
})
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')) // nobody is left to end it

const tell = (message: FromServer) => process.send?.(message)

/** Lets the whole service stand once with nothing behind it, so that a fault shows while the last one still serves. */
async function rehearse(contract: Contract): Promise<void> {
  const { model } = contract
  Object.assign(standIns, standInsFor(contract))
  address = `${docsAddresses(model).page}/static/dev.json`
  const nobody: Checker = { find: () => ({ fault: 'is not known' }), recall: () => undefined, forget() {} }
  const parts = await openMemoryParts(contract, checkersFor(model, nobody, standIns.checkers))
  // No handler is called here, so none misses its store.
  const handlers = handlersFor(contract, unsealed, standIns) as Parameters<typeof createEngine>[1]
  const app = await createEngine(contract, handlers, parts as Parameters<typeof createEngine>[2])
  await app.ready()
  await app.close()
  await parts.close()
  tell('ready')
  await told.promise
}

/** Answers the docs page, past limits and log. */
function prepare(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Connection', 'close') // a stop waits for those that may be about to send
    if (request.url.split('?')[0] !== address) return
    request.log.level = 'silent' // a page asks several times a second
    reply.header('Cache-Control', 'no-store')
    return reply.type('application/json').send(JSON.stringify({ build, faults }))
  })
  app.addHook('onListen', async () => {
    tell('listening')
  })
}

const docsScript = await readFile(new URL('reload.js', import.meta.url), 'utf8')
const before = (contract: Contract) =>
  rehearse(contract).catch((error: unknown) => {
    console.error(error) // with the place in the code, which an operator would not ask for
    process.exit(1)
  })
await serve({ standIns, before, prepare, docsScript })
