import { answers, asks, bodyOf, type Row, sends, shows, withBody } from '../spoiling.ts'

/** Faults that the probes of the service “requests” must see. */
export const rows: readonly Row[] = [
  {
    of: 'forms of requests: empty texts',
    probe: 'forms of requests',
    operations: ['updateCategory'],
    spoil: asks(/^PATCH .categories/, request =>
      bodyOf(request).description === ''
        ? { ...request, body: JSON.stringify({ ...bodyOf(request), description: null }) }
        : request,
    ),
    told: /^updateCategory: \/body\/description of its least length: description was sent as "", and its reply shows undefined/,
  },
  {
    of: 'forms of requests: days',
    probe: 'forms of requests',
    operations: ['updateOrder'],
    spoil: sends(/^PATCH .store.orders/, body =>
      String(body.shipDate).startsWith('2026-02-30') ? { ...body, shipDate: '2026-03-02T10:00:00Z' } : body,
    ),
    told: /^updateOrder: \/body\/shipDate of no day/,
  },
  {
    of: 'forms of requests',
    operations: ['createCategory'],
    spoil: sends(/^POST .categories/, body =>
      typeof body.name === 'string' ? { ...body, name: body.name.slice(0, 100) } : body,
    ),
    told: /createCategory: .*name/,
  },
  {
    of: 'forms of requests: rules',
    probe: 'forms of requests',
    operations: ['createCategory'],
    document({ components }) {
      const { NewCategory } = components?.schemas ?? {}
      Object.assign(Object(Object(NewCategory).properties).name, { 'x-further-rule': true })
    },
    told: /^createCategory: no request was refused for the further rule of .body.name/,
  },
  {
    of: 'shown uses',
    operations: ['getApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({ ...body, lastUsedAt: '2026-01-01T00:00:00.000Z' })),
    told: /^getApiKey: lastUsedAt of the credential in use is 2026-01-01/,
  },
  {
    of: 'shown uses: their unit',
    probe: 'shown uses',
    operations: ['getApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({ ...body, lastUsedAt: '2026-11-21T11:59:59.000Z' })),
    told: /^getApiKey: lastUsedAt is .*, and its description says to the minute/,
  },
  {
    of: 'shown uses: the credential itself',
    probe: 'shown uses',
    operations: ['getApiKey'],
    spoil: answers(/^GET .api-keys$/, reply => withBody(reply, [])),
    told: /^listApiKeys: it does not show the credential in use/,
  },
]
