import { everyOperation, measureGroups, type OurServer, type Settings, withBench } from './bench.ts'
import { animals } from './operations.ts'

/** What the log costs: silent, at warn, and a line for each request and each reply. */
export function benchLog(settings: Settings): Promise<number> {
  return withBench(settings, async bench => {
    const template = await bench.databases.template(animals)
    const servers: OurServer[] = []
    for (const level of ['silent', 'warn', 'info'])
      servers.push(await bench.startOurs(level, await bench.databases.copy(template), { LOG_LEVEL: level }))
    await measureGroups(bench, 'log', everyOperation(servers, bench))
    return 0
  })
}
