import { readFile, writeFile } from 'node:fs/promises'
import { hasRedis, withoutRedis } from '../../test/support/redis.ts'
import { measureGroups, type Settings, withBench } from './bench.ts'
import { machine } from './output.ts'
import { type Cell, markdownTable } from './table.ts'
import { connectionsWall } from './walls/connections.ts'
import { hotRowsWall } from './walls/hot-rows.ts'
import { redisWall } from './walls/redis.ts'
import { startOn, type Wall } from './walls/wall.ts'
import { writtenWall } from './walls/written.ts'

const page = new URL('../production/scaling.md', import.meta.url)
const marked = /(<!-- walls -->\n)[\s\S]*?(<!-- \/walls -->)/

/**
 * What ends how far the service scales: connections, the write-ahead log, rows that all want, Redis.
 * @param isForPage whether the table of scaling.md is written anew
 */
export function benchWalls(settings: Settings, isForPage: boolean): Promise<number> {
  return withBench(
    settings,
    async bench => {
      console.log('starting servers …')
      const usual = await startOn(bench, 'pool of 10')
      const walls = [
        await connectionsWall(bench, usual),
        await writtenWall(bench, usual),
        hotRowsWall(bench, usual),
        ...(hasRedis ? [await redisWall(bench)] : []),
      ]
      if (!hasRedis) console.log(`${withoutRedis}: it is left out`)
      await measureGroups(
        bench,
        'walls',
        walls.flatMap(({ groups }) => groups),
      )
      const { rounds, seconds, connections } = settings
      const text = `${table(walls)}

Measured on ${new Date().toISOString().slice(0, 10)} on one machine that load, server, PostgreSQL and Redis share: ${machine(bench.databases.version)};
PostgreSQL waits for the disk (\`fsync\`). ${connections} callers unless told, ${rounds} rounds of ${seconds} s in turns, medians.
`
      console.log(`\n${text}`)
      if (isForPage) {
        const before = await readFile(page, 'utf8')
        await writeFile(
          page,
          before.replace(marked, (_, begin, end) => `${begin}\n${text}\n${end}`),
        )
      }
      return 0
    },
    true,
  )
}

function table(walls: readonly Wall[]): string {
  const rows = walls.flatMap(({ name, figures }) =>
    figures().map(([measured, numbers], i): Cell[] => [i === 0 ? name : '', measured, numbers]),
  )
  return markdownTable(['Wall', 'What was measured', 'Figures'], rows)
}
