import { modelOf } from 'spec-served-document/model'
import { ownModel } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabase } from '../../check/empty-database.ts'
import type { ServiceName } from '../../check/probes.ts'
import { checkContract } from '../../check/service.ts'
import { builtBy, openStarted, type Setting, type World } from '../../check/world.ts'
import { contractOf } from '../../generate/contract.ts'
import { parseJson } from '../../records/messages.ts'

const model = await ownModel()
const now = new Date('2026-11-21T12:00:00Z')
const ending = model.operations.filter(({ operation }) => operation.deprecated).map(({ id }) => id)
let database: Awaited<ReturnType<typeof emptyDatabase>>
beforeAll(async () => {
  database = await emptyDatabase(service)
})
afterAll(() => database.close())

/** Our document with another name for something, wherever operations and schemas have it. */
function renamed(from: string, to: string) {
  const { paths, components, ...rest } = model.document
  const own = JSON.stringify({ paths, components }).replaceAll(new RegExp(`(["/])${from}"`, 'g'), `$1${to}"`)
  return modelOf({ ...rest, ...JSON.parse(own) })
}

/** Our service, which speaks as that document does. */
async function open(setting: Setting, from: string, to: string): Promise<World> {
  const world = await openStarted(builtBy(service, contractOf('', model)), database.db, now, setting)
  return {
    ...world,
    async send({ url, body, ...request }) {
      const reply = await world.send({
        ...request,
        url: url.replaceAll(`${to}=`, `${from}=`),
        body: body?.replaceAll(`"${to}"`, `"${from}"`),
      })
      const text = reply.text.replaceAll(`"${from}"`, `"${to}"`)
      const { link } = reply.headers
      const headers = { ...reply.headers, ...(link && { link: link.replaceAll(`${from}=`, `${to}=`) }) }
      return { ...reply, text, headers, body: parseJson(text) }
    },
  }
}

test.each<[string, string, ServiceName, string[] | undefined, RegExp]>([
  [
    'limit',
    'size',
    'queries and sequences',
    ['listCategories'],
    /listCategories has pages, and no parameter limit/,
  ],
  ['windows', 'spans', 'limits', [], /the probe "usage" has found nothing/],
  ['dependencies', 'parts', 'bans and lengths of time', ['getHealth'], /what it depends on is ok at worst/],
  ['warnings', 'notices', 'bans and lengths of time', ending, /"warnings of ends" has found nothing/],
  ['expiresAt', 'endsAt', 'elsewhere', undefined, /the document has no expiresAt, by which the check goes/],
])('the check tells that it does not know %s as %s', async (from, to, look, operations, told) => {
  const { faults } = await checkContract({
    model: renamed(from, to),
    open: setting => open(setting, from, to),
    seed: 1,
    services: [look],
    untilFault: true,
    ...(operations && { only: { operations: new Set(operations), limits: true, seen: model } }),
  })
  expect(faults.map(({ message }) => message).join('\n')).toMatch(told)
})

test('that the two judges of replies disagree is a fault', async () => {
  const { faults } = await checkContract({
    model,
    oracle: {
      reply: async () => ['a second validator says: no'],
      examples: async () => ({ judged: 1, faults: [] }),
    },
    open: setting => open(setting, 'limit', 'limit'),
    seed: 1,
    services: ['requests'],
    only: { operations: new Set(['getHealth']), limits: false, seen: model },
    untilFault: true,
  })
  expect(faults.map(({ message }) => message).join('\n')).toMatch(
    /the two judges disagree: .* a second validator says: no/,
  )
})
