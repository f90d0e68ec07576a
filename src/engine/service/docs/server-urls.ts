import type { Model } from 'spec-served-document/model'
import { lookUp } from 'spec-served-document/pointer'
import type { Operation } from 'spec-served-document/types'

/** The most addresses of a server that are written out. */
const mostOfServer = 100

/**
 * Returns the URLs of all servers of a document: its own, and those of paths and operations. Variables with a list of values are
 * written out. Others stay as `{name}`, as a reader may give them any value.
 */
export function serverUrlsIn({ document, operations }: Model): string[] {
  const servers = [
    ...(document.servers ?? []),
    ...Object.values(document.paths).flatMap(item => item.servers ?? []),
    ...operations.flatMap(({ place }) => (lookUp(document, place) as Operation).servers ?? []), // it leads to an operation
  ]
  return servers.flatMap(({ url, variables = {} }) => {
    let urls = [url]
    for (const [name, { enum: values }] of Object.entries(variables)) {
      if (!values) continue
      urls = urls.flatMap(item =>
        item.includes(`{${name}}`) ? values.map(value => item.replaceAll(`{${name}}`, () => value)) : item,
      )
      if (urls.length > mostOfServer) return [url]
    }
    return urls
  })
}
