import type { Worker } from 'node:cluster'
import type { Contract } from 'spec-served-document/contract/contract'
import { openSharedMemory, SaveError, type Windows } from '../limits/shared-memory.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { within } from '../runtime/within.ts'
import type { FromWorker, News, Question, SaveFault, ToWorker } from './worker.ts'

/** Longest wait until a worker has heard news, in ms. */
const heardWithin = 2_000

export function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {})
}

type Task = { name: 'save'; windows: Windows } | { name: 'news'; news: News }

/**
 * Counts calls for all workers, in this process, and gives each the news of the others. One of the workers stores the long
 * windows, because this process has no database.
 */
export function countForWorkers(limits: NonNullable<Contract['rateLimits']>, log: Log) {
  /** the workers with an open database; the first one stores */
  let open: readonly Worker[] = []
  const without = (worker: Worker) => open.filter(other => other !== worker)
  /** tasks of workers that are not done yet */
  const tasks = new Map<number, { worker: Worker; settle(fault?: SaveFault): void }>()
  let begun = 0

  /** Has a worker do a task. @throws SaveError when it fails, or the worker ends */
  function order(worker: Worker, task: Task): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const id = ++begun
    const settle = (fault?: SaveFault) => {
      tasks.delete(id)
      if (fault) reject(new SaveError(fault.message, fault.isOfData))
      else resolve()
    }
    tasks.set(id, { worker, settle })
    tell(worker, { ...task, id })
    return promise
  }

  const memory = openSharedMemory(
    limits,
    async windows => {
      const [worker] = open
      if (!worker) throw new SaveError('No worker has an open database', false)
      await order(worker, { name: 'save', windows })
    },
    log,
  )

  /** Gives the other workers news. @returns once each has heard them, has ended or is silent */
  async function share(by: Worker, news: News): Promise<void> {
    const sent = without(by).map(worker => order(worker, { name: 'news', news }))
    await within(heardWithin, Promise.allSettled(sent), undefined)
  }

  async function answer(worker: Worker, question: Question): Promise<unknown> {
    if (question.about === 'count') return memory.count(question.calls)
    if (question.about === 'news') return share(worker, question.news)
    if (question.about === 'hasBegun') return memory.hasBegun()
    if (question.about === 'load') return memory.load(question.windows)
    if (question.about === 'begin') return memory.begin()
    // It closes its database afterwards.
    open = [worker, ...without(worker)]
    await memory.flush().finally(() => {
      open = without(worker)
    })
    return undefined
  }

  return {
    /** Answers the questions of a worker until it ends. */
    serve(worker: Worker): void {
      worker.on('message', (message: FromWorker) => {
        if (message.name === 'done') tasks.get(message.id)?.settle(message.fault)
        if (message.name !== 'question') return
        const { id, question } = message
        if (question.about === 'hasBegun') open = [...without(worker), worker]
        answer(worker, question).then(
          reply => tell(worker, { name: 'answer', id, answer: reply }),
          (error: unknown) => tell(worker, { name: 'answer', id, fault: String(error) }),
        )
      })
      worker.on('disconnect', () => {
        open = without(worker)
        for (const task of tasks.values())
          if (task.worker === worker) task.settle({ message: 'The worker has ended', isOfData: false })
      })
    },
    close: memory.close,
  }
}
