import type { FastifyInstance } from 'fastify'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { bearerSchemes } from './scheme.ts'

/** The settings by which clients find out where to get tokens. */
export interface IssuerOptions {
  /** the URL at which callers reach the service; absent: the origin of each request */
  publicUrl?: string | undefined
  /** the issuer of tokens; with a `publicUrl`, agents learn of it; absent: none */
  tokenIssuer?: string | undefined
}

/**
 * Serves the metadata of the resource where agents call operations (RFC 9728).
 * With a path in the public URL they are at the address behind it, too, where a proxy takes that path away.
 * @returns their URL; undefined where no issuer or no URL is set, or where the document takes no tokens
 */
export function resourceMetadata(
  app: FastifyInstance,
  contract: Contract,
  { publicUrl, tokenIssuer }: IssuerOptions,
): string | undefined {
  const { model, facts } = contract
  const bearers = bearerSchemes(model)
  if (!tokenIssuer || !publicUrl || bearers.length === 0) return undefined
  const { mcp, resource, page } = docsAddresses(model)
  const listed = model.operations.flatMap(({ security }) =>
    security.flatMap(requirement => bearers.flatMap(name => requirement[name] ?? [])),
  )
  const scopes = [...facts.values()].flatMap(({ scope }) => scope ?? [])
  // The well-known part stands before the whole path, also before the one that a proxy takes away (RFC 9728, section 3.1).
  const { origin, pathname } = new URL(publicUrl)
  const places = new Set([resource(''), resource(pathname.replace(/\/$/, ''))])
  const metadata = JSON.stringify({
    resource: publicUrl + mcp,
    authorization_servers: [tokenIssuer],
    bearer_methods_supported: ['header'],
    scopes_supported: [...new Set([...scopes, ...listed])],
    resource_name: model.document.info.title,
    resource_documentation: publicUrl + page,
  })
  for (const place of places)
    app.get(place, { schema: { hide: true } }, async (_, reply) => {
      reply.header('access-control-allow-origin', '*').type('application/json')
      return metadata
    })
  return `${origin}${[...places].at(-1)}`
}
