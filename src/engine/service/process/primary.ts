import cluster, { type Worker } from 'node:cluster'
import { closeSync, openSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { Contract } from 'spec-served-document/contract/contract'
import { redactor } from '../callers/redaction.ts'
import { errorInLog } from '../errors/error-in-log.ts'
import { within } from '../runtime/within.ts'
import type { Config } from './config.ts'
import { countForWorkers, tell } from './counting.ts'
import { listenForOperators } from './listen.ts'
import { type LogStream, openLogStream, writeError } from './log-stream.ts'
import { goOn, onSignal, stopWithin } from './stopping.ts'
import { type Member, superviseMembers } from './supervisor.ts'
import type { FromWorker } from './worker.ts'
import type { SharedMetrics } from './workers-metrics.ts'

/** The share of a stop's time that workers get. */
const workersShare = 0.9
/** Longest wait for an answer of a worker, in ms. */
const answerWithin = 2_000

/**
 * Runs workers, replaces them at SIGHUP, and stops them at SIGINT, SIGTERM, or when their terminal closes. It counts calls for all of them, and serves
 * nothing itself.
 */
export async function servePrimary(
  config: Config,
  name: string,
  { rateLimits }: Pick<Contract, 'rateLimits'>,
): Promise<void> {
  const { workers: count, shutdownDelayMs, shutdownTimeoutMs } = config
  const stream = await openLogStream(config.logFormat)
  const base = { pid: process.pid, worker: 'primary' }
  const [hooks, serializers] = [{ streamWrite: redactor(name) }, { err: errorInLog }]
  const log = pino({ level: config.logLevel, base, hooks, serializers }, stream)
  // Workers accept for themselves. A connection that the primary handed to a worker would outlive that worker's death.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // A worker with the same output makes it blocking for all processes, at its start and at its end.
  cluster.setupPrimary({ silent: true })
  const ready = new Set<Worker>()
  const shown = await showMetrics(config, name, ready, log)
  const counters = rateLimits && countForWorkers(rateLimits, log)
  const members = superviseMembers({
    count,
    start: () => {
      const worker = cluster.fork()
      counters?.serve(worker)
      return watchWorker(worker, stream, ready, shown?.metrics)
    },
    stopWithinMs: shutdownTimeoutMs,
    log,
  })
  let isStopping = false
  const retire = () => {
    shown?.retire()
    for (const worker of ready) tell(worker, { name: 'retire' })
  }
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    isStopping = true
    await goOn(shutdownDelayMs, signal, { log, retire })
    const end = async () => {
      if (!(await members.stop(shutdownTimeoutMs * workersShare))) process.exitCode = 1
      await counters?.close()
      await shown?.listener.close()
    }
    await stopWithin(shutdownTimeoutMs, signal, log, end, members.kill)
  }
  onSignal(signal => void stop(signal), ['SIGHUP'])
  const { stdin, stdout } = process
  const isInTerminal = stdin.isTTY === true || stdout.isTTY === true
  process.on('SIGHUP', () => {
    if (isInTerminal && hasLostTerminal()) return void (isStopping || stop('SIGHUP'))
    log.info('SIGHUP: the workers are to be replaced')
    void members.replace()
  })
  try {
    await members.start()
    log.info(`${count} workers serve; SIGHUP to process ${process.pid} replaces them one by one`)
  } catch (error) {
    if (isStopping) return
    await Promise.all([shown?.listener.close(), counters?.close()])
    throw error
  }
}

/** Whether the terminal in which this process began has closed. */
function hasLostTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}

/** Serves the metrics of all workers; undefined without METRICS_PORT. */
async function showMetrics({ host, metricsPort }: Config, name: string, ready: Set<Worker>, log: Logger) {
  if (metricsPort === undefined) return undefined
  const metrics = (await import('./workers-metrics.ts')).shareMetrics(name, async () => {
    await Promise.all([...ready].map(worker => ask(worker, 'metrics'))) // earlier ones are shown of the silent
    return ready.size
  })
  let isRetired = false
  async function isReady(): Promise<boolean> {
    const answers = await Promise.all([...ready].map(worker => ask(worker, 'readiness')))
    return !isRetired && answers.some(answer => answer?.name === 'readiness' && answer.isReady)
  }
  const listener = await listenForOperators({ metrics, isReady }, host, metricsPort)
  log.info(`Metrics for Prometheus are at ${listener.url}`)
  const retire = () => {
    isRetired = true
  }
  return { metrics, listener, retire }
}

/** Asks a worker, and returns its answer; undefined: it gave none in time. */
async function ask(worker: Worker, name: 'metrics' | 'readiness'): Promise<FromWorker | undefined> {
  const answered = Promise.withResolvers<FromWorker>()
  const listen = (message: FromWorker) => message.name === name && answered.resolve(message)
  worker.on('message', listen)
  tell(worker, { name })
  return within(answerWithin, answered.promise, undefined).finally(() => worker.off('message', listen))
}

/** Forwards a worker's log in whole lines, and its standard error. */
function forwardLog({ process: { stdout, stderr } }: Worker, stream: LogStream): void {
  stderr?.setEncoding('utf8').on('data', writeError)
  let begun = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) stream.write(begun + text.slice(0, end))
    begun = end > 0 ? text.slice(end) : begun + text
  })
}

/** @param ready workers that accept requests and have not sent their last metrics */
function watchWorker(
  worker: Worker,
  stream: LogStream,
  ready: Set<Worker>,
  metrics: SharedMetrics | undefined,
): Member {
  forwardLog(worker, stream)
  const { id } = worker
  const isReady = Promise.withResolvers<void>()
  const hasEnded = Promise.withResolvers<string>()
  worker.on('message', (message: FromWorker) => {
    if (message.name === 'ready') {
      ready.add(worker)
      isReady.resolve()
    } else if (message.name === 'metrics' || message.name === 'lastMetrics') metrics?.take(id, message.values)
    if (message.name === 'lastMetrics') ready.delete(worker)
  })
  worker.on('disconnect', () => void metrics?.ended(id)) // its last message has arrived
  function end(how: string): void {
    ready.delete(worker)
    isReady.reject(new Error(`A worker has ended before it was ready (${how})`))
    hasEnded.resolve(how)
  }
  worker.on('exit', (code, signal) => end(signal ?? `exit code ${code}`))
  worker.on('error', error => end(error.message))
  return {
    id,
    pid: worker.process.pid,
    ready: isReady.promise,
    ended: hasEnded.promise,
    stop(timeoutMs) {
      if (ready.has(worker)) tell(worker, { name: 'stop', timeoutMs })
      else worker.process.kill('SIGTERM') // a worker that does not serve yet ends at once
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
