import type { BanNews } from 'spec-served/internal/limits/bans'
import { openSharedMemory, type Windows } from 'spec-served/internal/limits/shared-memory'
import type { OtherWorkers } from 'spec-served/internal/parts'
import type { ResourceOptions } from 'spec-served/internal/process/resources'
import { silent } from 'spec-served/internal/runtime/batch-writer'
import { rateLimits } from './petstore.ts'

/** A value as the other end of a channel between processes gets it. */
const passed = <T>(value: T): T => JSON.parse(JSON.stringify(value))

/** Returns a function that makes a link for news to all others. */
function share<News>() {
  const hearing: ((news: News) => void)[] = []
  return (): OtherWorkers<News> => {
    let listener: ((news: News) => void) | undefined
    return {
      async tell(news) {
        for (const hear of hearing) if (hear !== listener) hear(passed(news))
      },
      listen(hear) {
        listener = hear
        hearing.push(hear)
      },
    }
  }
}

/** Lets servers in the process of a test count together, as the workers of a machine do. Each joins by a link of its own. */
export function openMachine(now: () => Date = () => new Date()) {
  let save = async (_: Windows): Promise<void> => {}
  const memory = openSharedMemory(
    ...[rateLimits, (windows: Windows) => save(passed(windows)), silent, () => now().getTime()],
  )
  const [bans, keys] = [share<BanNews>(), share<number>()]
  function join(): NonNullable<ResourceOptions['workers']> {
    return {
      counting: {
        count: async calls => passed(memory.count(passed(calls))),
        async begin(load) {
          if (memory.hasBegun()) return
          for await (const part of load()) memory.load(passed(part))
          await memory.begin()
        },
        onSave(by) {
          save = by
        },
        flush: memory.flush,
      },
      bans: bans(),
      changedKeys: keys(),
    }
  }
  return { join, close: memory.close }
}
