import { resetInEach, resetStates } from '../support/resets.ts'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

export const resets: Scenario = {
  name: 'resets',
  description: 'connections are reset in each state of a request, on both ports, while callers place orders',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 2 : 50
    const service = await startService(database, { env: { METRICS_PORT: '0' } })
    try {
      const orders = await prepareOrders(service)
      const { url, output, child } = service.process()
      const metrics = /(http:\/\/\S+\/metrics)/.exec(output())?.[1] ?? ''
      const ask = async () => {
        for (const address of [`${url}/health`, metrics]) {
          const reply = await fetch(address, { signal: AbortSignal.timeout(10_000) })
          if (!reply.ok) throw new Error(`${address} was answered ${reply.status} ${await reply.text()}`)
          await reply.text()
        }
      }
      const ports = [
        { port: Number(new URL(url).port), states: resetStates(service.key) },
        { port: Number(new URL(metrics).port), states: resetStates('', '/metrics', '/metrics') },
      ]
      const faults: string[] = []
      let connections = 0
      orders.begin(4)
      for (let round = 1; round <= rounds && faults.length === 0; round++) {
        for (const { port, states } of ports) {
          await resetInEach(port, states, ask).catch((error: unknown) => faults.push(String(error)))
          connections += 2 * states.length
        }
        if (child.exitCode !== null) faults.push(`the process has ended: ${output().slice(-2_000)}`)
        if (round % 20 === 0 || round === rounds) progress(`${round} of ${rounds} rounds`)
      }
      await orders.stop()
      const { faults: wrong, ...figures } = await orders.settle()
      const code = await service.process().stop('SIGTERM')
      if (code !== 0) faults.push(`it ended with exit code ${code}`)
      return { figures: { 'connections reset': connections, ...figures }, faults: [...faults, ...wrong] }
    } finally {
      await service.close()
    }
  },
}
