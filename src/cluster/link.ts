import type { Later } from '../engine/later.ts'

/** What one side of a link does for the other, by name. What goes in and comes out can be written as JSON. */
export type Deeds<Own> = { readonly [Name in keyof Own]: (input: never) => Later<unknown> }

/** An id of 0 asks for no answer. */
type Question = readonly [id: number, name: string, input: unknown]
type Answer = readonly [id: number, value: unknown, fault?: string]

/** All that one side has to say at the end of a turn of its event loop. */
export interface Message {
  questions: Question[]
  answers: Answer[]
}

/** Two processes that do things for each other, in the order in which they are asked. */
export interface Link<Theirs extends Deeds<Theirs>, Own extends Deeds<Own>> {
  /**
   * Has the other side do something.
   * @throws Error with what it has thrown there, or when the other side ends
   */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    input: Parameters<Theirs[Name]>[0],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>
  /** The same, without waiting for its end. */
  tell<Name extends keyof Theirs & string>(name: Name, input: Parameters<Theirs[Name]>[0]): void
  /** Does what the other side asks for from now on, and what it has asked for already. */
  serve(own: Own): void
  receive(message: Message): void
  /** Sends what is to be said at once. */
  flush(): void
  /** To be called when the other side has ended. */
  close(): void
}

/** @param send takes one message for all that is said in a turn of the event loop, as each message costs the same */
export function createLink<Theirs extends Deeds<Theirs>, Own extends Deeds<Own>>(
  send: (message: Message) => void,
): Link<Theirs, Own> {
  /**
   * Who waits for an answer, by id, and the ids that are free again. A Map to which each question is new makes its table
   * anew again and again, and V8 keeps the former ones, with all who waited then, until what is old is collected.
   */
  const asked: (PromiseWithResolvers<unknown> | undefined)[] = [undefined]
  const free: number[] = []
  let questions: Question[] = []
  let answers: Answer[] = []
  let early: Question[] | undefined = []
  let deeds: Own | undefined
  let isScheduled = false
  let isClosed = false

  function flush(): void {
    isScheduled = false
    if (isClosed || questions.length + answers.length === 0) return
    send({ questions, answers })
    questions = []
    answers = []
  }
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }
  function answer(...one: Answer): void {
    if (one[0] === 0) return
    answers.push(one)
    schedule()
  }
  function perform([id, name, input]: Question): void {
    const refuse = (error: unknown) => answer(id, undefined, String(error))
    try {
      // Both sides are one program, and one version of it but for the time of a replacement.
      const deed = (deeds as Record<string, (input: unknown) => Later<unknown>> | undefined)?.[name]
      if (!deed) throw new Error(`The other process does not know ${name}`)
      const value = deed(input)
      if (value instanceof Promise) value.then(done => answer(id, done), refuse)
      else answer(id, value)
    } catch (error) {
      refuse(error)
    }
  }

  return {
    ask(name, input) {
      const waiting = Promise.withResolvers<Awaited<ReturnType<Theirs[typeof name]>>>()
      if (isClosed) waiting.reject(new Error('The other process has ended'))
      else {
        const id = free.pop() ?? asked.length
        asked[id] = waiting as PromiseWithResolvers<unknown> // who asked knows what is answered
        questions.push([id, name, input])
        schedule()
      }
      return waiting.promise
    },
    tell(name, input) {
      questions.push([0, name, input])
      schedule()
    },
    serve(own) {
      deeds = own
      for (const question of early ?? []) perform(question)
      early = undefined
    },
    receive(message) {
      for (const question of message.questions) {
        if (early) early.push(question)
        else perform(question)
      }
      for (const [id, value, fault] of message.answers) {
        const waiting = asked[id]
        if (!waiting) continue
        asked[id] = undefined
        free.push(id)
        if (fault === undefined) waiting.resolve(value)
        else waiting.reject(new Error(fault))
      }
    },
    flush,
    close() {
      isClosed = true
      for (const waiting of asked) waiting?.reject(new Error('The other process has ended'))
    },
  }
}
