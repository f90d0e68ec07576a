import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import express, { type Response as Answer, type Request as Call } from 'express'
import { listen } from '../http.ts'
import { isText, isWhole, type Make, onThrown, Refused, wholeText } from './make.ts'
import { accessionId, code, document, statuses } from './seeds-document.ts'

interface Accession {
  id: string
  depositor: string
  species_code: string
  label: string | null
  collected_on: string
  seeds_received: number
  origin: string
  notes: string | null
  status: 'drying' | 'stored' | 'retired'
  bundle_id: number | null
}

interface GerminationTest {
  id: number
  accession_id: string
  tested_on: string
  seeds_sown: number
  seeds_germinated: number
}

interface Withdrawal {
  id: number
  accession_id: string
  requester: string
  seeds: number
  purpose: string
  status: 'requested' | 'approved' | 'cancelled'
  fee_cents: number
}

interface Loan {
  id: number
  tray_id: number
  from: string
  to: string
}

/** The callers by their tokens. */
const callers: Readonly<Record<string, string>> = { 'a-token-of-alice': 'alice', 'a-token-of-bob': 'bob' }
const trays = ['Upper tray', 'Middle tray', 'Lower tray'].map((name, index) => ({ id: index + 1, name }))
const leastLeft = 100

type Guard<Value> = (value: unknown) => value is Value
type Guarded<Guards> = {
  [Name in keyof Guards]: Guards[Name] extends Guard<infer Value> ? Value : never
}

const text =
  (most: number): Guard<string> =>
  value =>
    isText(value, most)
const whole =
  (least: number): Guard<number> =>
  (value): value is number =>
    isWhole(value, least, 1_000_000)
const matching =
  (schema: { pattern: string }, most: number): Guard<string> =>
  (value): value is string =>
    isText(value, most) && new RegExp(schema.pattern).test(value)
const optional =
  <Value>(guard: Guard<Value>): Guard<Value | undefined> =>
  value =>
    value === undefined || guard(value)
const isNotes: Guard<string | null> = value => value === null || isText(value, 500)
const isCode = matching(code, 40)
const isAccessionId = matching(accessionId, 10)
const isStatus = (value: unknown): value is Accession['status'] => statuses.some(status => status === value)
const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value)
const isPast = (value: unknown): value is string =>
  isDay(value) && value <= new Date().toISOString().slice(0, 10)
const areAccessionIds = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  isWhole(value.length, 1, 20) &&
  value.every(isAccessionId) &&
  new Set(value).size === value.length

const fields = {
  species_code: isCode,
  label: optional(text(40)),
  collected_on: isPast,
  origin: text(80),
  notes: optional(isNotes),
}
const changes = {
  label: fields.label,
  origin: optional(fields.origin),
  notes: fields.notes,
  status: optional(isStatus),
}
const filters = {
  species_code: optional(isCode),
  collected_from: optional(isDay),
  collected_to: optional(isDay),
  q: optional(text(80)),
}

/** Reads the properties that have guards; one that does not fit is answered with 422. */
function read<Guards extends Record<string, Guard<unknown>>>(given: object, guards: Guards): Guarded<Guards> {
  const values: Record<string, unknown> = { ...given }
  const wrong = Object.entries(guards).find(([name, guard]) => !guard(values[name]))
  if (wrong) throw new Refused(422, `${wrong[0]} is missing or not right`)
  return values as Guarded<Guards> // each guard has seen its value
}

/** Reads a body, which has no other properties. */
function bodyFrom<Guards extends Record<string, Guard<unknown>>>({ body }: Call, guards: Guards) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refused(422, 'The body must be an object')
  const other = Object.keys(body).find(name => !Object.hasOwn(guards, name))
  if (other !== undefined) throw new Refused(422, `${other} is unknown`)
  return read(body, guards)
}

/** Refuses a request unless something holds. */
function must(holds: boolean, status: number, why: string): void {
  if (!holds) throw new Refused(status, why)
}

/** The one with an id, or a refusal. */
function oneOf<Item>(
  all: ReadonlyMap<unknown, Item>,
  id: unknown,
  status = 404,
  why = 'There is none',
): Item {
  const found = all.get(id)
  if (found === undefined) throw new Refused(status, why)
  return found
}

