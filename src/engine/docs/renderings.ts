import type { OpenApi } from '../../document/types.ts'
import type { Contract } from '../contract.ts'
import { digest, keepCodings } from '../replies/conditional.ts'
import type { DocsAddresses } from './addresses.ts'
import { interfaceInMarkdown } from './markdown/interface.ts'

/** A text that is ready to send. */
export interface Text {
  bytes: Buffer
  etag: string
}

export function textOf(text: string): Text {
  return { bytes: keepCodings(Buffer.from(text)), etag: `"${digest(text)}"` }
}

/** Makes the document as text for an origin, null for its own. */
export type Render = (origin: string | null, format: 'json' | 'yaml' | 'llms') => Text

/** Stands for the origin in texts made beforehand: callers choose their Host, so each new one must cost little. */
const someOrigin = 'http://origin.invalid'

/** The latest few texts are remembered, with their codings; callers choose their Host, so no more than that is held. */
export function createRenderer(contract: Contract, addresses: DocsAddresses, capacity = 32): Render {
  const { text, model } = contract
  const own = ownOrigin(model.document)
  const document = withOrigin(model.document)
  const templates = {
    json: JSON.stringify(document),
    // As it was written by hand, comments and all.
    yaml: text.replace(`default: ${own}`, `default: ${someOrigin}`),
    llms: interfaceInMarkdown(document, contract, addresses),
  }
  const renderings = new Map<string, Text>()
  return (origin, format) => {
    const key = `${format} ${origin}`
    const rendering =
      renderings.get(key) ?? textOf(templates[format].replaceAll(someOrigin, () => origin ?? own))
    // A text that is asked for again stays, whatever other names somebody tries.
    renderings.delete(key)
    renderings.set(key, rendering)
    const [oldest] = renderings.keys()
    if (renderings.size > capacity && oldest !== undefined) renderings.delete(oldest)
    return rendering
  }
}

/** The origin that the document names; where it names none, none is replaced. */
function ownOrigin({ servers = [] }: OpenApi): string {
  const [own] = servers.flatMap(({ variables }) => variables?.base_url?.default ?? [])
  return own ?? someOrigin
}

function withOrigin(document: OpenApi): OpenApi {
  const servers = document.servers?.map(server => {
    const { base_url: origin } = server.variables ?? {}
    return origin
      ? { ...server, variables: { ...server.variables, base_url: { ...origin, default: someOrigin } } }
      : server
  })
  return servers ? { ...document, servers } : document
}
