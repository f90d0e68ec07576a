import fp from 'fastify-plugin'
import { sql } from 'kysely'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import { ago, type Lifetimes } from 'spec-served-document/contract/extensions'
import { pathReader, uriOf } from 'spec-served-document/contract/path-templates'
import { keyOf } from '../callers/caller.ts'
import { isFaultOfData } from '../database/failures.ts'
import { removeRows, rowsOf } from '../database/statements.ts'
import type { Db, DeprecatedCallsTable, HolderCallsTable } from '../database/tables.ts'
import { ApiError } from '../errors/api-error.ts'
import type { StageOptions } from '../parts.ts'
import type { Destination } from '../routes/destination.ts'
import { createBatchWriter, silent } from '../runtime/batch-writer.ts'

declare module '../routes/destination.ts' {
  interface Destination {
    /** absent: the operation is stable, and stays */
    lifecycle?: {
      fields: Readonly<Record<string, string>>
      /** Returns the Link for a request's URL, and the path before it; absent: the operation is not deprecated. */
      link?: (url: string, prefix: string) => string
      /** 00:00 UTC of the sunset, in ms since 1970, and the message from then on */
      ends?: { at: number; message: string }
    }
  }
}

/**
 * Adds an operation's stability, deprecation (RFC 9745) and sunset (RFC 8594) to each of its replies, errors included.
 * It counts calls of deprecated operations. It refuses those of ended ones, from 00:00 UTC of the day on.
 */
export const lifecycle = fp<StageOptions>(async (app, { contract, parts: { deprecatedCalls, time } }) => {
  const { page } = docsAddresses(contract.model)
  app.addHook('onRoute', ({ config }) => {
    if (config?.operationId === undefined || !config.facts) return
    const operationLifecycle = lifecycleOf(config.operationId, config.facts, page)
    if (operationLifecycle) config.lifecycle = operationLifecycle
  })

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const { lifecycle: ofOperation, operationId = '' } = request.destination
    if (!ofOperation?.link) return done()
    if (request.caller.kind === 'key') deprecatedCalls.note(request.caller.counter, operationId)
    const { ends } = ofOperation
    if (!ends || time() < ends.at) done()
    else done(new ApiError('operation_sunset', ends.message))
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { lifecycle: ofOperation } = request.destination
    if (!ofOperation) return done(null, payload)
    const { fields, link } = ofOperation
    reply.headers(fields)
    if (link) {
      const handlerLink = reply.getHeader('link')
      const lifecycleLink = link(request.url, app.fixedPrefix ?? app.prefixOf(request))
      reply.header(
        'link',
        handlerLink === undefined ? lifecycleLink : [handlerLink, lifecycleLink].flat().join(', '),
      )
    }
    done(null, payload)
  })
})

function lifecycleOf(id: string, facts: OperationFacts, page: string): Destination['lifecycle'] {
  const { stability, deprecation } = facts
  if (!stability && !deprecation) return undefined
  const { at, sunset, successor } = deprecation ?? {}
  const fields = {
    ...(stability && { 'x-stability': stability }),
    ...(at && { deprecation: `@${Date.parse(at) / 1_000}` }),
    ...(sunset && { sunset: new Date(sunset).toUTCString() }),
  }
  if (!deprecation) return { fields }
  const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
  const ends = sunset && { at: Date.parse(sunset), message: `${id} ended on ${sunset}${instead}.` }
  return { fields, link: linkOf(id, facts, page), ...(ends && { ends }) }
}

