import { isDeepStrictEqual } from 'node:util'
import { codeIn, codes } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Report } from '../report.ts'
import { keyHeader, type Session } from '../session.ts'
import type { WireReply } from '../world.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'] as const

/** The methods that a reply's Allow names (RFC 9110, section 10.2.1). */
export const allowedBy = ({ headers }: WireReply) => new Set((headers.allow ?? '').split(/,\s*/))

/** The methods that work where these operations are: HEAD beside GET, and OPTIONS everywhere. */
export function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const own = new Set(endpoints.map(({ method }) => method))
  return [...own, ...(own.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Asks each path for the methods that it lacks, and for all that it has: Allow names exactly what works. */
export async function probeMethods(session: Session, report: Report): Promise<void> {
  const { contract, world, key } = session
  // A concrete path is its own, whatever templates take it too (OpenAPI 3.0.3, Paths Object).
  for (const [path, endpoints] of Map.groupBy(contract.endpoints, ({ path }) => path)) {
    const url = path.replace(/\{\w+\}/g, '1')
    const due = methodsOf(endpoints)
    const ask = (method: string, headers = keyHeader(contract, key)) => world.send({ method, url, headers })
    const hold = (what: string, reply: WireReply, isRight: boolean) => {
      const { status, headers, body } = reply
      if (!isRight) report.add(undefined, `${what} is answered ${status} ${codeIn(body) ?? ''}`)
      if (!isDeepStrictEqual(allowedBy(reply), new Set(due)))
        report.add(undefined, `${what}: Allow is ${headers.allow}, and not ${due.join(', ')}`)
    }
    for (const method of methods) {
      if (due.includes(method)) continue
      const reply = await ask(method)
      const isRight = reply.status === 405 && codeIn(reply.body) === codes.method
      const faults = [...(isRight ? session.examineError(reply) : []), ...world.takeLog()]
      for (const fault of faults) report.add(undefined, `${method} ${path}: ${fault}`)
      hold(`${method} ${path}`, reply, isRight)
    }
    for (const headers of [keyHeader(contract, key), {}]) {
      const options = await ask('OPTIONS', headers)
      hold(`OPTIONS ${path}`, options, options.status === 204 && options.length === 0)
    }
  }
}
