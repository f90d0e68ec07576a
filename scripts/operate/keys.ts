import { rateLimits } from '../../src/generated/operations.ts'
import type { ApiKey, Plan, Scope } from '../../src/generated/schema.ts'
import { Misuse, wholeNumber } from '../arguments.ts'
import type { Call } from './call.ts'
import { type Group, leaf, type Option, type Outcome, table } from './command.ts'

const argument = { name: 'ID', text: 'the number of a key, as `keys list` tells it' }
const plans = Object.keys(rateLimits.plans)

const fields = {
  name: { type: 'string', value: 'TEXT', text: 'whose key it is, or what for' },
  plan: { type: 'string', value: 'PLAN', text: plans.join(', '), choices: plans },
  scopes: { type: 'string', value: 'LIST', text: 'read, write, admin, separated by commas' },
  minute: { type: 'string', value: 'N', text: 'requests a minute, for a plan with quotas of its own' },
  day: { type: 'string', value: 'N', text: 'requests a day, beside --minute' },
  expires: { type: 'string', value: 'DATE-TIME', text: 'when it ends, such as 2030-01-01T00:00:00Z' },
} as const satisfies Record<string, Option>

type Fields = { [Name in keyof typeof fields]?: string | undefined }

/** The options as fields of a body; whoever takes it holds it against the document. */
function bodyOf({ name, plan, scopes, minute, day, expires }: Fields) {
  if ((minute === undefined) !== (day === undefined)) throw new Misuse('--minute and --day go together')
  return {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan: plan as Plan }),
    ...(scopes !== undefined && { scopes: scopes.split(',') as Scope[] }),
    ...(minute !== undefined &&
      day !== undefined && {
        quotas: { minute: wholeNumber('--minute', minute), day: wholeNumber('--day', day) },
      }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : expires }),
  }
}

function numberOf(id: string | undefined): number {
  if (id !== undefined && /^[1-9]\d{0,15}$/.test(id)) return Number(id)
  throw new Misuse('It needs the number of a key')
}

function shown(key: object): Outcome {
  const lines = Object.entries(key).map(
    ([name, value]) => name.padEnd(24) + (typeof value === 'object' ? JSON.stringify(value) : value),
  )
  return { json: key, lines }
}

async function listAll(call: Call): Promise<Outcome> {
  const keys: ApiKey[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await call('keys.list', cursor === undefined ? {} : { cursor })
    keys.push(...page.keys)
    cursor = page.cursor
    if (cursor === undefined) break
  }
  const rows = keys.map(({ id, name, plan, preview, scopes, disabled, lastUsedAt, bannedUntil }) => [
    String(id),
    name,
    plan,
    preview,
    scopes.join(','),
    lastUsedAt ?? '',
    disabled ? 'disabled' : bannedUntil ? `banned until ${bannedUntil}` : '',
  ])
  return { json: keys, lines: table(['id', 'name', 'plan', 'preview', 'scopes', 'last used', 'state'], rows) }
}

/** What an operator does with API keys. */
export const keys: Group = {
  text: 'make, show and change API keys',
  commands: {
    create: leaf({
      text: 'make a key and show its secret, this once',
      options: fields,
      more: 'Unless told, the plan is Free and the scopes are read,write.',
      async run(values, _, call) {
        const body = { plan: 'Free', scopes: ['read', 'write'], ...bodyOf(values) }
        return shown(
          await call('keys.create', { body: body as Parameters<typeof call<'keys.create'>>[1]['body'] }),
        )
      },
    }),
    list: leaf({ text: 'list all keys', options: {}, run: (_, __, call) => listAll(call) }),
    show: leaf({
      text: 'show a key',
      argument,
      options: {},
      run: async (_, id, call) => shown(await call('keys.show', { id: numberOf(id) })),
    }),
    update: leaf({
      text: 'change a key',
      argument,
      options: {
        ...fields,
        expires: { ...fields.expires, text: `${fields.expires.text}, or never` },
        disable: { type: 'boolean', text: 'refuse its calls until it is enabled again' },
        enable: { type: 'boolean', text: 'take its calls again' },
      },
      async run({ disable, enable, ...values }, id, call) {
        if (disable && enable) throw new Misuse('--disable and --enable exclude one another')
        const body = { ...bodyOf(values), ...((disable || enable) && { disabled: disable }) }
        return shown(await call('keys.update', { id: numberOf(id), body }))
      },
    }),
    rotate: leaf({
      text: 'replace the secret of a key and show the new one, this once',
      argument,
      options: {
        'overlap-hours': {
          type: 'string',
          value: 'N',
          text: 'how long the old secret works on: 0, 1, 24 or 168',
          choices: ['0', '1', '24', '168'],
        },
      },
      async run({ 'overlap-hours': hours = '0' }, id, call) {
        const overlapHours = wholeNumber('--overlap-hours', hours)
        const body = { overlapHours } as Parameters<typeof call<'keys.rotate'>>[1]['body']
        return shown(await call('keys.rotate', { id: numberOf(id), body }))
      },
    }),
    revoke: leaf({
      text: 'remove a key for good',
      argument,
      options: {},
      async run(_, id, call) {
        await call('keys.revoke', { id: numberOf(id) })
        return { json: null, lines: ['Done.'] }
      },
    }),
    pepper: leaf({
      text: 'store the hashes of all keys with API_KEY_PEPPER',
      options: {},
      more: 'Give the pepper to every server first; keys work all the while, and none has to be replaced.',
      async run(_, __, call) {
        const { peppered } = await call('keys.pepper', {})
        return { json: { peppered }, lines: [`${peppered} keys are now stored with the pepper.`] }
      },
    }),
    unban: leaf({
      text: 'lift the ban of a key',
      argument,
      options: {},
      run: async (_, id, call) =>
        shown(await call('keys.update', { id: numberOf(id), body: { bannedUntil: null } })),
    }),
  },
}