/** The service without its connections. */
function serviceWith(fault: string | undefined) {
  const app = express()
  const species = new Map<string, { code: string; name: string }>()
  /** the codes of species that were removed, and stay taken */
  const removed = new Set<string>()
  const accessions = new Map<string, Accession>()
  const tests: GerminationTest[] = []
  const withdrawals = new Map<number, Withdrawal>()
  const kept = new Set<Withdrawal>()
  const bundles = new Map<number, { id: number; accession_ids: string[] }>()
  const loans = new Map<number, Loan>()
  let last = 0

  const callerOf = (call: Call) => callers[call.headers.authorization?.replace(/^bearer /i, '') ?? ''] ?? ''
  const numberOf = ({ params: { id } }: Call) => (/^[1-9]\d{0,14}$/.test(String(id)) ? Number(id) : undefined)
  const accessionOf = (call: Call) => oneOf(accessions, call.params.id)
  const loansOf = (tray: number) => [...loans.values()].filter(({ tray_id: id }) => id === tray)
  const testsOf = (id: string) => tests.filter(({ accession_id: tested }) => tested === id)
  const availableOf = ({ id, seeds_received: received }: Accession) =>
    [...withdrawals.values()]
      .filter(one => one.accession_id === id && (one.status !== 'cancelled' || kept.has(one)))
      .map(({ seeds }) => seeds)
      .concat(testsOf(id).map(({ seeds_sown: sown }) => sown))
      .reduce((left, taken) => left - taken, received)
  const viabilityOf = ({ id }: Accession) => {
    const all = testsOf(id)
    if (fault !== 'last recorded') all.sort((a, b) => a.tested_on.localeCompare(b.tested_on))
    const latest = all.at(-1)
    return latest ? (100 * latest.seeds_germinated) / latest.seeds_sown : null
  }
  const shown = (found: Accession) => ({
    ...found,
    seeds_available: availableOf(found),
    viability_percent: viabilityOf(found),
  })
  const tagOf = (found: Accession) => {
    const { notes, seeds_available: available, viability_percent: viability, ...rest } = shown(found)
    const counted = [
      rest,
      fault !== 'tag leaves out notes' && notes,
      fault !== 'tag leaves out seeds' && [available, viability],
    ]
    return `"${createHash('sha256').update(JSON.stringify(counted)).digest('base64url')}"`
  }
  const give = (answer: Answer, found: Accession) => void answer.set('ETag', tagOf(found)).json(shown(found))
  const toChange = (call: Call) => {
    const found = accessionOf(call)
    must(found.depositor === callerOf(call), 403, 'Only the depositor may change it')
    const wanted = call.headers['if-match']?.split(',').map(tag => tag.trim()) ?? ['*']
    must(wanted.includes('*') || wanted.includes(tagOf(found)), 412, 'The accession has another tag')
    return found
  }
  const fold = (label: string) => (fault === 'case of labels' ? label : label.toLowerCase())
  const checkLabel = (label: string | undefined, own?: Accession) => {
    const isTaken = [...accessions.values()].some(
      other => label !== undefined && other !== own && other.label && fold(other.label) === fold(label),
    )
    must(!isTaken, 409, 'The label is taken')
  }
  const checkSpecies = (asked: string) => must(species.has(asked), 422, 'No such species')
  const mayGive = (call: Call, { accession_id: id }: Withdrawal) =>
    accessions.get(id)?.depositor === callerOf(call)
  const withdrawalOf = (call: Call) => {
    const found = oneOf(withdrawals, numberOf(call))
    must(found.requester === callerOf(call) || mayGive(call, found), 404, 'There is none')
    return found
  }

  app.set('etag', false)
  app.use((call, answer, next) => {
    if (callerOf(call) !== '') return next()
    answer.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'Who are you?' })
  })
  app.use(express.json({ strict: false }))
  app.get('/species', (_, answer) => void answer.json([...species.values()]))
  app.post('/species', (call, answer) => {
    const made = bodyFrom(call, { code: isCode, name: text(80) })
    must(!species.has(made.code) && !removed.has(made.code), 409, 'The code is taken')
    species.set(made.code, made)
    answer.status(201).json(made)
  })
  app.get('/species/:id', (call, answer) => void answer.json(oneOf(species, call.params.id)))
  app.delete('/species/:id', (call, answer) => {
    const found = oneOf(species, call.params.id)
    const isUsed = [...accessions.values()].some(({ species_code: used }) => used === found.code)
    must(!isUsed, 409, 'The species has accessions')
    species.delete(found.code)
    if (fault === 'code of removed') removed.add(found.code)
    answer.status(204).end()
  })
  app.get('/accessions', (call, answer) => {
    const { species_code: of, collected_from: from, collected_to: to, q } = read(call.query, filters)
    const page = wholeText(call.query.page, 1, 1_000_000, 1, 422)
    const size = wholeText(call.query.per_page, 1, 100, 20, 422)
    const found = [...accessions.values()].filter(
      ({ species_code: used, collected_on: on, origin }) =>
        (of === undefined || used === of) &&
        (from === undefined || on >= from) &&
        (to === undefined || (fault === 'last day' ? on < to : on <= to)) &&
        (q === undefined || origin.toLowerCase().includes(q.toLowerCase())),
    )
    const link = (rel: string, number: number) => {
      const { pathname, searchParams } = new URL(call.originalUrl, 'http://localhost')
      searchParams.set('page', String(number))
      if (fault === 'links lose q') searchParams.delete('q')
      return `<${pathname}?${searchParams}>; rel="${rel}"`
    }
    const links = [
      ...(page * size < found.length ? [link('next', page + 1)] : []),
      ...(page > 1 ? [link('prev', page - 1)] : []),
    ]
    if (links.length > 0) answer.set('Link', links.join(', '))
    answer.set('X-Total-Count', String(found.length))
    answer.json(found.slice((page - 1) * size, page * size).map(shown))
  })
  app.post('/accessions', (call, answer) => {
    const draft = bodyFrom(call, { ...fields, seeds_received: whole(1) })
    checkSpecies(draft.species_code)
    checkLabel(draft.label)
    const made: Accession = {
      id: `ACC-${String(accessions.size + 1).padStart(6, '0')}`,
      depositor: callerOf(call),
      ...draft,
      label: draft.label ?? null,
      notes: draft.notes ?? null,
      status: 'drying',
      bundle_id: null,
    }
    accessions.set(made.id, made)
    answer.status(201).json(shown(made))
  })
  app.get('/accessions/:id', (call, answer) => give(answer, accessionOf(call)))
  app.put('/accessions/:id', (call, answer) => {
    const draft = bodyFrom(call, fields)
    const found = toChange(call)
    checkSpecies(draft.species_code)
    checkLabel(draft.label, found)
    Object.assign(found, draft, { label: draft.label ?? null, notes: draft.notes ?? null })
    give(answer, found)
  })
  app.patch('/accessions/:id', (call, answer) => {
    const { label, origin, notes, status } = bodyFrom(call, changes)
    const found = toChange(call)
    checkLabel(label, found)
    const follows = status === undefined || statuses.indexOf(status) === statuses.indexOf(found.status) + 1
    must(follows, 409, `The accession is ${found.status}`)
    if (label !== undefined) found.label = label
    if (origin !== undefined) found.origin = origin
    if (notes !== undefined && (notes !== null || fault !== 'null stays')) found.notes = notes
    if (status !== undefined) found.status = status
    give(answer, found)
  })
  app.get('/accessions/:id/tests', (call, answer) => void answer.json(testsOf(accessionOf(call).id)))
  app.post('/accessions/:id/tests', (call, answer) => {
    const draft = bodyFrom(call, { tested_on: isPast, seeds_sown: whole(1), seeds_germinated: whole(0) })
    must(draft.seeds_germinated <= draft.seeds_sown, 422, 'More seeds are germinated than sown')
    const found = accessionOf(call)
    must(found.status === 'stored', 409, 'The accession is not in store')
    must(draft.seeds_sown <= availableOf(found), 409, 'There are not as many seeds')
    const made = { id: ++last, accession_id: found.id, ...draft }
    tests.push(made)
    answer.status(201).json(made)
  })
  app.get('/withdrawals', (call, answer) => {
    answer.json([...withdrawals.values()].filter(({ requester }) => requester === callerOf(call)))
  })
  app.post('/withdrawals', (call, answer) => {
    const draft = bodyFrom(call, { accession_id: isAccessionId, seeds: whole(1), purpose: text(200) })
    const found = oneOf(accessions, draft.accession_id, 422, 'No such accession')
    must(found.status === 'stored', 409, 'The accession is not in store')
    must(availableOf(found) - draft.seeds >= leastLeft, 409, `At least ${leastLeft} seeds must remain`)
    const fee = (35 * draft.seeds) / 100
    const fee_cents = Math.floor(fault === 'fee rounded down' ? fee : fee + 0.5)
    const made: Withdrawal = {
      ...{ id: ++last, requester: callerOf(call), ...draft, fee_cents },
      status: 'requested',
    }
    withdrawals.set(made.id, made)
    answer.status(201).json(made)
  })
  app.get('/withdrawals/:id', (call, answer) => void answer.json(withdrawalOf(call)))
  app.post('/withdrawals/:id/approve', (call, answer) => {
    const found = withdrawalOf(call)
    must(mayGive(call, found) || fault === 'anyone approves', 403, 'Only the depositor may approve')
    must(found.status === 'requested', 409, `The withdrawal is ${found.status}`)
    found.status = 'approved'
    answer.json(found)
  })
  app.post('/withdrawals/:id/cancel', (call, answer) => {
    const found = withdrawalOf(call)
    must(found.requester === callerOf(call), 403, 'Only the requester may cancel')
    must(found.status !== 'cancelled', 409, 'The withdrawal is cancelled')
    if (found.status === 'approved' && fault === 'approved is not given back') kept.add(found)
    found.status = 'cancelled'
    answer.json(found)
  })
  app.get('/bundles', (_, answer) => void answer.json([...bundles.values()]))
  app.post('/bundles', (call, answer) => {
    const made = { id: ++last, ...bodyFrom(call, { accession_ids: areAccessionIds }) }
    const wanted: Accession[] = []
    for (const id of made.accession_ids) {
      const found = oneOf(accessions, id, 422, 'No such accession')
      must(found.bundle_id === null, 409, `${id} is in a bundle`)
      wanted.push(found)
      if (fault === 'half a bundle') found.bundle_id = made.id
    }
    for (const found of wanted) found.bundle_id = made.id
    bundles.set(made.id, made)
    answer.status(201).json(made)
  })
  app.get('/bundles/:id', (call, answer) => void answer.json(oneOf(bundles, numberOf(call))))
  app.get('/trays', (_, answer) => void answer.json(trays))
  const trayOf = (call: Call) => oneOf(new Map(trays.map(({ id }) => [id, id])), numberOf(call))
  app.get('/trays/:id/loans', (call, answer) => void answer.json(loansOf(trayOf(call))))
  app.post('/trays/:id/loans', (call, answer) => {
    const { from, to } = bodyFrom(call, { from: isDay, to: isDay })
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
    must(isWhole(days, 1, 60), 422, 'The loan must end after it begins, at most 60 days later')
    const tray = trayOf(call)
    const isBefore = (end: string, begin: string) => (fault === 'touching loans' ? end < begin : end <= begin)
    const isUnseen = (other: Loan) => fault === 'enclosing loans' && from < other.from && other.to < to
    const isFree = loansOf(tray).every(
      other => isBefore(other.to, from) || isBefore(to, other.from) || isUnseen(other),
    )
    must(isFree, 409, 'It overlaps another loan of the tray')
    const made: Loan = { id: ++last, tray_id: tray, from, to }
    loans.set(made.id, made)
    answer.status(201).json(made)
  })
  app.get('/loans/:id', (call, answer) => void answer.json(oneOf(loans, numberOf(call))))
  app.delete('/loans/:id', (call, answer) => {
    loans.delete(oneOf(loans, numberOf(call)).id)
    answer.status(204).end()
  })
  app.use((_, answer) => void answer.status(404).json({ error: 'There is none' }))
  app.use(onThrown(error => ({ error })))
  return app
}

export const seedBank: Make = {
  document,
  auth: Object.keys(callers).map(token => `token=${token}`),
  faults: {
    'null stays': /notes is null in it, and stays/,
    'tag leaves out notes': /has the ETag .* for two contents/,
    'tag leaves out seeds': /has the ETag .* for two contents/,
    'links lose q': /link to the next page leaves out q/,
    'anyone approves': /approveWithdrawal: two callers may do it/,
    'approved is not given back': /seeds_available .* stays \d+ after approveWithdrawal and it/,
    'last recorded': /viability_percent .* by an earlier tested_on/,
    'case of labels': /label is taken in another case/,
    'last day': /collected_to=\S+ lacks/,
    'code of removed': /addSpecies: the same as one that was removed is refused/,
    'fee rounded down': /fee_cents is \d+, and 35 % of `seeds` is \d/,
    'enclosing loans': /overlaps another one with .*, and is taken/,
    'touching loans': /begins where one with .* ends, which its text allows/,
    'half a bundle': /it is refused, and yet accession_id \S+ has changed: bundle_id/,
  },
  async start(fault) {
    const server = createServer(serviceWith(fault))
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() }
  },
}
