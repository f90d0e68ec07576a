import type { SecurityScheme } from '../types.ts'

/** Returns a scheme's name in Authorization, in lower case (RFC 9110, 11.6.2); undefined: it is sent elsewhere. */
export function authorizationOf({ type, scheme = '' }: SecurityScheme): string | undefined {
  if (type === 'apiKey' || type === 'mutualTLS') return undefined
  // Tokens of OAuth 2 and OpenID Connect are bearer tokens (RFC 6750, section 2.1).
  return type === 'http' ? scheme.toLowerCase() : 'bearer'
}
