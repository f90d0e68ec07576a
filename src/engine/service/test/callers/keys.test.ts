import { sql } from 'kysely'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import type { OpenApi } from 'spec-served-document/types'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { beforeEach, describe, expect, test } from 'vitest'
import { keyForm } from '../../callers/api-key.ts'
import { keyCommands } from '../../callers/commands.ts'
import { unsealed } from '../../callers/seal.ts'
import { type Command, type CommandTools, Misuse, Refused } from '../../runtime/command.ts'

/** A document of another trade, with keys, plans, windows and scopes of its own, and no operations for them. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Lending', version: '1.0.0' },
  security: [{ card: [] }],
  'x-rate-limits': {
    windows: [{ name: 'hour', seconds: 3_600 }],
    plans: { Reader: { hour: 10 }, Branch: { hour: 500 }, Made: { custom: true } },
    anonymous: 'Reader',
    ban: { refusals: 5, window: 'hour', seconds: 60 },
  },
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        'x-required-scope': 'lend',
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  components: { securitySchemes: { card: { type: 'apiKey', in: 'header', name: 'X-Card' } } },
}
const now = new Date('2030-01-01T00:00:00Z')

const database = shared(freshDatabase)
let tools: CommandTools
let changed: unknown[]

async function toolsFor(changes: object = {}): Promise<CommandTools> {
  const model = await modelFrom({ ...document, ...changes } as unknown as OpenApi) // with extensions
  return {
    db: database.db,
    dataDir: undefined,
    contract: contractOf('', model),
    migrations: service.migrations,
    form: keyForm(service.name),
    seal: unsealed,
    now: () => now,
    async keyChanged(id) {
      changed.push(id)
    },
    settle: async () => {},
    isServing: false,
  }
}

beforeEach(async () => {
  await sql`truncate api_keys restart identity cascade`.execute(database.db)
  changed = []
  tools = await toolsFor()
})

async function run<In, Out>(command: Command<In, Out>, input: object, context = tools): Promise<Out> {
  return command.run(command.check(input, context.contract), context)
}

describe('the keys of a document that has no operations for them', () => {
  test('keys are made, listed, changed, replaced and removed without operations for them', async () => {
    const made = await run(keyCommands['keys.create'], { body: { name: 'Desk' } })
    expect(made).toMatchObject({ id: 1, name: 'Desk', plan: 'Reader', scopes: ['lend'], disabled: false })
    expect(made.secret).toMatch(/^\w{20,}/)
    const update = { id: 1, body: { plan: 'Made', quotas: { hour: 7 }, expiresAt: '2031-01-01T00:00:00Z' } }
    expect(await run(keyCommands['keys.update'], update)).toMatchObject({ plan: 'Made', quotas: { hour: 7 } })
    const { secret } = await run(keyCommands['keys.rotate'], { id: 1, body: { overlapHours: 1 } })
    expect(secret).not.toBe(made.secret)
    expect(await run(keyCommands['keys.list'], {})).toMatchObject({ keys: [{ id: 1, plan: 'Made' }] })
    expect(await run(keyCommands['keys.update'], { id: 1, body: { plan: 'Branch' } })).not.toHaveProperty(
      'quotas',
    )
    await run(keyCommands['keys.revoke'], { id: 1 })
    await expect(run(keyCommands['keys.show'], { id: 1 })).rejects.toThrow('There is no API key 1')
    expect(changed).toEqual([1, 1, 1, 1])
  })

  test.each([
    [{ plan: 'Free' }, '/plan must be one of Reader, Branch, Made'],
    [{ scopes: ['read'] }, '/scopes must be some of lend'],
    [{ quotas: { minute: 1 } }, '/quotas must be a whole number for each of hour'],
    [{ name: '' }, '/name must be a text of 1 to 100 characters'],
    [{ expiresAt: 'soon' }, '/expiresAt must be a date-time'],
  ])('are held against its plans, windows and scopes: %j', async (body, fault) => {
    const making = run(keyCommands['keys.create'], { body: { name: 'Desk', ...body } })
    await expect(making).rejects.toThrow(Misuse)
    await expect(making).rejects.toThrow(fault)
  })

  test.each([
    [{ plan: 'Made' }, 'needed for the plan Made'],
    [{ plan: 'Branch', quotas: { hour: 1 } }, 'fixed for the plan Branch'],
  ])('have quotas of their own where the plan has none: %j', async (body, fault) => {
    const making = run(keyCommands['keys.create'], { body: { name: 'Desk', ...body } })
    await expect(making).rejects.toThrow(Refused)
    await expect(making).rejects.toThrow(fault)
  })

  test('keys are not made if nothing would check them', async () => {
    const bearer = { components: { securitySchemes: { card: { type: 'http', scheme: 'bearer' } } } }
    const making = run(keyCommands['keys.create'], { body: { name: 'Desk' } }, await toolsFor(bearer))
    await expect(making).rejects.toThrow('nothing would check this key')
  })
})
