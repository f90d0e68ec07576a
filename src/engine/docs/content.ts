import type { Contract } from '../contract.ts'
import { keepCodings } from '../replies/coding.ts'
import { digest } from '../replies/conditional.ts'
import type { DocsAddresses } from './addresses.ts'
import { sunsetCalendar } from './calendar.ts'
import { operationInMarkdown } from './markdown/operation.ts'
import { makePage, type Page } from './page.ts'
import { createRenderer, type Render } from './renderings.ts'

/** A text that is ready to send. */
export interface Text {
  bytes: Buffer
  etag: string
}

/** All that the docs consist of. */
export interface Content extends Page {
  /** The document for an origin. */
  render: Render
  /** names the document, wherever it is asked for */
  fingerprint: string
  changes: Text
  sunsets: Text
  /** An operation in Markdown by the name of its file; undefined where there is none. */
  operationNamed(name: string): Text | undefined
}

/**
 * @param publicUrl the origin that the document names; undefined: the one that each request names
 * @param script what the page is to run, too
 */
export async function createContent(
  contract: Contract,
  addresses: DocsAddresses,
  publicUrl: string | undefined,
  script?: string,
): Promise<Content> {
  const render = createRenderer(contract, addresses)
  const fingerprint = digest(render(publicUrl ?? 'http://localhost', 'json').bytes).slice(0, 16)
  return {
    ...(await makePage(contract, addresses, `${addresses.json}?v=${fingerprint}`, script)),
    render,
    fingerprint,
    changes: textOf(contract.changelog),
    sunsets: textOf(sunsetCalendar(contract)),
    operationNamed: operationPages(contract, addresses),
  }
}

const textOf = (text: string): Text => ({
  bytes: keepCodings(Buffer.from(text), 'quick'),
  etag: `"${digest(text)}"`,
})

/** The operations in Markdown by the names of their files, each made when it is first asked for. */
function operationPages(contract: Contract, addresses: DocsAddresses): Content['operationNamed'] {
  const made = new Map<string, Text>()
  return name => {
    const known = made.get(name)
    const operation = name.endsWith('.md') ? contract.model.operation(name.slice(0, -3)) : undefined
    if (known || !operation) return known
    const page = textOf(operationInMarkdown(contract, operation, addresses))
    made.set(name, page)
    return page
  }
}
