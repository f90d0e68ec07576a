import { isDeepStrictEqual } from 'node:util'
import { codes } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import type { WireReply } from '../../records/messages.ts'
import type { Session } from '../session.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'] as const

/** The methods that a reply's Allow names (RFC 9110, section 10.2.1). */
export const allowedBy = ({ headers }: WireReply) => new Set((headers.allow ?? '').split(/,\s*/))

/** The methods that work where these operations are: HEAD beside GET, and OPTIONS everywhere. */
export function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const declared = new Set(endpoints.map(({ method }) => method))
  return [...declared, ...(declared.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Asks each path for the methods that it lacks, and for all that it has: Allow names exactly what works. */
export async function probeMethods(session: Session): Promise<void> {
  const credentials = session.keyHeader(session.key)
  // A concrete path is its own, whatever templates take it too (OpenAPI 3.0.3, Paths Object).
  for (const [path, endpoints] of Map.groupBy(
    session.contract.endpoints,
    ({ path: endpointPath }) => endpointPath,
  )) {
    const due = methodsOf(endpoints)
    const ask = async (method: string, headers = credentials) => {
      const sent = await session.send(method, path.replace(/\{[^{}]+\}/g, '1'), headers)
      const isRight = isDeepStrictEqual(allowedBy(sent.reply), new Set(due))
      const what = `${method} ${path}: Allow is ${sent.reply.headers.allow} instead of ${due.join(', ')}`
      session.holdOf(undefined, what, isRight, sent)
      return sent
    }
    for (const method of methods)
      if (!due.includes(method)) session.holdError(`${method} ${path}`, await ask(method), codes.method)
    for (const headers of [credentials, {}]) {
      const sent = await ask('OPTIONS', headers)
      const { status, length } = sent.reply
      session.holdOf(undefined, `OPTIONS ${path} is answered ${status}`, status === 204 && length === 0, sent)
    }
  }
}
