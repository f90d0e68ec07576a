/** @import { Contents, Response } from './types.js' */
import { onceFor } from './contents.js'

/** The header fields that more than half of all replies have, in their most frequent form. */
export const commonHeadersOf = onceFor(({ operations, resolve }) => {
  const replies = operations.flatMap(({ responses }) => responses)
  const uses = replies.flatMap(({ response }) =>
    Object.entries(response.headers ?? {}).map(([name, written]) => ({ name, header: resolve(written) })),
  )
  return [...Map.groupBy(uses, ({ name }) => name.toLowerCase())]
    .filter(([, same]) => replies.length > 3 && same.length > replies.length / 2)
    .flatMap(([, same]) => {
      const kinds = Map.groupBy(same, ({ header }) => header.description)
      const [most = []] = [...kinds.values()].sort((a, b) => b.length - a.length)
      return most.slice(0, 1)
    })
})

/**
 * The header fields of a reply, except those that most replies have.
 * @param {Response} response
 * @param {Contents} found
 */
export function ownHeadersOf(response, found) {
  const common = new Set(commonHeadersOf(found).map(({ name }) => name.toLowerCase()))
  return Object.entries(response.headers ?? {})
    .filter(([name]) => !common.has(name.toLowerCase()))
    .map(([name, written]) => ({ name, header: found.resolve(written) }))
}
