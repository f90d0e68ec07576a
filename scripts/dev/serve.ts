import '../../src/compile-cache.js'
import { readFile } from 'node:fs/promises'
// All code is loaded before anything is opened: a fault in it ends the process, and is told with its place.
import '../../src/commands/socket.ts'
import '../../src/resources.ts'
import { docsAddresses } from '../../src/engine/docs/addresses.ts'
import '../../src/server.ts'
import { serve } from '../../src/service.ts'
import { standInsFor } from '../mock/serve.ts'

/** Tells one start from another. */
const build = String(Date.now())
/** What `npm run dev` has found, for the docs page. */
let faults: unknown = []
process.on('message', found => {
  faults = found
})
process.channel?.unref() // it keeps no server from ending

const docsScript = await readFile(new URL('reload.js', import.meta.url), 'utf8')

await serve(contract => ({
  standIns: standInsFor(contract),
  prepare(app) {
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
}))
