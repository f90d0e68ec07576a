import type { Operation, SecurityRequirement, SecurityScheme } from 'spec-served-document/types'
import { type Change, found } from '../change.ts'
import { child, entries, keyIn, type Located, rootOf } from '../located.ts'
import { addressOf } from '../servers.ts'

type Secured = Pick<Partial<Operation>, 'security'>

/**
 * Judges what changes in what a caller must show: whoever was let in before must still be. Schemes count by what they
 * are, not by their names.
 */
export function* compareRequirements(base: Located<Secured>, next: Located<Secured>): Generator<Change> {
  const [before, after] = [requirementsOf(base), requirementsOf(next)]
  const where = next.node.security || !rootSecurity(next) ? keyIn(next, 'security') : { place: ['security'] }
  const shut = before.filter(old => !after.some(({ needs }) => isWithin(needs, old.needs)))
  const more = after.filter(({ needs }) => !before.some(old => isEqual(old.needs, needs)))
  for (const { needs, name } of shut)
    yield needs.size === 0
      ? found('security-added', where, 'a credential is needed now')
      : found('security-changed', where, `${name} is not enough any more`)
  const opened = more.find(({ needs }) => !before.some(old => isWithin(old.needs, needs))) ?? more[0]
  if (shut.length === 0 && opened)
    yield found('security-relaxed', where, `${opened.name || 'no credential'} is enough now`)
}

/**
 * Judges what changes in how the service shows clients, in a callback, who it is: what they check must still come. What
 * callers of the service have to show is nothing that it sends itself.
 */
export function* compareCredentials(base: Located<Secured>, next: Located<Secured>): Generator<Change> {
  const [before, after] = [requirementsOf(base, []), requirementsOf(next, [])]
  const where = keyIn(next, 'security')
  const less = after.find(({ needs }) => !before.some(old => isWithin(old.needs, needs)))
  const more = after.find(({ needs }) => !before.some(old => isEqual(old.needs, needs)))
  if (less)
    yield found('callback-security-changed', where, `it comes with ${less.name || 'no credential'} now`)
  else if (more) yield found('callback-security-raised', where, `it comes with ${more.name} now`)
}

function isWithin(needs: ReadonlySet<string>, granted: ReadonlySet<string>): boolean {
  return [...needs].every(need => granted.has(need))
}

function isEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && isWithin(a, b)
}

function rootSecurity({ from }: Located<Secured>): readonly SecurityRequirement[] | undefined {
  return from.document.security
}

/** Returns the sets of `scheme` and `scheme scope` that let a caller in. An empty set lets everybody in. */
function requirementsOf(
  operation: Located<Secured>,
  unsaid = rootSecurity(operation) ?? [],
): { needs: Set<string>; name: string }[] {
  const components = child(rootOf(operation.from), 'components')
  const schemes = new Map(entries(components && child(components, 'securitySchemes')))
  const declared = operation.node.security ?? unsaid
  const alternatives = declared.length > 0 ? declared : [{}]
  return alternatives.flatMap(requirement => {
    const name = Object.keys(requirement).join(' with ')
    // Any flow of a scheme will do.
    let ways: string[][] = [[]]
    for (const [scheme, scopes] of Object.entries(requirement)) {
      const meanings = meaningsOf(schemes.get(scheme)?.node ?? { type: scheme })
      ways = ways.flatMap(needs =>
        meanings.map(meaning => [...needs, meaning, ...scopes.map(scope => `${meaning} ${scope}`)]),
      )
    }
    return ways.map(needs => ({ name, needs: new Set(needs) }))
  })
}

/** Returns the ways in which a client can meet a scheme. Texts, hints and extensions don't count. */
function meaningsOf({ type, name, in: location, scheme, flows, openIdConnectUrl }: SecurityScheme): string[] {
  switch (type) {
    case 'apiKey':
      return [`key in ${location} ${location === 'header' ? name?.toLowerCase() : name}`]
    case 'http':
      return [`HTTP ${scheme?.toLowerCase()}`]
    case 'oauth2':
      return Object.entries(flows ?? {})
        .filter(([flow]) => !flow.startsWith('x-'))
        .map(([flow, addresses]) => {
          const { authorizationUrl, deviceAuthorizationUrl, tokenUrl } = addresses ?? {}
          const begins = authorizationUrl ?? deviceAuthorizationUrl
          return `OAuth ${flow} ${[begins, tokenUrl].map(addressOf).join(' ')}`
        })
    default:
      return [`${type} ${addressOf(openIdConnectUrl)}`]
  }
}
