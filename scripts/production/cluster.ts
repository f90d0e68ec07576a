import { parseArgs } from 'node:util'
import { missingPackages, startSite } from './site.ts'

const usage = `Usage: npm run cluster -- [--port NUMBER]

Starts on this machine what compose.yaml describes: three servers behind HAProxy, by scripts/production/haproxy.cfg, with
one PostgreSQL and one Redis. It runs until Ctrl-C; its data are gone then. HAProxy and Redis are those of the system,
PostgreSQL comes with the install.
  --port  where HAProxy listens (3000)`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '3000' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new TypeError('--port takes a number from 1 to 65535')
  const missing = missingPackages()
  if (missing.length > 0) {
    const names = missing.join(' and ')
    console.error(
      `${names} ${missing.length > 1 ? 'are' : 'is'} missing. On Debian: apt-get install ${missing.join(' ')}`,
    )
    return 1
  }
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
 * Waits for a signal to end, and goes on through all that follow: npm repeats what the terminal has sent, and the package
 * of PostgreSQL would end the process before it has cleared up.
 */
function signalled(): Promise<unknown> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.removeAllListeners(signal).on(signal, resolve)
  })
}

try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof TypeError) console.error(`${error.message}\n\n${usage}`)
  else console.error(error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
