import { type Endpoint, isRecordOf, type Kind } from '../../records/interface.ts'
import type { Draft } from '../../records/messages.ts'
import { credentialFor, type Secret, withCredential } from '../keys.ts'
import { preparationFor } from '../preparing.ts'
import { toWire } from '../requests.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How many requests are tried on records of one caller. */
const tries = 3

/**
 * An operation of which the text says that only one of two callers may do it refuses the other one: whoever has made the
 * record, or the one that it names.
 */
export async function holdRoles(session: Session, kind: Kind): Promise<void> {
  const [first, second] = session.world.credentials
  if (first === undefined || second === undefined || !kind.maker.secured) return
  for (const action of session.contract.endpoints) {
    const isAction =
      action.method === 'POST' && action.makes === undefined && isRecordOf(action, kind.parameter)
    if (!isAction || !action.statuses.includes(403) || !isForOne(action)) continue
    for (const owner of [first, second])
      await session.attempt(async () => {
        const own = await doneBy(session, kind, action, owner, owner)
        const other = own && (await doneBy(session, kind, action, owner, owner === first ? second : first))
        if (!other) return
        const isRefused = own.reply.status >= 300 || other.reply.status >= 300
        session.hold(other, 'two callers may do it, and its text says that only one may', isRefused)
      })
  }
}

/** The reply to an operation on a new record of one caller. @param key of the caller that does it */
async function doneBy(
  session: Session,
  { maker, parameter }: Kind,
  action: Endpoint,
  owner: Secret,
  key: Secret,
): Promise<Exchange | undefined> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const draft = await session.placed(session.inTurns(maker, attempt + 2), maker)
    const made = await sendAs(session, owner, maker, draft)
    const id = identifierIn(made)
    if (made.reply.status >= 300 || id === undefined) continue
    for (const { endpoint } of preparationFor(action)?.steps ?? [])
      await session.on(endpoint, id, session.simple(endpoint))
    const path = { ...made.draft.path, [parameter]: id }
    return sendAs(session, key, action, { ...(await session.placed(session.simple(action))), path })
  }
  return undefined
}

/** Sends a request of a caller whose records the others, by whose replies the session's invariants go, may not see. */
async function sendAs(session: Session, key: Secret, endpoint: Endpoint, drawn: Draft): Promise<Exchange> {
  const draft = { ...drawn, header: {} }
  const request = withCredential(toWire(endpoint, draft), credentialFor(session.contract, key, endpoint))
  const reply = { status: 0, headers: {}, text: '', length: 0, body: undefined }
  return session.glance({ endpoint, drawn: draft, draft, request, reply, faults: [] }, {})
}

/** Whether the text of an operation lets one caller alone do it. */
function isForOne({ operation: { summary = '', description = '' }, responses }: Endpoint): boolean {
  const texts = `${summary}. ${description}. ${responses.get('403')?.description ?? ''}`.split(/(?<=[.;])\s+/)
  return texts.some(text => onlyOne.test(text) && !orAnother.test(text))
}

const orAnother =
  /\b(its|the|their) \w+( of \w+ \w+)?,? (or|and) (by |for )?(its|the|their|an?|admin\w*|staff)\b/i
const onlyOne =
  /\b(only|nobody but|no one but|not) (by |for )?(its|the|their) \w+|\b(belongs? to|(is|are) of) (another|others?|someone)\b/i
