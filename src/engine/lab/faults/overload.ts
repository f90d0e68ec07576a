import { createClient, isDeclaredError } from '../support/http.ts'
import { watchHealth } from './health.ts'
import { quantile, type Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Callers that a service can just serve. */
const atSaturation = 64
/** Callers that come again at once, whatever they are told. */
const impatient = 1_000
/** The least share of what a service does at saturation that it still does for all of them. */
const leastShare = 0.8

export const overload: Scenario = {
  name: 'overload',
  description:
    '1,000 callers without patience read a list and an entry; 64 are as many as the service can serve',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const seconds = short ? 3 : 15
    await using service = await startService(database)
    const { url } = service.process()
    await call(url, service.key, atSaturation, 1) // warm
    const usual = await call(url, service.key, atSaturation, seconds)
    progress(`${atSaturation} callers: ${usual.accepted.length / seconds}/s`)
    const watch = watchHealth(service.process())
    const crowded = await call(url, service.key, impatient, seconds)
    const { silence, foreign } = await watch.end()
    const faults: string[] = []
    if (crowded.foreign > 0) faults.push(`${crowded.foreign} answers are not the document's`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (silence > 1_000) faults.push(`/health was silent for ${silence} ms`)
    if (usual.refused > 0) faults.push(`${usual.refused} were refused although ${atSaturation} can be served`)
    const share = crowded.accepted.length / usual.accepted.length
    if (share < leastShare) faults.push(`Only ${share.toFixed(2)} of what is served at saturation was served`)
    const [before, after] = [usual, crowded].map(({ accepted }) => quantile(accepted, 0.99))
    return {
      figures: {
        [`p99 of those accepted, against ${atSaturation} callers`]: ((after ?? 0) / (before ?? 1)).toFixed(2),
        [`accepted, against ${atSaturation} callers`]: share.toFixed(2),
        refused: crowded.refused,
        'longest silence of /health, ms': silence,
        'peak memory, MiB': service.peakMemory(),
      },
      faults,
    }
  },
}

/** Calls without a pause, each caller on a connection of its own. @returns how long the accepted took, in ms */
async function call(url: string, key: string, callers: number, seconds: number) {
  const end = performance.now() + seconds * 1_000
  const accepted: number[] = []
  let refused = 0
  let foreign = 0
  const { send, close } = createClient(url, key)
  await Promise.all(
    Array.from({ length: callers }, async (_, index) => {
      const path = index % 2 === 0 ? '/pets?limit=20' : '/store/inventory/1'
      while (performance.now() < end) {
        const answer = await send('GET', path)
        if (answer.status === 503) {
          refused++
          if (!isDeclaredError(answer)) foreign++
        } else accepted.push(answer.took)
      }
    }),
  )
  close()
  return { accepted, refused, foreign }
}
