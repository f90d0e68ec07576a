import { fieldOf, schemesOf } from 'spec-served/internal/callers/security'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import { responseFor } from 'spec-served-document/model'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { methodsOf } from './methods.ts'

/** A page of another origin. */
const origin = 'https://page.example'

/** The names in a header field that lists some, in lower case. */
const namesIn = (field = '') => new Set(field.toLowerCase().split(/,\s*/))

/**
 * Asks as a page of another origin does, of a service that lets all in (Fetch standard, CORS protocol). A page may send each
 * header field that the document declares, with each method of a path, and read each one that comes.
 */
export async function probeOrigins(session: Session): Promise<void> {
  const { contract, key } = session
  const { model, endpoints } = contract
  const credentials = schemesOf(model).flatMap(({ scheme }) => fieldOf(scheme) ?? [])
  const hold = session.holdOf
  for (const [path, operations] of Map.groupBy(endpoints, endpoint => endpoint.path)) {
    const url = path.replace(/\{[^{}]+\}/g, '1')
    const asked = { origin, 'access-control-request-method': operations[0]?.method ?? '' }
    const preflight = await session.send('OPTIONS', url, asked)
    const { headers } = preflight.reply
    const isLetIn = headers['access-control-allow-origin'] === '*'
    hold(operations[0], `a page of another origin may not ask for ${path}`, isLetIn, preflight)
    const sent = operations.flatMap(({ parameters }) =>
      parameters.filter(parameter => parameter.in === 'header'),
    )
    const may = {
      'access-control-allow-methods': methodsOf(operations),
      'access-control-allow-headers': [...credentials, ...sent.map(({ name }) => name)],
    }
    for (const [field, names] of Object.entries(may)) {
      const lost = names.find(name => !namesIn(headers[field]).has(name.toLowerCase()))
      hold(operations[0], `${field} of ${path} lacks ${lost}`, lost === undefined, preflight)
    }
    const reader = operations.find(({ method }) => method === 'GET')
    if (!reader) continue
    const read = await session.send('GET', url, { ...session.keyHeader(key), origin })
    const shown = Object.keys(responseFor(reader, reader.success)?.headers ?? {})
    const exposed = namesIn(read.reply.headers['access-control-expose-headers'])
    const hidden = shown.find(name => !exposed.has(name.toLowerCase()))
    hold(reader, `a page of another origin can’t read ${hidden}`, hidden === undefined, read)
  }
}

/** Any page may read the document, in each of its forms, also of a service that lets no page use it. */
export async function probeOpenDocument(session: Session): Promise<void> {
  const { json, yaml, llms, changes, feed, sunsets } = docsAddresses(session.contract.model)
  for (const address of [json, yaml, llms, changes, feed, sunsets]) {
    const read = await session.send('GET', address, { origin })
    if (read.reply.status === 404) throw new LeftOut('needs docs')
    const isLetIn = read.reply.headers['access-control-allow-origin'] === '*'
    session.holdOf(undefined, `a page of another origin can’t read ${address}`, isLetIn, read)
  }
}
