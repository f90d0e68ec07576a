import { schemesOf } from 'spec-served/internal/callers/security'
import { openRunning } from 'spec-served-cli/internal/check/running'
import { checkContract } from 'spec-served-cli/internal/check/service'
import { createKeeper } from 'spec-served-cli/internal/mock/keeper'
import { mockContract, serveContract } from 'spec-served-cli/internal/mock/serve'
import { readInterface } from 'spec-served-cli/internal/records/interface'
import type { Model } from 'spec-served-document/model'
import { authorizationOf } from 'spec-served-document/model'

/** The credentials that the mock takes: a user and a password for basic authentication, and another one for the rest. */
const credentials = ['user:password', 'given']

/** One caller's credentials, as the document's schemes write them. */
function credentialsOf(model: Model): Record<string, string>[] {
  const [basic = '', other = ''] = credentials
  const entries = schemesOf(model).map(({ name, scheme }) => [
    name,
    authorizationOf(scheme) === 'basic' ? basic : other,
  ])
  return entries.length > 0 ? [Object.fromEntries(entries)] : []
}

/**
 * Runs the check on the mock of a document, which keeps its records, over HTTP as on any service.
 * @param text the document as it was written
 * @param bounds end the check early
 * @param isOurs whether the document's limits are meant as this project does
 */
export async function checkMock(
  text: string,
  model: Model,
  bounds: { seconds: number; requests: number },
  isOurs = false,
) {
  const contract = mockContract(text, model, isOurs)
  const app = await serveContract(contract, {
    keeper: createKeeper(contract, { secrets: credentials }),
    maxWaitMs: 60_000,
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const signal = AbortSignal.timeout(bounds.seconds * 1_000)
  const world = await openRunning({
    ...{ contract: readInterface(model), url: new URL(`http://127.0.0.1:${port}`), signal },
    ...{ keys: credentialsOf(model), writes: true, most: bounds.requests },
  })
  const outcome = await checkContract({ model, seed: 1, open: async () => world })
  world.end()
  await app.close()
  return { ...outcome, sent: world.sent(), isCut: signal.aborted || world.sent() > bounds.requests }
}
