import { type ChildProcess, fork } from 'node:child_process'
import autocannon from 'autocannon'
import { runCommand } from './arguments.ts'

const usage = `Usage: npm run bench

Measures what keys and limits cost: a read by id with them against the same server without, in turns.`

const rounds = 8
const secondsEach = 3

interface Served {
  url: string
  key: string
}

async function serve(mode: string): Promise<Served & { child: ChildProcess }> {
  const child = fork(new URL('./bench/serve.ts', import.meta.url), [mode])
  const served = await new Promise<Served>((resolve, reject) => {
    child.once('message', message => resolve(message as Served)) // serve.ts sends nothing else
    child.once('exit', () => reject(new Error('The server does not start')))
  })
  return { ...served, child }
}

/** Requests a second over some seconds. */
async function measure({ url, key }: Served): Promise<number> {
  const result = await autocannon({
    url: `${url}/store/inventory/1`,
    headers: { 'x-api-key': key },
    connections: 20,
    duration: secondsEach,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`)
  return result.requests.average
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

await runCommand({ usage }, async () => {
  const gated = await serve('gated')
  const ungated = await serve('ungated')
  for (const server of [gated, ungated]) await measure(server) // warm
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const [withLimits, without] = [await measure(gated), await measure(ungated)]
    ratios.push(withLimits / without)
    console.log(
      `round ${round} of ${rounds}: ${Math.round(withLimits)} requests/s with keys and limits, ` +
        `${Math.round(without)} without: ${((withLimits / without) * 100).toFixed(1)} %`,
    )
  }
  console.log(`median: ${(median(ratios) * 100).toFixed(1)} % of the throughput without keys and limits`)
  for (const { child } of [gated, ungated]) child.disconnect()
  return 0
})
