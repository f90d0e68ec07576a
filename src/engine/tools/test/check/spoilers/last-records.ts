import type { Spoil } from 'spec-served-lab/support/mock-world'
import type { WireReply } from '../../../records/messages.ts'
import {
  answers,
  atOnce,
  both,
  does204,
  is,
  isSuccess,
  type Row,
  refusal,
  turns,
  withBody,
} from '../spoiling.ts'

/** Goes on to do something once a kind of reply has come. */
function onceAnswered(isCause: (reply: WireReply) => boolean, spoil: Spoil): Spoil {
  let isOn = false
  return async (request, forward) => {
    const reply = await (isOn ? spoil(request, forward) : forward(request))
    isOn ||= isCause(reply)
    return reply
  }
}

/** Faults that the probes of the service “last records” must see. */
export const rows: readonly Row[] = [
  {
    of: 'last records',
    operations: ['deleteCategory'],
    spoil: answers(/^DELETE .categories.1$/, reply => ({ ...reply, status: 500 })),
    told: /deleteCategory.* 500/,
  },
  {
    of: 'administrators',
    operations: ['revokeApiKey'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      return reply.status === 409 && request.method === 'DELETE' ? does204(request, forward) : reply
    },
    told: /last_admin_key/,
  },
  {
    of: 'administrators: nobody is left',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: answers(/^POST .api-keys$/, reply => ({
      ...withBody(reply, refusal(401, 'unauthenticated')),
      status: 401,
    })),
    told: /no credential is let in any more that can administer others \[some credential/,
  },
  {
    of: 'administrators: at once',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: atOnce(/^PATCH .api-keys/, reply => ({ ...reply, status: 200 })),
    told: /of the last 2 at once 2 are disabled/,
  },
  {
    of: 'administrators: bans',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: onceAnswered(
      ({ status }) => status === 429,
      both(
        turns(/^GET/, is(403), 429, refusal(429, 'rate_limited')),
        turns(/^PATCH .api-keys/, isSuccess, 409, refusal(409, 'last_admin_key')),
      ),
    ),
    told: /^updateApiKey: the end of the last one beside one that is banned/,
  },
]
