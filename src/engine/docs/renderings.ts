import type { OpenApi } from '../../document/types.ts'
import type { Contract } from '../contract.ts'
import { keepCodings } from '../replies/coding.ts'
import { digest } from '../replies/conditional.ts'
import type { DocsAddresses } from './addresses.ts'
import type { Text } from './content.ts'
import { interfaceInMarkdown } from './markdown/interface.ts'

export type Format = 'json' | 'yaml' | 'llms'

/** Makes the document as text for an origin, null for its own. */
export type Render = (origin: string | null, format: Format) => Text

/** Where the document names the origin it is served from. */
interface Servers {
  servers?: { variables?: { base_url?: { default: string } } }[]
}

/** Stands for the origin in texts made beforehand: callers choose their Host, so each new one must cost little. */
const someOrigin = 'http://origin.invalid'

/**
 * The document as text for an origin. The latest few are remembered, with their codings;
 * callers choose their Host, so no more than that is held.
 */
export function createRenderer(contract: Contract, addresses: DocsAddresses, capacity = 32): Render {
  const { text } = contract
  const { document } = contract.model
  const llms = (written: OpenApi) => interfaceInMarkdown(written, contract, addresses)
  const own = { json: JSON.stringify(document), yaml: text, llms: llms(document) }
  const template = {
    json: JSON.stringify(withOrigin(document, someOrigin)),
    yaml: textWithOrigin(text, document),
    llms: llms(withOrigin(document, someOrigin)),
  }
  const renderings = new Map<string, Text>()
  return (origin, format) => {
    const key = `${format} ${origin}`
    const known = renderings.get(key)
    if (known) {
      // What is asked for again stays, whatever other names somebody tries.
      renderings.delete(key)
      renderings.set(key, known)
      return known
    }
    const text = origin === null ? own[format] : template[format].replaceAll(someOrigin, origin)
    const rendering = { bytes: keepCodings(Buffer.from(text), 'quick'), etag: `"${digest(text)}"` }
    const [oldest] = renderings.keys()
    if (renderings.size >= capacity && oldest !== undefined) renderings.delete(oldest)
    renderings.set(key, rendering)
    return rendering
  }
}

/** The text as it was written by hand, comments and all, but for the origin: where that is not found it stays. */
function textWithOrigin(text: string, { servers = [] }: Servers): string {
  const own = servers.map(({ variables }) => variables?.base_url?.default).find(Boolean)
  return own === undefined ? text : text.replace(`default: ${own}`, `default: ${someOrigin}`)
}

function withOrigin(document: OpenApi, origin: string): OpenApi {
  const { servers = [] } = document
  return {
    ...document,
    servers: servers.map(server =>
      server.variables?.base_url
        ? {
            ...server,
            variables: { ...server.variables, base_url: { ...server.variables.base_url, default: origin } },
          }
        : server,
    ),
  }
}
