import fc from 'fast-check'
import { schemesOf } from 'spec-served/internal/callers/security'
import type { Model } from 'spec-served-document/model'
import type { Reference, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { codeIn, codes, madeByService, pointersIn, wordsIn } from '../../records/conventions.ts'
import { type Endpoint, type Interface, type Place, shapeOf } from '../../records/interface.ts'
import { type Draft, recordIn } from '../../records/messages.ts'
import { type Form, formsOf } from '../forms.ts'
import { isLearntWithin } from '../learnt.ts'
import { referencesIn, withIdentifiers } from '../requests.ts'
import { type Exchange, isSafe } from '../sending.ts'
import type { Session } from '../session.ts'
import { faultKind } from '../summary.ts'
import { inside, isDeep, nothing, type Surroundings } from '../values.ts'

/**
 * How many requests are sent in each form, in a form of a component that another operation was sent already, and in any
 * form. A service that runs elsewhere takes its time for each.
 */
const runs = { form: { own: 2, running: 1 }, again: 1, any: { own: 25, running: 8 } }

/** How many requests are sent for a smaller one that fails, too: for each form, or for all of an operation. */
const smaller = 50

/** How often another request is drawn in place of one that fails as others did. */
const maxSkipsPerRun = 4

/** Refusals of a valid request: the record or its range is not there, or the rules of the business are against it. */
const businessRefusals = new Set([404, 409, 410, 412, 416, 422])

/**
 * Sends an operation every form of request that the document allows, and every form that it does not. The rest of each
 * request is drawn at random. The service accepts an allowed form, or declines it by a declared rule. It refuses
 * another with 400 at the right place. A failure is shrunk to its smallest request.
 */
export async function probeRequests(session: Session, endpoint: Endpoint) {
  if (!session.contract.guided) return probeOthers(session, endpoint)
  const broken = new Set<string>()
  const findings: Findings = { broken, known: new Set(), smaller }
  for (const [index, form] of formsOf(session.drawing(endpoint), endpoint).entries()) {
    if (!endpoint.statuses.includes(400) && / (not declared|NUL character|byte order mark)$/.test(form.name))
      if (!form.name.startsWith('/body/undeclared')) continue
    const failure = await probeForm(session, endpoint, form, session.seed + index, findings)
    if (failure) session.add(endpoint, `${form.name}: ${failure.faults.join('; ')}`, failure.exchange)
  }
  await probeItems(session, endpoint)
  for (const pointer of rulesOf(session, endpoint))
    session.holdOf(endpoint, `no request was refused for the further rule of ${pointer}`, broken.has(pointer))
}

/** How often a value that is allowed is sent that seems to be refused. */
const retries = 6

/**
 * The same for a document of others. Its service may refuse a request by rules that no schema says. So a value that is
 * allowed is refused wrongly only if each request with it is, and others are taken. Only those values count of which
 * OpenAPI says without doubt whether they are allowed.
 */
async function probeOthers(session: Session, endpoint: Endpoint): Promise<void> {
  // An operation may ask for a record in another state than a new one has.
  if (!isSafe(endpoint.method) && endpoint.path.includes('{'))
    await session.quietly(() => session.taken(endpoint))
  let isTaken = false
  const taken = new Set<string>()
  const suspect: { form: Form; exchange: Exchange }[] = []
  let accepted: Exchange | undefined
  for (const form of formsOf(session.drawing(endpoint), endpoint).flatMap(item =>
    undoubted(session, endpoint, item),
  )) {
    const refused: Exchange[] = []
    let hasFailed = false
    let isDeclined = false
    let takes = 0
    const isUnclear = () => (form.valid ? isDeclined : hasFailed)
    const runsOf = () => (form.override ? (isUnclear() ? retries : runs.form.own + 1) : runs.any.running)
    for (let run = 0; run < runsOf(); run++) {
      // The rest of the request has the simplest values, so that it is not the cause of a refusal.
      const isSimple: boolean =
        form.override !== undefined && (form.valid ? run > 1 && (run % 2 === 0 || isDeclined) : run === 1)
      const drawn = isSimple ? session.simple(endpoint, form.override) : session.draw(endpoint, form.override)
      const query = withoutMade(endpoint, drawn.query, form.place[1])
      const exchange: Exchange = await session.quietly(() => session.exchange(endpoint, { ...drawn, query }))
      const { status } = exchange.reply
      const isAsMeant = session.fits(endpoint, exchange.draft) === form.valid
      // A reply to a request that should have been refused has no fault of its own.
      if (form.valid || !isAsMeant || status >= 300)
        for (const fault of exchange.faults) session.add(endpoint, fault, exchange)
      if (!isAsMeant) continue
      const isWrong = form.valid ? status >= 500 : status >= 500 || status < 300
      const what = `${form.name}: ${form.valid ? 'a valid' : 'an invalid'} request was answered ${status}`
      // A declared 500 still is a failure, whereas a declared 503 may be all that can be said.
      const isDeclared = status !== 500 && endpoint.statuses.includes(status)
      const isTold = status >= 500 && (exchange.faults.length > 0 || isDeclared)
      session.hold(exchange, what, !isWrong || isTold)
      hasFailed ||= status >= 500 // which may hide the answer to this form
      if (status < 300) isTaken ||= form.valid
      if (status < 300 && form.valid) accepted = exchange
      if (status < 300 && form.valid && form.override?.value !== 'absent' && !/ null$/.test(form.name))
        taken.add(subjectOf(form))
      if (form.valid && isRefusal(status, endpoint, form)) refused.push(exchange)
      // A rule of the business may take another request.
      isDeclined = refused.length > 0 || status === 409 || status === 422
      takes += Number(status < 300)
      // Some of them show what a service does to a value: more of a list, whose last item may be an empty text.
      const isEnough = form.place[0] !== 'body' || takes > (/items$/.test(form.name) ? 2 : 1)
      if (form.valid && form.override && ((status < 300 && isEnough) || (status >= 300 && !isDeclined))) break
    }
    const [first] = form.override && isTaken && refused.length === retries ? refused : []
    if (first) suspect.push({ form, exchange: first })
  }
  for (const { form, exchange } of suspect) {
    const { status } = exchange.reply
    // The service may have a language of its own for a text that it never takes, if it declares the refusal.
    const isLanguage = endpoint.statuses.includes(status) && isFreeText(session, endpoint, form)
    if (isRuled(endpoint, status, form) || namesAnother(exchange, form)) continue
    if (await isTakenWith(session, form, exchange, accepted)) continue
    if (!isLanguage || taken.has(subjectOf(form)))
      session.hold(exchange, `${form.name}: a valid request was answered ${status}`, false)
  }
}

/** The parameter or property that a form is about. */
const subjectOf = ({ place }: Form) => place.slice(0, 2).join('/')

/** Whether a value is taken in place of another one in a request that was taken: a rule between values may refuse the rest. */
async function isTakenWith(
  session: Session,
  { place: [part, name = ''], override }: Form,
  refused: Exchange,
  accepted: Exchange | undefined,
): Promise<boolean> {
  if (!accepted || (part !== 'body' && part !== 'query') || override?.value === 'absent') return false
  const [sent, value] = [accepted, refused].map(({ drawn }) => recordIn(drawn[part]))
  if (!(name in (value ?? {}))) return false
  const draft = { ...accepted.drawn, [part]: { ...sent, [name]: value?.[name] } }
  const { status } = (await session.quietly(() => session.exchange(accepted.endpoint, draft))).reply
  return status < 300
}

/** Whether a description says that some values of what a form is about are refused: that of the value, or of the refusal. */
function isRuled(endpoint: Endpoint, status: number, { place, schema }: Form): boolean {
  const { responses, parameters } = endpoint
  const name = place[1] ?? ''
  const described = parameters.find(parameter => parameter.name === name && parameter.in === place[0])
  const own = `${Reflect.get(schema, 'description') ?? ''} ${described?.description ?? ''}`
  const response = responses.get(String(status))
  if (isLearntWithin(endpoint, place)) return true
  if (!response) return false
  const isNamed = /^\w+$/.test(name) && new RegExp(`\\b${name}\\b`).test(response.description)
  return isNamed || limitWords.test(own)
}

/** Whether a refusal names another parameter: some are allowed together alone, or in an order. */
function namesAnother({ endpoint, reply }: Exchange, { place: [part, name] }: Form): boolean {
  const said = ` ${wordsIn(reply.text).join(' ')} `
  return (
    part === 'query' &&
    endpoint.parameters.some(
      parameter =>
        parameter.in === part &&
        parameter.name !== name &&
        said.includes(` ${wordsIn(parameter.name).join(' ')} `),
    )
  )
}

/** Words by which a text limits values further than its schema does: by the day, or by what there is. */
const limitWords =
  /\b(future|past|today|behind|beyond|existing|known|name of an?|(before|after|than) (the|its|those)|number of (entries|items|records))\b/i

/** Whether a form is about a text, or a list of texts, of which the schema gives no more than a length. */
function isFreeText(
  { contract }: Session,
  endpoint: Endpoint,
  { place: [place = '', name = ''] }: Form,
): boolean {
  const { properties = {} } = contract.shape(endpoint.request.properties[place as Place])
  const shape = contract.shape(properties[name])
  const { type, pattern, format, enum: values } = shape.type === 'array' ? contract.shape(shape.items) : shape
  return type === 'string' && pattern === undefined && format === undefined && values === undefined
}

/** Whether a status refuses the form of a request, and neither its caller nor what it is about, nor that it is too large. */
const isRefusal = (status: number, { method, statuses }: Endpoint, { place }: Form) =>
  status >= 400 &&
  status < 500 &&
  // A read has no business beside what it asks for. Many programs refuse what breaks a schema with 422, and nothing with 400.
  (!businessRefusals.has(status) ||
    (status === 422 &&
      (isSafe(method) ? place[0] === 'query' : statuses.includes(422) && !statuses.includes(400)))) &&
  ![401, 403, 405, 413, 414, 423, 428, 429, 431].includes(status)

/** The texts in a query of which only the service makes the values. */
const madeIn = ({ parameters }: Endpoint) =>
  parameters.filter(
    parameter => parameter.in === 'query' && !parameter.required && madeByService.test(parameter.name),
  )

/** A query without them: a drawn value would be refused, and the rest of the request with it. @param but the form’s own */
function withoutMade(endpoint: Endpoint, query: Draft['query'], but: string | undefined): Draft['query'] {
  const made = madeIn(endpoint).flatMap(({ name }) => (name === but ? [] : name))
  return Object.fromEntries(Object.entries(query).filter(([name]) => !made.includes(name)))
}

/** Whether a part of a request carries a credential, which is sent in any case. */
const isCredential = (model: Model, [place, name = '']: readonly string[]) =>
  schemesOf(model).some(({ scheme }) => {
    if (scheme.in !== place) return false
    return place === 'header' ? scheme.name?.toLowerCase() === name.toLowerCase() : scheme.name === name
  })

/** A form as far as OpenAPI itself says whether it is valid; nothing where it leaves that to the service. */
function undoubted({ contract }: Session, endpoint: Endpoint, form: Form): Form[] {
  const [type = ''] = endpoint.mediaTypes
  // A form's values are texts, as those of parameters. It has no way to write null, an empty list or an empty object.
  const isForm = form.place[0] === 'body' && !isJson(parseMediaType(type))
  if (isForm && / (null|no (string|array|object)|with its fewest items)$/.test(form.name)) return []
  const isText = form.place[0] !== 'body' || isForm
  if (isCredential(contract.model, form.place)) return []
  // Nor does it say how a value is written that a parameter's value holds within another.
  if (form.place[0] !== 'body' && form.place.length > 3) return []
  const as = (value: string): Form[] => [
    { ...form, override: { place: form.place, value: fc.constant(value) } },
  ]
  if (/ (NUL character|byte order mark|of blanks|of no day)$/.test(form.name)) return []
  // OpenAPI has no rule for parameters that are not declared.
  if (isText && form.name.endsWith(' not declared')) return []
  if (form.valid && form.place[0] === 'query' && madeByService.test(form.place[1] ?? '')) return []
  // There are many ways of writing a number or a boolean as text, of which OpenAPI excludes none, and many programs read them
  // in a body too.
  if (/ no (integer|number|boolean)$/.test(form.name)) return as('text')
  // Programs that have no word for absence read null as that.
  if (!form.valid && form.name.endsWith(' null') && mayBeAbsent(contract, endpoint, form.place)) return []
  // From 3.1 on, a format is a note.
  if (/ no (date|date-time|uuid)$/.test(form.name))
    return contract.model.document.openapi.startsWith('3.0.') ? as('text') : []
  return / no (email|uri|uri-reference)$/.test(form.name) ? [] : [form]
}

/** Whether a property of a request's body may be left out. @param place where it is in the request */
function mayBeAbsent({ shape }: Interface, { request }: Endpoint, place: readonly string[]): boolean {
  const holder = place
    .slice(0, -1)
    .reduce((outer, step) => shape(outer.properties?.[step] ?? outer.items), shape(request))
  const name = place.at(-1) ?? ''
  return place.length > 1 && name in (holder.properties ?? {}) && !holder.required?.includes(name)
}

/** Sends items that refer to several records, those made last first. The session's invariants hold their order. */
async function probeItems(session: Session, endpoint: Endpoint) {
  const draft = session.least(endpoint)
  const parameters = referencesIn(draft)
  if (!Array.isArray(draft.body) || parameters.size === 0 || !session.world.hands.writes) return
  const made: unknown[][] = []
  for (let record = 0; record < 2; record++) {
    const identifiers = new Map<string, unknown>()
    for (const parameter of parameters) identifiers.set(parameter, (await session.make(parameter)).id)
    made.unshift([withIdentifiers(draft, identifiers).body].flat())
  }
  await session.exchange(endpoint, { ...draft, body: [...made, ...made].flat() })
}

/** The header of a request without versions: one that is drawn is no record's, and the rest would not be looked at. */
const unconditional = ({ header }: Draft) =>
  Object.fromEntries(Object.entries(header).filter(([name]) => !/^if-(none-)?match$/i.test(name)))

/** The findings of all forms of an operation. */
interface Findings {
  /** takes up the further rules for which requests were refused */
  broken: Set<string>
  /** takes up the kinds of faults of a reply that a form has shown: another form that shows the same is no news */
  known: Set<string>
  /** how many requests are left for smaller ones that fail */
  smaller: number
}

/** @param seed another for each form, as the same values again may be taken */
async function probeForm(session: Session, endpoint: Endpoint, form: Form, seed: number, findings: Findings) {
  const { broken, known } = findings
  const kindOf = (message: string) => faultKind({ operation: endpoint.id, message })
  const isNews = (message: string) => !known.has(kindOf(message)) && !session.isReported(endpoint, message)
  let failure: { faults: string[]; exchange: Exchange } | undefined
  let isOver = false
  let left = session.either({ own: smaller, running: findings.smaller })
  const holds = fc.asyncProperty(session.drafts(endpoint, form.override), async draft => {
    if (isOver || (failure && left-- <= 0)) return true
    if (failure) findings.smaller--
    const sentDraft =
      form.override && form.place[0] !== 'header' ? { ...draft, header: unconditional(draft) } : draft
    const sending = { isToBeRefused: !form.valid }
    // A request that can't be sent can't be sent with less in it.
    isOver = true
    const exchange = await session.quietly(() => session.exchange(endpoint, sentDraft, sending))
    isOver = false
    const wrong = judge(session, form, exchange, broken)
    const all = [...exchange.faults, ...wrong]
    const isFailure = form.valid && exchange.reply.status >= 500
    // A failure that is known hides what becomes of the form, for which another request is drawn.
    fc.pre(!isFailure || failure !== undefined || all.some(isNews))
    // A fault that replies show in any form is reported once. Each form that is wrongly taken or refused is one of its own.
    const faults = wrong.length > 0 || all.some(isNews) ? all : []
    if (!failure && session.isReported(endpoint, `${form.name}: ${faults.join('; ')}`)) left = 0
    if (faults.length > 0) failure = { faults, exchange }
    return faults.length === 0
  })
  const numRuns = !form.override
    ? session.either(runs.any)
    : isNew(session, form)
      ? session.either(runs.form)
      : runs.again
  const { errorInstance } = await fc.check(holds, { seed, numRuns, maxSkipsPerRun })
  if (errorInstance && !failure) throw errorInstance
  for (const message of failure?.faults ?? []) known.add(kindOf(message))
  return failure
}

/** The forms that were sent in a session, by the node of the document that has their constraint. */
const sentForms = new WeakMap<Session, Map<object, Set<string>>>()

/** Whether no operation was sent this form of a node yet. Notes that one is. */
function isNew(session: Session, { schema, place, name }: Form): boolean {
  const bySchema = sentForms.get(session) ?? new Map<object, Set<string>>()
  sentForms.set(session, bySchema)
  const sent = bySchema.get(schema) ?? new Set()
  bySchema.set(schema, sent)
  const kind = `${place[0]} ${name.replace(/^\S+/, '')}`
  const isFirst = !sent.has(kind)
  sent.add(kind)
  return isFirst
}

function judge(session: Session, form: Form, exchange: Exchange, broken: Set<string>): string[] {
  const { endpoint, reply } = exchange
  const named = pointersIn(reply.body).map(inRequest)
  const answered = `${reply.status} ${codeIn(reply.body) ?? ''}`.trim()
  if (form.valid) {
    if (reply.status < 400 || businessRefusals.has(reply.status)) return []
    // A document that does not declare 400 does not tell which refusals are rules of the business.
    if (reply.status < 500 && !endpoint.statuses.includes(400)) return []
    const rules = rulesOf(session, endpoint)
    const isRule = named.length > 0 && named.every(pointer => rules.has(pointer))
    if (reply.status !== 400 || !isRule) return [`a valid request was answered ${answered}`]
    for (const pointer of named) broken.add(pointer)
    return []
  }
  if (!session.isRefused(exchange, codes.invalid)) return [`an invalid request was answered ${answered}`]
  if (!endpoint.statuses.includes(400)) return []
  const due = inRequest(`/${form.place.join('/')}`)
  const isNamed = due === '/body' || named.some(pointer => `${pointer}/`.startsWith(`${due}/`))
  return isNamed ? [] : [`the refusal does not name ${due}`]
}

/** Details point into the body, or to a parameter by its place. */
function inRequest(path: string): string {
  if (/^\/header\//i.test(path)) return path.toLowerCase()
  return /^\/(path|query|body)(\/|$)/.test(path) ? path : `/body${path}`
}

/** JSON Pointers to the parts with rules that no schema can say. */
function rulesOf(session: Session, endpoint: Endpoint): Set<string> {
  const drawing = session.drawing(endpoint)
  const pointers = new Set<string>()
  const walk = (schema: Schema | Reference, pointer: string, outer: Surroundings) => {
    const around = inside(drawing, schema, outer)
    if (isDeep(around)) return
    const shape = shapeOf(drawing.model, schema)
    if (shape['x-further-rule']) pointers.add(pointer)
    for (const [name, child] of Object.entries(shape.properties ?? {}))
      walk(child, `${pointer}/${name}`, around)
  }
  walk(endpoint.request, '', nothing)
  return pointers
}
