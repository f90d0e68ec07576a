import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { checkersFor } from '../../src/checkers.ts'
import { readContract } from '../../src/contract.ts'
import { openMigrated } from '../../src/database/open.ts'
import type { Checker } from '../../src/engine/access/callers.ts'
import type { Contract } from '../../src/engine/contract.ts'
import { docsAddresses } from '../../src/engine/docs/addresses.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { openMemoryParts } from '../../src/engine/memory-parts.ts'
import { unsealed } from '../../src/keys/seal.ts'
import { openResources } from '../../src/resources.ts'
import { buildServer, handlersFor, type StandIns } from '../../src/server.ts'
import { serve } from '../../src/service.ts'
import { standInsFor } from '../mock/serve.ts'
import type { FromServer, ToServer } from './messages.ts'

const tell = (message: FromServer) => process.send?.(message)
const readScript = () => readFile(new URL('reload.js', import.meta.url), 'utf8')

/** Lets the whole service stand once with nothing behind it, so that a fault shows while the last one still serves. */
async function rehearse(contract: Contract, standIns: StandIns): Promise<void> {
  const { model } = contract
  const nobody: Checker = { find: () => ({ fault: 'is not known' }), recall: () => undefined, forget() {} }
  const parts = await openMemoryParts(contract, checkersFor(model, nobody, standIns.checkers))
  // No handler is called here, so none misses its store.
  const handlers = handlersFor(contract, unsealed, standIns) as Parameters<typeof createEngine>[1]
  const app = await createEngine(contract, handlers, parts as Parameters<typeof createEngine>[2])
  await app.ready()
  await app.close()
  await parts.close()
}

/**
 * Does all that a start does, on a database of its own: what has run once runs several times as fast the next time.
 * It can be left after each step.
 */
export async function* warmUp(): AsyncGenerator<void> {
  const contract = await readContract()
  const standIns = standInsFor(contract)
  await rehearse(contract, standIns)
  if (process.env.DATABASE_URL !== undefined) return
  yield
  const dataDir = mkdtempSync(join(tmpdir(), 'petstore-dev-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const database = await openMigrated({ kind: 'embedded', dataDir })
    try {
      yield
      const resources = await openResources(contract, database.db)
      const app = await buildServer(contract, resources, { standIns, docsScript: await readScript() })
      await app.inject(docsAddresses(contract.model).page)
      await app.close()
      await resources.close()
    } finally {
      await database.close()
    }
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** Serves the code as it stands, when it is told to go. */
export async function start(): Promise<void> {
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
  process.once('beforeExit', () => tell('closed'))

  async function before(contract: Contract): Promise<void> {
    try {
      Object.assign(standIns, standInsFor(contract))
      address = `${docsAddresses(contract.model).page}/static/dev.json`
      await rehearse(contract, standIns)
    } catch (error) {
      console.error(error) // with the place in the code, which an operator would not ask for
      process.exit(1)
    }
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

  await serve({ standIns, before, prepare, docsScript: await readScript() })
}
