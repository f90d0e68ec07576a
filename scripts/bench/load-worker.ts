import { connect, type Socket } from 'node:net'
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks'
import type { LoadResult, LoadTask } from './load.ts'
import { createRenderer } from './requests.ts'
import { lengthOf } from './responses.ts'

/*
 * Sends requests over kept-alive connections, on each the next one when the last is answered. Bare sockets, as whoever
 * sends takes its share of the same cores: autocannon needs three times the CPU a request, more than some servers do.
 */

interface Run {
  render: () => string
  statuses: Record<number, number>
  times: RecordableHistogram
  isOver: boolean
}

interface Conversation {
  socket: Socket
  /** Sends the first request. */
  send(): void
  opened: Promise<void>
  ended: Promise<void>
}

/** Opens one connection. */
function converse(port: number, run: Run): Conversation {
  let sentAt = 0
  let rest: Buffer | undefined
  const send = () => {
    sentAt = performance.now()
    socket.write(run.render(), 'latin1')
  }
  const take = (count: number, chunk: Buffer): boolean => {
    const part = chunk.subarray(0, count)
    const bytes = rest ? Buffer.concat([rest, part]) : part
    if (lengthOf(bytes) === undefined) rest = Buffer.from(bytes)
    else {
      rest = undefined
      if (run.isOver) return false
      run.times.record(Math.max(1, Math.round((performance.now() - sentAt) * 1_000)))
      const status = Number(bytes.toString('latin1', 9, 12))
      run.statuses[status] = (run.statuses[status] ?? 0) + 1
      send()
    }
    return true
  }
  const socket: Socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(65_536),
      callback: (count, buffer) => take(count, buffer as Buffer), // it is the one given
    },
  })
  const opened = new Promise<void>(resolve => socket.once('connect', resolve))
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => (run.isOver ? resolve() : reject(new Error('The server closes connections'))))
  })
  return { socket, send, opened, ended }
}

async function load({ port, connections, seconds, request }: LoadTask): Promise<LoadResult> {
  const run: Run = {
    render: createRenderer(request),
    statuses: {},
    times: createHistogram(),
    isOver: false,
  }
  const open = Array.from({ length: connections }, () => converse(port, run))
  const allEnded = Promise.all(open.map(({ ended }) => ended))
  let took = 0
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    run.isOver = true
    for (const { socket } of open) socket.destroy()
  }
  try {
    // Requests are what is measured: with many connections it takes a while to open them.
    await Promise.race([allEnded, Promise.all(open.map(({ opened }) => opened))])
    const began = performance.now()
    timer = setTimeout(() => {
      took = (performance.now() - began) / 1_000
      stop()
    }, seconds * 1_000)
    for (const { send } of open) send()
    await allEnded
  } finally {
    stop()
  }
  return {
    statuses: run.statuses,
    answered: run.times.count,
    seconds: took,
    p50: run.times.percentile(50) / 1_000,
    p99: run.times.percentile(99) / 1_000,
  }
}

process.on('message', (task: LoadTask) => {
  load(task)
    .catch((error: Error) => ({ error: error.message }))
    .then(reply => process.send?.(reply))
})
process.once('disconnect', () => process.exit())