/** Returns a deprecated operation's Link for a request's URL: to the docs, and to the successor (RFC 5829). */
function linkOf(id: string, { path, tag, deprecation }: OperationFacts, page: string) {
  const place = `${page}#/${encodeURIComponent(tag ?? 'default')}/${encodeURIComponent(id)}`
  const docs = (prefix: string) => `<${prefix}${place}>; rel="deprecation"`
  const { href } = deprecation?.successor ?? {}
  if (href === undefined) return (_url: string, prefix: string) => docs(prefix)
  const write = (uri: string, prefix: string) => `<${prefix}${uri}>; rel="successor-version", ${docs(prefix)}`
  const read = pathReader(path)
  const [before = '', name, after = ''] = href.split(/\{([^}]*)\}/)
  const index = path.split('/').indexOf(`{${name}}`)
  const isOne = name !== undefined && href.length === before.length + name.length + 2 + after.length
  const [head, tail] = [uriOf(before), uriOf(after)]
  return (url: string, prefix: string) => {
    // Most paths have a single plain value, which needs no escaping.
    const value = isOne && !url.includes('?') ? (url.split('/')[index] ?? '') : ''
    if (plainValue.test(value)) return write(head + value + tail, prefix)
    const values = read(url)
    // Values that are longer are no identifiers.
    return write(
      uriOf(
        href.replace(/\{([^}]*)\}/g, (_, parameterName) => values.get(parameterName)?.slice(0, 200) ?? ''),
      ),
      prefix,
    )
  }
}

const plainValue = /^[\w.~-]{1,200}$/

/** Describes the operations that have ended, or end within the days of warning. */
export function upcomingSunsets({ facts, lifetimes }: Contract, now: Date): string[] {
  const { sunsetWarnings: seconds = Number.POSITIVE_INFINITY } = lifetimes
  return [...facts].flatMap(([id, { deprecation }]) => {
    const { sunset, successor } = deprecation ?? {}
    const left = sunset ? daysUntil(sunset, now) : Number.POSITIVE_INFINITY
    if (!sunset || left * 86_400 > seconds) return []
    const days = left === 1 ? 'day' : 'days'
    const what = left > 0 ? `ends on ${sunset}, in ${left} ${days}` : `ended on ${sunset}`
    return [`${id} ${what}${successor ? `; ${successor.operationId} replaces it` : ''}.`]
  })
}

/** Returns the days until 00:00 UTC of a date, rounded up; 0 or less from then on. */
export function daysUntil(day: string, now: Date): number {
  return Math.ceil((Date.parse(day) - now.getTime()) / 86_400_000)
}

/** How often counted calls are written, in ms. */
const writeEvery = 5_000

const dayOf = (date: Date) => date.toISOString().slice(0, 10)
/** The first day whose calls are shown. */
const since = ({ deprecatedCalls: days }: Lifetimes, now: Date) => sql<Date>`${dayOf(ago(days, now))}::date`

/** Counts calls of deprecated operations, and writes them in batches. */
export function countDeprecatedCalls(db: Db, lifetimes: Lifetimes, time: () => number, log = silent) {
  const writer = createBatchWriter<string, number>({
    what: 'Calls of deprecated operations',
    everyMs: writeEvery,
    merge: (earlier, later) => earlier + later,
    write: batch => addCalls(db, batch),
    isFaultOfData,
    log,
  })
  let present = { number: 0, text: '' }
  function today(): string {
    const now = time()
    const number = Math.floor(now / 86_400_000)
    if (number !== present.number) present = { number, text: dayOf(new Date(now)) }
    return present.text
  }
  return {
    note: (counter: string, operationId: string) =>
      writer.note(JSON.stringify([counter, today(), operationId]), 1),
    async of(counter: string) {
      await writer.flush()
      const rows = await callsBy(db, counter)
        .select(['operation_id', eb => eb.fn.sum<string>('calls').as('calls')])
        .where('day', '>=', since(lifetimes, new Date(time())))
        .groupBy('operation_id')
        .orderBy('operation_id')
        .execute()
      return new Map(rows.map(row => [row.operation_id, Number(row.calls)]))
    },
    flush: writer.flush,
    close: writer.close,
  }
}

/** Selects the stored calls of a holder. */
function callsBy(db: Db, counter: string) {
  const key = keyOf(counter)
  const columns = ['operation_id', 'day', 'calls'] as const
  const stored =
    key === undefined
      ? db.selectFrom('holder_calls').select(columns).where('counter', '=', counter)
      : db.selectFrom('deprecated_calls').select(columns).where('key_id', '=', key)
  return db.selectFrom(stored.as('stored'))
}

