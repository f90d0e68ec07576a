import pg from 'pg'
import type { Write } from '../runtime/writes.ts'
import { connect, type Done, type Failure, type Source, Statement, type TakenClient } from './connections.ts'
import { canceled, codeOf, timedOut } from './failures.ts'

/** A connection without an answer for this time, or twice as long, gets no more statements, in ms. */
const stuckAfter = 50
/** A connection with this many statements under way is full. */
const fullFrom = 8

/** A statement under way on a shared connection. */
class Sent {
  readonly statement: Statement
  done: Done
  /** whether it may run once more, as a read may */
  mayRepeat: boolean
  /** the write of a request that it is */
  readonly write: Write | undefined
  /** those that were sent as one statement with it, itself among them; undefined: it was not sent, or alone */
  joined: readonly Sent[] | undefined = undefined

  constructor(statement: Statement, done: Done, mayRepeat: boolean, write?: Write) {
    this.statement = statement
    this.done = done
    this.mayRepeat = mayRepeat
    this.write = write
  }
}

/** The most statements that are sent as one. */
const mostJoined = 100

type SharedConnection = ReturnType<typeof openShared>

/**
 * A pipelined connection.
 * @param name prepares a statement if it may have a name
 * @param onRetired called when it takes no more statements
 * @param again runs a statement elsewhere: a read whose connection was lost, or that stands behind a slow statement
 */
function openShared(
  from: Source,
  name: (statement: Statement) => void,
  onRetired: () => void,
  again: (sent: Sent) => void,
) {
  /** in the order of their answers; a `Set` would leave its old tables behind */
  const underWay: Sent[] = []
  let client: TakenClient | undefined
  let answers = 0
  let seen = 0
  let timer: NodeJS.Timeout | undefined
  let isRetired = false
  /** those whose request is refused */
  let unwanted: Set<Sent> | undefined
  /** those of this turn that are sent as one statement at its end */
  let joining: Sent[] = []

  async function open(): Promise<void> {
    from.take()
    try {
      client = await connect(from, false, error => {
        if (underWay.length === 0) from.pool.emit('error', error) // as the pool does for idle clients
        retire()
      })
      for (const sent of [...underWay]) submit(client, sent)
      if (isRetired) retire()
    } catch (error) {
      for (const sent of [...underWay]) answered(sent, error as Error) // pg throws Errors
      retire()
    }
  }

  function submit(to: TakenClient, sent: Sent): void {
    timer ??= setTimeout(look, stuckAfter)
    if (sent.statement.joinable) {
      if (joining[0] && !isJoining(sent.statement)) sendJoined(to)
      if (joining.push(sent) > 1) return
      setImmediate(() => sendJoined(to))
      to.gather() // until then
      return
    }
    if (sent.write) sent.write.state = 'sent'
    to.send(sent.statement, (error, result, failure) => answered(sent, error, result, failure))
  }

  const isJoining = ({ joinable }: Statement) =>
    joining[0]?.statement.joinable?.joiner === joinable?.joiner && joining.length < mostJoined

  function sendJoined(to: TakenClient): void {
    const all = joining
    joining = []
    if (all.length === 0) return
    for (const sent of all) {
      // Statements that were sent since they came are answered before them.
      underWay.splice(underWay.indexOf(sent), 1)
      underWay.push(sent)
      if (sent.write) sent.write.state = 'sent'
      sent.joined = all
    }
    to.send(joined(all), (error, result, failure) => {
      if (all.length > 1 && isOfOne(error, failure)) return separate(all, error)
      for (const [index, sent] of all.entries()) {
        const rows = all.length === 1 ? result?.rows : result?.rows.slice(index, index + 1)
        answered(sent, error, result && rows && { ...result, rows, rowCount: rows.length }, failure)
      }
    })
  }

  /** Returns statements as one. */
  function joined(all: readonly Sent[]): Statement {
    const [{ statement } = { statement: new Statement('') }] = all
    const { joiner } = statement.joinable ?? {}
    if (all.length === 1 || !joiner) return statement
    const { sql, parameters } = joiner.join(all.flatMap(sent => sent.statement.joinable?.values ?? []))
    const together = new Statement(sql, [...parameters])
    name(together)
    return together
  }

  /** Runs statements alone, as one of them has failed: none was carried out. */
  function separate(all: readonly Sent[], error: Error): void {
    for (const sent of all) {
      const { done, statement, write } = sent
      const alone = new Statement(statement.text, statement.values)
      alone.prepared = statement.prepared
      sent.done = () => {} // the other run answers
      if (!write?.of.refusal) again(new Sent(alone, done, false, write))
      else sent.done = done
      answered(sent, error)
    }
  }

  function answered(sent: Sent, error: Error | null, result?: pg.QueryResult, failure?: Failure): void {
    if (underWay[0] === sent) underWay.shift()
    else underWay.splice(underWay.indexOf(sent), 1)
    answers++
    const isLost = client?.isBroken() === true
    rest()
    unwanted?.delete(sent)
    cancelUnwanted()
    const isRepeated = sent.mayRepeat && isLost && error && !isDeadline(error)
    if (isRepeated || (failure?.isMistaken && !sent.write?.of.refusal)) again(sent)
    else sent.done(error, result, failure)
  }

  /** To be called when there is one statement less under way. */
  function rest(): void {
    if (isRetired || client?.isBroken()) retire()
    else if (underWay.length === 0) from.becameIdle()
  }

  /** Drops a statement that was not sent. One that was is cancelled once it runs. */
  function end(sent: Sent, refusal: Error): void {
    const index = underWay.indexOf(sent)
    if (index === -1) return
    if (!client || joining.includes(sent)) {
      underWay.splice(index, 1)
      joining = joining.filter(other => other !== sent)
      sent.done(refusal)
      rest()
      return
    }
    unwanted ??= new Set()
    unwanted.add(sent)
    retire() // what comes later is not to be cancelled in its place
    cancelUnwanted()
  }

  function cancelUnwanted(): void {
    const [first] = underWay
    const isUnwanted = (sent: Sent) => unwanted?.has(sent) === true
    if (first && (first.joined?.every(isUnwanted) ?? isUnwanted(first))) client?.cancel()
  }

  /** Checks once all arrived data is read: this process may have been paused itself. */
  function look(): void {
    timer = undefined
    setImmediate(() => {
      if (isRetired || underWay.length === 0) return
      timer ??= setTimeout(look, stuckAfter)
      if (seen !== answers) {
        seen = answers
        return
      }
      retire()
      const [, ...behind] = underWay
      for (const sent of behind) {
        if (!sent.mayRepeat) continue
        again(new Sent(sent.statement, sent.done, false))
        sent.done = () => {} // the other run answers
        sent.mayRepeat = false
      }
    })
  }

  /** Takes no more statements, and releases the client once all are answered. */
  function retire(): void {
    if (!isRetired) onRetired()
    isRetired = true
    if (underWay.length > 0) return
    clearTimeout(timer)
    const released = client
    client = undefined
    released?.release()
  }

  void open()
  return {
    underWay,
    retire,
    /** Returns whether it is open and has nothing to do. */
    isIdle: () => client !== undefined && underWay.length === 0,
    isJoining,
    send(sent: Sent): void {
      underWay.push(sent)
      if (sent.write) {
        sent.write.state = 'waiting'
        sent.write.end = refusal => end(sent, refusal)
      }
      if (client) submit(client, sent)
    },
  }
}

