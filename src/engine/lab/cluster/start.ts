import { Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { missingPackages, startSite } from './site.ts'

/** Starts three servers, and waits for a signal. */
export async function run(values: { port: string }): Promise<number> {
  const port = wholeNumber('--port', values.port, 1)
  if (port > 65_535) throw new Misuse('--port is a number from 1 to 65535')
  const missing = missingPackages()
  if (missing.length > 0)
    throw new Error(`Missing on this machine. On Debian: apt-get install ${missing.join(' ')}`)
  const site = await startSite({
    servers: 3,
    haproxy: true,
    redis: true,
    port,
    progress: text => console.log(`Starting ${text}`),
  })
  console.log(`The API is at ${site.url}, its docs at ${site.url}/docs.`)
  console.log(`Its servers are at ${site.servers.map(({ url }) => url).join(', ')}.`)
  console.log(`An API key with every scope: ${site.firstKey}`)
  console.log(`Logs are in ${site.directory}. Ctrl-C ends all.`)
  await signalled()
  await site.close()
  return 0
}

/**
 * Waits for a signal to end, and ignores those that follow. npm repeats the terminal's signals. At such a repeat, the
 * package of PostgreSQL would end the process too early.
 */
function signalled(): Promise<unknown> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.removeAllListeners(signal).on(signal, resolve)
  })
}
