import '../command/compile-cache.ts'
import { readFile } from 'node:fs/promises'
// All code is loaded before anything is opened. A fault in it ends the process, with a message that names its place.
import '../../service/process/socket.ts'
import '../../service/process/resources.ts'
import { docsAddresses } from '../../service/contract/addresses.ts'
import '../../service/process/server.ts'
import { serve } from '../../service/process/service.ts'
import { loadService } from '../command/project.ts'
import { standInsFor } from '../mock/serve.ts'

/** Tells one start from another. */
const build = String(Date.now())
/** The faults that `npm run dev` has found, for the docs page. */
let faults: unknown = []
process.on('message', found => {
  faults = found
})
process.channel?.unref() // it keeps no server from ending
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')) // nobody would start it again

const docsScript = await readFile(new URL('reload.js', import.meta.url), 'utf8')

await serve(await loadService(), contract => ({
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
