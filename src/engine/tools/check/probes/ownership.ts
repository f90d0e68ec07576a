import { type Endpoint, type Interface, isRecordOf, type Kind } from '../../records/interface.ts'
import type { Secret } from '../keys.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { listedBy, pagesAfter } from './listed.ts'

/**
 * Has a second caller read, change and remove a record of the first one (OWASP API1:2023). Whether callers share records
 * is not in a document. So it is a fault only where the service itself keeps the record from the second caller: by
 * its list, or by a refusal to read it. Else people are to judge.
 */
export async function probeOwnership(session: Session): Promise<void> {
  const { contract, world } = session
  const [first, ...others] = world.credentials
  if (first === undefined || others.length === 0)
    throw new LeftOut('needs a second caller: give --auth once more for each scheme')
  for (const kind of contract.kinds)
    if (kind.maker.secured && operationsOn(contract, kind).length > 0)
      for (const other of others) await session.attempt(() => holdApart(session, kind, first, other))
}

/** The operations on a record, and the lists below it, that may be refused to some callers. */
const operationsOn = ({ endpoints }: Interface, { parameter, reader, changers, remover }: Kind): Endpoint[] =>
  [
    reader,
    ...endpoints.filter(endpoint => endpoint.method === 'GET' && isRecordOf(endpoint, parameter)),
    ...changers,
    ...endpoints.filter(
      endpoint =>
        endpoint.method === 'POST' && endpoint.makes === undefined && isRecordOf(endpoint, parameter),
    ),
    remover,
  ].filter(
    (candidate): candidate is Endpoint => candidate?.secured === true && candidate.statuses.some(isRefusal),
  )

const isRefusal = (status: number) => status === 403 || status === 404

async function holdApart(session: Session, kind: Kind, first: Secret, other: Secret): Promise<void> {
  const { parameter, maker, list, reader } = kind
  const draw = (attempt: number) => session.inTurns(maker, attempt)
  const made = await session.taken(maker, draw, () => ({ key: first }))
  const id = identifierIn(made)
  if (made.reply.status >= 300 || id === undefined)
    throw new LeftOut(`${maker.id} makes no record for the first caller`)
  const showsTo = async (key: Secret) => (list?.secured ? lists(session, kind, list, made, key) : undefined)
  const isShown = await showsTo(other)
  const isHidden = isShown === false && (await showsTo(first)) === true
  const isPrivate = [list, reader].some(endpoint => endpoint && saysPrivate(endpoint))
  const isHiddenAbove = await isRefusedAbove(session, kind, made, other)
  let isUnread = isHiddenAbove
  for (const endpoint of operationsOn(session.contract, kind)) {
    const path = { ...made.draft.path, [parameter]: id }
    const least = endpoint.mediaTypes.length > 0 ? session.simple(endpoint) : session.least(endpoint)
    const sent = await session.exchange(endpoint, { ...least, path, header: {} }, { key: other })
    const { status } = sent.reply
    if (endpoint === reader) isUnread ||= isRefusal(status)
    // A 403 may hide the details of what all may know of. A list that shows what is not there does not.
    if (list && endpoint === reader && status === 404)
      session.holdOf(list, 'it shows one caller what only another one can read (OWASP API1)', !isShown, sent)
    const what = `one caller ${verbs[endpoint.method] ?? 'uses'} what another has made`
    // A service may keep from lists on purpose what those can read who know its name.
    const isMeant = endpoint === reader && !endpoint.statuses.includes(403) && !isPrivate && !isHiddenAbove
    const why = isUnread ? 'which it may not read' : 'which its list does not show'
    const isKept = (isHidden || isUnread) && !isMeant
    if (status >= 300 || isKept) session.hold(sent, `${what}, ${why} (OWASP API1)`, status >= 300)
    else if ((endpoint !== reader || isShown !== true) && !saysShared(endpoint))
      session.mention(endpoint, `${what}, which is a fault if callers do not share records (OWASP API1)`)
  }
}

/** Whether a caller may not read the record below which another one has made one. */
async function isRefusedAbove(
  session: Session,
  { maker }: Kind,
  made: Exchange,
  key: Secret,
): Promise<boolean> {
  const readers = session.contract.kinds.flatMap(({ parameter, reader }) =>
    reader && isRecordOf(maker, parameter) ? [{ parameter, reader }] : [],
  )
  for (const { parameter, reader } of readers) {
    const path = session.pathOf(parameter, made.draft.path[parameter])
    const { status } = (await session.exchange(reader, { path }, { key })).reply
    if (isRefusal(status)) return true
  }
  return false
}

/** Whether an operation is said to be about what its caller has. */
const saysPrivate = ({ operation, responses }: Endpoint) =>
  ownWords.test(
    JSON.stringify([
      operation.summary,
      operation.description,
      ...[...responses.values()].map(({ description }) => description),
    ]),
  )
const ownWords =
  /\b(own|owned by|private|my|yours?|(the )?caller['’]s|belong(s|ing)? to|no such \w+ for this)\b|the caller has /i

/** Whether an operation is said to be for all callers. */
const saysShared = ({ operation: { summary = '', description = '' } }: Endpoint) =>
  /\b(any|all|every|each) (callers?|users?|clients?)\b|\b(any|every)(one|body)\b/i.test(
    `${summary} ${description}`,
  )

const verbs: Readonly<Record<string, string>> = {
  GET: 'reads',
  PUT: 'changes',
  PATCH: 'changes',
  DELETE: 'removes',
}

/** Whether a caller's list shows a record; undefined where the caller gets no list. */
async function lists(
  session: Session,
  kind: Kind,
  list: Endpoint,
  made: Exchange,
  key: Secret,
): Promise<boolean | undefined> {
  const id = identifierIn(made)
  const listed = listedBy(session, list, kind, key, list.path.includes('{') ? made.draft.path : undefined)
  const ids: string[] = []
  let last: Exchange | undefined
  for await (const page of pagesAfter(listed, await listed.read())) {
    if (page.reply.status !== 200) return undefined
    ids.push(...listed.idsIn(page))
    last = page
  }
  return ids.includes(String(id)) ? true : last && listed.isLast(last) ? false : undefined
}