/** Whether statements that were sent as one failed for what a single one of them may have asked. */
const isOfOne = (error: Error | null, failure?: Failure): error is Error =>
  error instanceof pg.DatabaseError && !failure?.isUnknown && error.code !== canceled

const isDeadline = (error: Error) => codeOf(error) === timedOut

/**
 * Shares all connections of a pool among statements outside transactions.
 * @param name prepares a statement if it may have a name
 */
export function shareConnections(from: Source, name: (statement: Statement) => void) {
  const open = new Set<SharedConnection>()
  /** the one that was given the last statement that may join */
  let joining: SharedConnection | undefined

  /** Returns the first connection that is not full, to write much at once; else a new one; else the least busy. */
  function choose(isRead: boolean): SharedConnection {
    let least: SharedConnection | undefined
    for (const each of open) {
      if (isRead && each.underWay.length < fullFrom) return each
      if (!least || each.underWay.length < least.underWay.length) least = each
    }
    const isFull = open.size >= from.own()
    if (least && (isFull || least.underWay.length === 0)) return least
    const connection: SharedConnection = openShared(from, name, () => open.delete(connection), repeat)
    open.add(connection)
    return connection
  }

  const repeat = ({ statement, done, write }: Sent) =>
    choose(write === undefined).send(new Sent(statement, done, false, write))

  from.freeIdle = () => {
    for (const each of open) if (each.isIdle()) return each.retire()
  }

  return {
    /** Returns the number of unanswered statements. */
    underWay: () => open.values().reduce((sum, { underWay }) => sum + underWay.length, 0),
    /**
     * Runs a statement. A read runs once more if its connection is lost, or if it waits behind a slow one. Writes, which
     * run once, spread over all connections, as each waits for the disk.
     */
    run(statement: Statement, isRead: boolean, done: Done, write?: Write): void {
      const sent = new Sent(statement, done, isRead, write)
      const isJoined = statement.joinable && joining?.isJoining(statement)
      const connection = isJoined && joining ? joining : choose(isRead)
      if (statement.joinable) joining = connection
      connection.send(sent)
    },
    /** Returns the connections to the pool, once their statements are answered. */
    close(): void {
      for (const connection of open) connection.retire()
    },
  }
}
