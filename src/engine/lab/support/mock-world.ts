import { openWire } from 'spec-served-cli/internal/check/wire'
import type { World } from 'spec-served-cli/internal/check/world'
import { causeOf } from 'spec-served-cli/internal/local/log-cause'
import { createKeeper } from 'spec-served-cli/internal/mock/keeper'
import { serveContract } from 'spec-served-cli/internal/mock/serve'
import { readInterface } from 'spec-served-cli/internal/records/interface'
import { recordIn, type WireReply, type WireRequest } from 'spec-served-cli/internal/records/messages'
import type { Contract } from 'spec-served-document/contract/contract'
import { showsSecret } from 'spec-served-document/reading/facts'

/** Stands between the check and a service, and breaks a promise. @param forward asks the service as it is */
export type Spoil = (
  request: WireRequest,
  forward: (request: WireRequest) => Promise<WireReply>,
) => Promise<WireReply>

/** A small fault of a service. */
export interface Spoiler {
  spoil?: Spoil | undefined
  /** the same for what is sent as a text */
  text?: ((text: string) => string) | undefined
  /** what it logs */
  log?: string[] | undefined
}

/** The credential that may do anything in a mock of the tests. */
export const given = 'given'

const day = 86_400_000

/** The header field that marks requests to the second server, which is the same mock. */
export const otherServer = 'x-other-server'
const addressedTo = (request: WireRequest, server: string): WireRequest => ({
  ...request,
  headers: { ...request.headers, [server]: 'true' },
})

/**
 * A mock that keeps records, as a service that the check has started: empty, with a clock and with keys. Nothing that it
 * lacks is brought about: a restart or a failing database changes nothing.
 */
export async function openMock(contract: Contract, start: Date) {
  let time = start
  let worlds = 0
  const log: string[] = []
  const keeper = createKeeper(contract, { seed: {}, secrets: [given], now: () => time })
  const app = await serveContract(contract, {
    keeper,
    now: () => time,
    maxWaitMs: 60_000,
    requestTimeoutMs: 1_000,
    logger: { level: 'error', stream: { write: line => void log.push(causeOf(line)) } },
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const wire = openWire(() => new URL(`http://127.0.0.1:${port}`))
  const forward = async (request: WireRequest): Promise<WireReply> => {
    const reply = await wire.send(request)
    const { 'x-mock': _, 'preference-applied': __, ...headers } = reply.headers
    return { ...reply, headers }
  }
  const api = readInterface(contract.model)
  const maker = api.kinds.map(kind => kind.maker).find(candidate => showsSecret(contract.model, candidate))
  const [scheme] = Object.values(contract.model.document.components?.securitySchemes ?? {})
  const field = scheme && 'name' in scheme ? String(scheme.name).toLowerCase() : 'x-api-key'
  const clock: NonNullable<World['hands']['clock']> = {
    now: () => time,
    set(to) {
      time = to
    },
    advance(milliseconds) {
      time = new Date(time.getTime() + milliseconds)
    },
  }
  const keys: NonNullable<World['hands']['keys']> = {
    async issue({ plan, quotas, scopes = api.scopes }) {
      const body = JSON.stringify({ name: 'Contract check', plan, quotas: quotas ?? undefined, scopes })
      const headers = { [field]: given, 'content-type': 'application/json' }
      const made = await wire.send({ method: 'POST', url: maker?.path ?? '', headers, body })
      const { secret } = recordIn(made.body)
      if (typeof secret === 'string') return secret
      throw new Error(`The mock issues no key: ${made.status} ${made.text}`)
    },
  }
  return {
    /** The mock without records, so much later than the last one that it repeats no reply of that. */
    world({ spoil, text: change = text => text, log: spoiltLog = [] }: Spoiler = {}): World {
      keeper.reset()
      time = new Date(start.getTime() + ++worlds * 3 * day)
      const send = (request: WireRequest) => (spoil ? spoil(request, forward) : forward(request))
      return {
        send,
        sendText: text => wire.sendText(change(text)),
        url: 'http://localhost:3000',
        credentials: maker ? [] : [given],
        takeLog: () => [...log.splice(0), ...spoiltLog.splice(0)],
        isDisturbed: () => false,
        hands: {
          ...{ emptiness: true, direct: true, writes: true, settings: true, clock },
          ...(maker && { keys }),
          database: { fail() {}, hold: async () => async () => {}, clean: async () => {} },
          restart: async () => {},
          twin: async () => ({ send: request => send(addressedTo(request, otherServer)), async close() {} }),
        },
        async close() {},
      }
    },
    async close() {
      wire.close()
      await app.close()
    },
  }
}
