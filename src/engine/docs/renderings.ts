import { LRUCache } from 'lru-cache'
import type { Contract } from '../contract.ts'
import { type Text, textOf } from '../replies/etag.ts'
import type { DocsAddresses } from './addresses.ts'
import { interfaceInMarkdown } from './markdown.ts'

/** Makes the document as text for an origin, null for its own. */
export type Render = (origin: string | null, format: 'json' | 'yaml' | 'llms') => Text

/** Stands for the origin in texts made beforehand: callers choose their Host, so each new one must cost little. */
const someOrigin = 'http://origin.invalid'

/** The latest few texts are remembered, with their codings; callers choose their Host, so no more than that is held. */
export function createRenderer(contract: Contract, addresses: DocsAddresses): Render {
  const document = structuredClone(contract.model.document)
  const origins = (document.servers ?? []).flatMap(({ variables }) => variables?.base_url ?? [])
  const own = origins[0]?.default ?? someOrigin
  for (const origin of origins) origin.default = someOrigin
  const templates = {
    json: JSON.stringify(document),
    // As it was written by hand, comments and all.
    yaml: contract.text.replace(`default: ${own}`, `default: ${someOrigin}`),
    llms: interfaceInMarkdown(document, contract, addresses),
  }
  const renderings = new LRUCache<string, Text>({ max: 32 })
  return (origin, format) => {
    const key = `${format} ${origin}`
    const known = renderings.get(key)
    if (known) return known
    const rendering = textOf(templates[format].replaceAll(someOrigin, () => origin ?? own))
    renderings.set(key, rendering)
    return rendering
  }
}
