import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { newSecret } from 'spec-served/internal/callers/administration'
import { insertApiKey } from 'spec-served/internal/callers/api-keys'
import { ampleRights } from 'spec-served/internal/callers/first-key'
import { readConfig } from 'spec-served/internal/process/config'
import { open } from 'spec-served/internal/process/open'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { dataDirectory } from '../support/data-directory.ts'
import { createClient, listen } from '../support/http.ts'
import { changedContract } from '../support/model.ts'
import { service } from '../support/petstore.ts'
import type { Scenario } from './scenario.ts'

/** Callers with tokens that name keys of nobody, each at an address of its own. */
const impostors = 140
/** Calls of a valid API key, and with a valid token, beside them. */
const calls = 42
/** How long the others come before that, in ms: longer than a burst. */
const crowd = 1_000
/** The least time between two reads of the issuer's keys, in ms. */
const pause = 10_000

/** An issuer of tokens that answers, or is silent. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'own' }]
  const waiting = new Set<ServerResponse>()
  let isSilent = true
  const server = createServer((_, reply) => {
    if (!isSilent) return reply.end(JSON.stringify({ keys }))
    waiting.add(reply)
    return reply.on('close', () => waiting.delete(reply))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const claims = {
    iss: url,
    aud: 'api',
    sub: 'ann',
    scope: 'read',
    exp: Math.floor(Date.now() / 1_000) + 600,
  }
  return {
    url,
    beSilent(silent: boolean) {
      isSilent = silent
      for (const reply of waiting) reply.destroy()
    },
    token: (kid: string) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

export const silentIssuer: Scenario = {
  name: 'silent-issuer',
  description: `the issuer of tokens is silent, before and after it showed its keys, and ${impostors} callers send tokens of keys that it does not have`,
  databases: ['pglite', 'postgres'],
  async run({ database, progress }) {
    await using closing = new AsyncDisposableStack()
    const directory = temporaryDirectory()
    const postgres = database === 'postgres' ? await startPostgres(directory) : undefined
    if (postgres) closing.defer(() => postgres.stop())
    else await dataDirectory(directory)
    const issuer = await startIssuer()
    closing.defer(issuer.close)
    const contract = await changedContract(document => {
      document.components.securitySchemes.Token = { type: 'http', scheme: 'bearer' }
      document.security.push({ Token: [] })
    })
    const config = readConfig({
      ...(postgres ? { DATABASE_URL: `${postgres.url}/postgres` } : { DATA_DIR: directory }),
      ...{
        TOKEN_ISSUER: issuer.url,
        TOKEN_JWKS_URL: issuer.url,
        TOKEN_AUDIENCE: 'api',
        TOKEN_PLAN: 'Business',
      },
      ...{ LOG_LEVEL: 'silent', TRUST_PROXY: 'true' },
    })
    const { app, resources } = await open(service, config, contract, closing)
    closing.defer(() => app.close())
    const { secret, stored } = newSecret(resources.seal, resources.form)
    const rights = ampleRights(contract, 1_000_000)
    await insertApiKey(resources.db, {
      ...{ name: 'Load', createdAt: resources.now(), expiresAt: null },
      ...{ ...rights, ...stored },
    })
    const { send, close } = createClient(await app.listen({ host: '127.0.0.1', port: 0 }))
    closing.defer(async () => close())

    let waited = 0
    /** Sends tokens of nobody's keys until `end` aborts. */
    async function crowdUntil(end: AbortSignal, round: string): Promise<void> {
      const impostor = async (index: number) => {
        for (let i = 0; !end.aborted && i < 10; i++) {
          const authorization = `Bearer ${await issuer.token(`${round} ${index} ${i}`)}`
          const { took } = await send('GET', '/pets', {
            headers: { authorization, 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` },
          })
          waited = Math.max(waited, took)
        }
      }
      await Promise.all(Array.from({ length: impostors }, (_, index) => impostor(index)))
    }

    async function refusedBeside(round: string, headers: Record<string, string>): Promise<number> {
      const end = new AbortController()
      const crowding = crowdUntil(end.signal, round)
      await setTimeout(crowd)
      let refused = 0
      for (let i = 0; i < calls; i++) if ((await send('GET', '/pets', { headers })).status !== 200) refused++
      end.abort()
      await crowding
      progress(`${round}: ${refused} of ${calls} valid calls were refused`)
      return refused
    }

    const before = await refusedBeside('before its keys', { 'x-api-key': secret })
    issuer.beSilent(false)
    await setTimeout(pause / 2) // a read that failed is tried again soon
    const token = { authorization: `Bearer ${await issuer.token('own')}` }
    const { status } = await send('GET', '/pets', { headers: token })
    issuer.beSilent(true)
    await setTimeout(pause) // the keys may be read again
    const ofKeys = await refusedBeside('after its keys', { 'x-api-key': secret })
    const ofTokens = await refusedBeside('after its keys, with a token', token)
    const faults: string[] = []
    if (status !== 200) faults.push(`A token got ${status} once the issuer had shown its keys`)
    for (const refused of [before, ofKeys, ofTokens])
      if (refused > 0) faults.push(`${refused} of ${calls} valid calls were refused`)
    return {
      figures: {
        'valid calls beside them': 3 * calls,
        'of these, refused': before + ofKeys + ofTokens,
        'longest wait for a 401, ms': Math.round(waited),
      },
      faults,
    }
  },
}
