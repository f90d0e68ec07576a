import { createServer } from 'node:http'
import {
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import Provider, { type Configuration, errors } from 'oidc-provider'
import { listen } from './http.ts'

type Claims = { [Name in keyof JWTPayload]?: JWTPayload[Name] | undefined }

const secret = 'secret-of-the-tests'

/** The clients of the issuer, with what their tokens claim. Each is the subject of its tokens. */
const claimed: Readonly<Record<string, Record<string, unknown>>> = {
  reader: { scopes: 'read' },
  writer: { scopes: 'read write', claims: { plan: 'Pro' } },
  keeper: { scopes: 'read write', claims: { plan: 'Enterprise', quotas: { minute: 3, day: 100 } } },
}

type Algorithm = 'RS256' | 'ES256'

/** Its settings with the one key that signs. */
function configurationWith(key: JWK, alg: Algorithm): Configuration {
  return {
    jwks: { keys: [key] },
    clients: Object.keys(claimed).map(client_id => ({
      client_id,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: alg,
    })),
    scopes: ['read', 'write', 'admin'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo(_context, resource, client) {
          const scope = claimed[client.clientId]?.scopes
          if (typeof scope !== 'string') throw new errors.InvalidTarget()
          return { scope, audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg } } }
        },
      },
    },
    extraTokenClaims: (_context, token) => claimed[token.clientId ?? '']?.claims,
    ttl: { ClientCredentials: 600 },
  } as Configuration // whose types lack what its documentation has
}

/** Starts a real issuer of tokens (OpenID Connect) on this machine. Its clients get tokens for any resource. */
export async function startIssuer() {
  let failure: number | undefined
  let handle: ReturnType<Provider['callback']> | undefined
  let reads = 0
  const server = createServer((request, reply) => {
    if (/jwks|well-known/.test(request.url ?? '')) reads++
    if (failure === 0) return // it never answers
    if (failure !== undefined) return reply.writeHead(failure).end()
    return handle?.(request, reply)
  })
  const issuer = `http://127.0.0.1:${await listen(server)}`

  let sign: (claims: Claims, header?: Partial<JWTHeaderParameters>) => Promise<string>

  /** Gives the issuer other keys. */
  async function rotate(alg: Algorithm = 'RS256') {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: crypto.randomUUID() }
    sign = (claims, header) =>
      new SignJWT({
        iss: issuer,
        sub: 'ann',
        exp: Math.floor(Date.now() / 1_000) + 600,
        ...claims,
      } as JWTPayload) // what is undefined is left out
        .setProtectedHeader({ alg, kid: jwk.kid, ...header })
        .sign(privateKey)
    handle = new Provider(issuer, configurationWith(jwk, alg)).callback()
  }
  await rotate()

  return {
    issuer,
    /** that of its clients */
    secret,
    rotate,
    /** Makes the issuer answer with a status, or with nothing (0); undefined: as it should. */
    fail(status: number | undefined) {
      failure = status
    },
    /** the reads of its metadata and keys */
    reads: () => reads,
    /** Returns the header field with a token of any claims, signed by the issuer's key. */
    sign: async (...signArguments: Parameters<typeof sign>) => ({
      authorization: `Bearer ${await sign(...signArguments)}`,
    }),
    /** Returns the header field with a token of a client for a resource. */
    async token(client: string, resource: string) {
      const body = new URLSearchParams({
        ...{ grant_type: 'client_credentials', resource, scope: `${claimed[client]?.scopes}` },
      })
      const authorization = `Basic ${btoa(`${client}:${encodeURIComponent(secret)}`)}`
      const reply = await fetch(`${issuer}/token`, { method: 'POST', body, headers: { authorization } })
      const { access_token: token, ...rest } = (await reply.json()) as Record<string, unknown>
      if (typeof token !== 'string') throw new Error(JSON.stringify(rest))
      return { authorization: `Bearer ${token}` }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
