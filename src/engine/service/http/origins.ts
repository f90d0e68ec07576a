import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { originOf } from './place.ts'

/**
 * Refuses a request of a page, unless it is one that may send it. A page with the service's own host may not, unless the
 * host is an address or localhost: an attacker may have bound a name to this address (DNS rebinding).
 * @param isForAll whether pages of all origins may send it where all may read replies (`*`)
 * @throws ApiError
 */
export function refuseOtherOrigins(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string | undefined,
  isForAll = true,
): void {
  const { origin } = request.headers
  const isPublic = publicUrl !== undefined && origin === new URL(publicUrl).origin
  const allowed = reply.getHeader('access-control-allow-origin')
  if (origin === undefined || isPublic || allowed === origin || (isForAll && allowed === '*')) return
  const isUnnamed = /^https?:\/\/(localhost|[\d.]+|\[[\da-f:.]+\])(:\d+)?$/i.test(origin)
  if (!isUnnamed || origin !== originOf(request))
    throw new ApiError('origin_refused', 'Pages of this origin may not use the service.')
}
