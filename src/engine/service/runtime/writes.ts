import { AsyncLocalStorage } from 'node:async_hooks'

/** A write on its way to the database. */
export class Write {
  /**
   * `waiting`: nothing is sent yet. `open`: its transaction is under way, and is rolled back unless it commits. `sent`:
   * nobody knows whether it is stored until the database answers.
   */
  state: 'waiting' | 'open' | 'sent' = 'waiting'
  /** Ends it, as its request is refused: it is not sent, or the database is asked to cancel it. */
  end: (refusal: Error) => void = endNothing
  /** the others of its request */
  readonly of: Writes
  /** the one under way that began before it */
  before: Write | undefined

  constructor(of: Writes, before: Write | undefined) {
    this.of = of
    this.before = before
  }
}

const endNothing = () => {}
const hasNotLeft = () => false

/** The writes of a request. None begins after its refusal. */
export class Writes {
  #refusal: Error | undefined
  #isAnyStored = false
  /** the last that began, which leads to the others: most requests have one */
  #underWay: Write | undefined = undefined
  #hasLeft: () => boolean

  /** @param hasLeft says whether the client has left, who needs no write that was not sent yet */
  constructor(hasLeft: () => boolean) {
    this.#hasLeft = hasLeft
  }

  /** Whether nothing is stored, nor can be: a refusal is the whole truth. */
  get areNone(): boolean {
    if (this.#isAnyStored) return false
    for (let each = this.#underWay; each; each = each.before) if (each.state === 'sent') return false
    return true
  }

  /** why none is sent any more; undefined: they are */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  /** why none waits any more */
  get waitsInVain(): Error | undefined {
    return this.#refusal ?? (this.#hasLeft() ? left : undefined)
  }

  begin(): Write {
    this.#underWay = new Write(this, this.#underWay)
    return this.#underWay
  }

  /** @param isStored whether it is stored, or may be */
  ended(write: Write, isStored: boolean): void {
    if (this.#underWay === write) this.#underWay = write.before
    else
      for (let each = this.#underWay; each; each = each.before)
        if (each.before === write) each.before = write.before
    if (isStored) this.#isAnyStored = true
  }

  /** To be called when one is stored, or may be, and others may follow in its place. */
  noteStored(): void {
    this.#isAnyStored = true
  }

  /** Ends all that are under way, and lets no other begin. */
  refuse(refusal: Error): void {
    this.#refusal ??= refusal
    for (let each = this.#underWay; each; each = each.before) each.end(refusal)
  }

  /**
   * To be called when its handler is done. Dead objects among V8's old ones, such as Node's immediates, keep the context of
   * a request until the next full collection of garbage. From there nothing leads to the request itself any more.
   */
  leaveRequest(): void {
    this.#hasLeft = hasNotLeft
  }

  /** Ends those that wait for a client that has left. */
  dropIfLeft(): void {
    if (!this.#underWay || !this.#hasLeft()) return
    for (let each: Write | undefined = this.#underWay; each; each = each.before)
      if (each.state === 'waiting') each.end(left)
  }
}

const left = new Error('The client has left before its write was sent')

/** The writes of the request whose handler runs; absent outside of handlers. */
export const writesOfRequest = new AsyncLocalStorage<Writes>()
