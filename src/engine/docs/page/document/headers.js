/** @import { Contents, Response } from './types.js' */
import { onceFor } from './contents.js'

/** The header fields that more than half of all replies have with the same description. */
export const commonHeadersOf = onceFor(({ operations, resolve }) => {
  const replies = operations.flatMap(({ responses }) => responses)
  const uses = replies.flatMap(({ response }) =>
    Object.entries(response.headers ?? {}).map(([name, written]) => ({ name, header: resolve(written) })),
  )
  return [...Map.groupBy(uses, ({ name }) => name.toLowerCase())]
    .flatMap(([, same]) => [...Map.groupBy(same, ({ header }) => header.description).values()])
    .filter(alike => replies.length > 3 && alike.length > replies.length / 2)
    .flatMap(alike => alike.slice(0, 1))
})

/**
 * The header fields of a reply, except those that most replies have with the same description.
 * @param {Response} response
 * @param {Contents} found
 */
export function ownHeadersOf(response, found) {
  const common = new Map(
    commonHeadersOf(found).map(({ name, header }) => [name.toLowerCase(), header.description]),
  )
  return Object.entries(response.headers ?? {})
    .map(([name, written]) => ({ name, header: found.resolve(written) }))
    .filter(({ name, header }) => {
      const key = name.toLowerCase()
      return !common.has(key) || common.get(key) !== header.description
    })
}