/** Returns the columns of calls that are given by `[counter, day, operation]` in JSON. */
function columnsOf(counts: readonly (readonly [name: string, calls: number])[]) {
  const names = counts.map(([name]): string[] => JSON.parse(name))
  const column = (index: number) => names.map(name => name[index] ?? '')
  return {
    counters: column(0),
    given: {
      day: { type: 'date', values: column(1) },
      operation_id: { type: 'text', values: column(2) },
      calls: { type: 'integer', values: counts.map(([, calls]) => calls) },
    },
  } as const
}

/** Adds calls, in one statement. Those of revoked keys are left out. */
async function addCalls(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  const isOfKey = ([name]: readonly [string, number]) => keyOf(JSON.parse(name)[0]) !== undefined
  const ofKeys = columnsOf([...counts].filter(isOfKey))
  const ofOthers = columnsOf([...counts].filter(count => !isOfKey(count)))
  const byKeys = rowsOf<Record<keyof DeprecatedCallsTable, unknown>, 'given'>('given', {
    key_id: { type: 'bigint', values: ofKeys.counters.map(keyOf) },
    ...ofKeys.given,
  })
  const byOthers = rowsOf<Record<keyof HolderCallsTable, unknown>, 'given'>('given', {
    counter: { type: 'text', values: ofOthers.counters },
    ...ofOthers.given,
  })
  await db
    .with('of_keys', cte =>
      cte
        .insertInto('deprecated_calls')
        .columns(['key_id', 'day', 'operation_id', 'calls'])
        .expression(
          cte
            .selectFrom(byKeys)
            .innerJoin('api_keys', 'api_keys.id', 'given.key_id')
            .select(['given.key_id', 'given.day', 'given.operation_id', 'given.calls']),
        )
        .onConflict(conflict =>
          conflict
            .columns(['key_id', 'operation_id', 'day'])
            .doUpdateSet(eb => ({ calls: eb('deprecated_calls.calls', '+', eb.ref('excluded.calls')) })),
        ),
    )
    .insertInto('holder_calls')
    .columns(['counter', 'day', 'operation_id', 'calls'])
    .expression(db.selectFrom(byOthers).select(['counter', 'day', 'operation_id', 'calls']))
    .onConflict(conflict =>
      conflict
        .columns(['counter', 'operation_id', 'day'])
        .doUpdateSet(eb => ({ calls: eb('holder_calls.calls', '+', eb.ref('excluded.calls')) })),
    )
    .execute()
}

/**
 * Returns the callers of an operation, as far back as the document says, the most frequent first. The holder of another
 * credential than a key has no id, and its counter as its name.
 */
export async function callersOf(db: Db, operationId: string, lifetimes: Lifetimes, now: Date) {
  const ofKeys = db
    .selectFrom('deprecated_calls')
    .innerJoin('api_keys', 'api_keys.id', 'key_id')
    .select(['api_keys.id', 'api_keys.name', 'operation_id', 'day', 'calls'])
  const ofOthers = db
    .selectFrom('holder_calls')
    .select([
      eb => eb.cast<number>(eb.lit(null), 'bigint').as('id'),
      'counter as name',
      'operation_id',
      'day',
      'calls',
    ])
  const rows = await db
    .selectFrom(ofKeys.unionAll(ofOthers).as('stored'))
    .select(['id', 'name', eb => eb.fn.sum<string>('calls').as('calls')])
    .select(eb => eb.cast<string>(eb.fn.max('day'), 'text').as('lastDay'))
    .where('operation_id', '=', operationId)
    .where('day', '>=', since(lifetimes, now))
    .groupBy(['id', 'name'])
    .orderBy(eb => eb.fn.sum('calls'), 'desc')
    .orderBy('id')
    .orderBy('name')
    .execute()
  return rows.map(row => ({ ...row, calls: Number(row.calls) }))
}

export async function removeOldCalls(db: Db, now: Date, lifetimes: Lifetimes): Promise<void> {
  for (const table of ['deprecated_calls', 'holder_calls'] as const)
    await removeRows(db, table, sql`day < ${since(lifetimes, now)}`)
}
