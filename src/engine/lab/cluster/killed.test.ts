import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from 'spec-served/internal/testing/temporary'
import { expect, test } from 'vitest'
import { freshPostgres } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { startWorkers } from '../support/workers.ts'

const database = shared(freshPostgres)
const server = shared(() => startWorkers({ DATABASE_URL: database.config.url }))

/** Returns the outcome of a connection that sends one request. */
function connectionOutcome(port: number): Promise<'ended' | 'refused' | 'left open'> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    const timer = setTimeout(() => {
      socket.destroy()
      resolve('left open')
    }, 290_000)
    socket.on('error', error =>
      'code' in error && error.code === 'ECONNREFUSED' ? resolve('refused') : undefined,
    )
    socket.resume().on('close', () => {
      clearTimeout(timer)
      resolve('ended')
    })
  })
}

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

test.runIf(process.platform === 'linux')(
  'a killed worker leaves no connection open, and the primary no descriptor of one',
  async () => {
    const { pid = 0 } = server.child
    const port = Number(new URL(server.url).port)
    await connectionOutcome(port)
    const before = descriptorsOf(pid)
    const outcomes: Promise<string>[] = []
    for (let kill = 0; kill < 4; kill++) {
      const [worker = 0] = server.workers().filter(isAlive)
      const begun = performance.now()
      let isKilled = false
      while (performance.now() - begun < 800) {
        for (let i = 0; i < 15; i++) outcomes.push(connectionOutcome(port))
        if (!isKilled && performance.now() - begun > 300) isKilled = process.kill(worker, 'SIGKILL')
        await sleep(20)
      }
      await expect.poll(() => server.workers().filter(isAlive).length, { timeout: 300_000 }).toBe(2)
    }
    const counts = Object.groupBy(await Promise.all(outcomes), outcome => outcome)
    expect(Object.keys(counts)).toEqual(['ended'])
    await expect.poll(() => descriptorsOf(pid), { timeout: 300_000 }).toBeLessThanOrEqual(before + 2)
  },
)
