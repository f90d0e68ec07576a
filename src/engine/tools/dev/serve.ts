import 'spec-served/internal/command/compile-cache'
import { readFile } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
// All code is loaded before anything is opened. A fault in it ends the process, with a message that names its place.
import 'spec-served/internal/process/socket'
import 'spec-served/internal/process/resources'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { failureText, visibleText } from 'spec-served-document/visible-text'
import 'spec-served/internal/process/server'
import { loadService } from 'spec-served/internal/command/project'
import type { Development } from 'spec-served/internal/process/open'
import { serve } from 'spec-served/internal/process/service'
import { missingPart } from 'spec-served/internal/runtime/installed'
import { standInsFor } from '../mock/serve.ts'

/** Distinguishes this start from another. */
const build = String(Date.now())
/** The faults that `npm run dev` has found, for the docs page. */
let faults: unknown = []
let log: FastifyBaseLogger | undefined
/** A server in the place of another one says nothing that the first has said already. */
const isRestart = process.env.SPEC_SERVED_RESTART !== undefined
let usual = 'info'
function quieten(): void {
  if (!log) return
  usual = log.level
  if (['trace', 'debug', 'info'].includes(usual)) log.level = 'warn'
}
process.on('message', (message: { faults?: unknown; quiet?: true }) => {
  if (message.quiet) quieten()
  else faults = message.faults
})
process.channel?.unref() // it keeps no server from ending
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')) // nobody would start it again

const docsScript = await readFile(new URL('reload.js', import.meta.url), 'utf8')

const service = await loadService().catch((error: unknown) => {
  console.error(`The service does not start: ${visibleText(missingPart(error) ?? failureText(error))}`)
  process.exitCode = 1
})

const develop = (contract: Contract): Development => ({
  standIns: standInsFor(contract),
  prepare(app) {
    log = app.log
    if (isRestart) {
      quieten()
      app.addHook('onListen', async () => void process.send?.(app.listeningOrigin))
    }
    const address = `${docsAddresses(contract.model).page}/static/dev.json`
    app.addHook('onRequest', async (request, reply) => {
      reply.header('Connection', 'close') // a stop waits for those that may be about to send
      if (request.url.split('?')[0] !== address) return
      request.log.level = 'silent' // a page asks several times a second
      reply.header('Cache-Control', 'no-store')
      return reply.type('application/json').send(JSON.stringify({ build, faults }))
    })
  },
  docsScript,
})
if (service) await serve(service, develop)
if (isRestart && log) (log as FastifyBaseLogger).level = usual
