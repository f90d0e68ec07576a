import { visibleLine } from 'spec-served-document/visible-text'
import { flag, holdToChoices, Misuse, option, wholeNumber } from '../command/arguments.ts'
import { type Command, type Outcome, table } from '../command/command.ts'
import { generatedFacts } from '../command/project.ts'
import { Refused } from '../runtime/command.ts'
import type { Call } from './call.ts'
import { leaf } from './leaf.ts'

const argument = { name: 'ID', text: 'the number of a key, as `keys list` shows it' }
const { operations, rateLimits: limits } = await generatedFacts()
const plans = Object.keys(limits?.plans ?? {})
const windows = (limits?.windows ?? []).map(({ name }) => name)
const allScopes = [...new Set(Object.values(operations).flatMap(({ scope }) => scope ?? []))]
/** The defaults of a new key. */
const usual = { plan: limits?.anonymous, scopes: allScopes.filter(name => name !== 'admin') }

const fields = {
  name: option('TEXT', 'whose key it is, or what for'),
  plan: option('PLAN', plans.join(', '), { choices: plans }),
  scopes: option('LIST', `some of ${inWords(allScopes)}`),
  expires: option('DATE-TIME', 'when it ends, such as 2030-01-01T00:00:00Z'),
}

/** The quota of each window that the document has. */
const quotas = Object.fromEntries(
  windows.map((name, index) => {
    const when = index === 0 ? 'for a plan with quotas of its own' : `beside --${windows[0]}`
    return [name, option('N', `requests a ${name}, ${when}`)]
  }),
)

const ownQuotas = windows.map(name => `--${name}`).join(' and ')

/** The options that are called otherwise than the fields of a body that they fill. */
const optionOf: Readonly<Record<string, string>> = {
  expiresAt: '--expires',
  quotas: ownQuotas,
  overlapHours: '--overlap-hours',
}

/** Rewrites a message about a body so that it names the options that have filled it. */
const ofOptions = (message: string) =>
  message
    .replace('The body is not valid: ', '')
    .replace(/(?<!\S)\/(\w+)(?:\/(\w+))?/g, (_, field: string, part?: string) =>
      part === undefined ? (optionOf[field] ?? `--${field}`) : `--${part}`,
    )

/** Waits for what a command gives. @throws Misuse, Refused, which name the options that they are about */
async function asked<T>(outcome: Promise<T>): Promise<T> {
  return outcome.catch((error: unknown) => {
    if (error instanceof Misuse) throw new Misuse(ofOptions(error.message))
    if (error instanceof Refused) throw new Refused({ ...error.body, message: ofOptions(error.body.message) })
    throw error
  })
}

type Fields = { [Name in keyof typeof fields]?: string | undefined }

/** The options as fields of a body; whoever takes it checks it by the document. */
function bodyOf({ name, plan, scopes, expires, ...others }: Fields) {
  const changes = Object.entries(others).filter(
    (entry): entry is [string, string] => windows.includes(entry[0]) && entry[1] !== undefined,
  )
  if (changes.length > 0 && changes.length < windows.length) throw new Misuse(`${ownQuotas} go together`)
  for (const scope of scopes?.split(',') ?? []) holdToChoices('Each of --scopes', scope, allScopes)
  return {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(scopes !== undefined && { scopes: scopes.split(',') }),
    ...(changes.length > 0 && {
      quotas: Object.fromEntries(changes.map(([window, text]) => [window, wholeNumber(`--${window}`, text)])),
    }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : expires }),
  }
}

function numberOf(id: string | undefined): number {
  if (id !== undefined && /^[1-9]\d{0,15}$/.test(id)) return Number(id)
  throw new Misuse('Give the id of a key, as `keys list` shows it')
}

/** A value as a line shows it: a list as the options take it, so that it can be copied. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(',') : 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function shown(key: object): Outcome {
  const lines = Object.entries(key).map(([name, value]) => name.padEnd(24) + visibleLine(inWords(value)))
  return { json: key, lines }
}

/** A key with its new secret, which nothing but its hash is stored of. */
function shownOnce(key: object): Outcome {
  const { json, lines } = shown(key)
  return { json, lines: [...lines, '', 'The secret is shown this once: keep it now.'] }
}

/** A command without options that is about one key, and shows what becomes of it. */
const onKey = (text: string, run: (id: number, call: Call) => Promise<object>) =>
  leaf({ text, argument, run: async (_, id, call) => shown(await run(numberOf(id), call)) })

async function listAll(call: Call): Promise<Outcome> {
  const { keys } = await call('keys.list', {})
  const rows = keys.map(({ id, name, plan, preview, scopes, disabled, lastUsedAt, bannedUntil }) => [
    String(id),
    name,
    plan,
    preview,
    inWords(scopes),
    lastUsedAt ?? 'never',
    disabled ? 'disabled' : bannedUntil ? `banned until ${bannedUntil}` : 'active',
  ])
  return { json: keys, lines: table(['id', 'name', 'plan', 'preview', 'scopes', 'last used', 'state'], rows) }
}

function usualRights(): string {
  const lines = [
    ...(usual.plan === undefined ? [] : [`the plan is ${usual.plan}`]),
    ...(usual.scopes.length > 0 ? [`the scopes are ${inWords(usual.scopes)}`] : []),
  ]
  return lines.length > 0 ? `By default, ${lines.join(' and ')}.` : ''
}

/** The operator's commands for API keys. */
export const keyCommands: Readonly<Record<string, Command>> = {
  create: leaf({
    text: 'makes a key and shows its secret, this once',
    options: { ...fields, ...quotas },
    more: usualRights(),
    async run(values, _, call) {
      const body = { ...usual, ...bodyOf(values) }
      return shownOnce(
        await asked(call('keys.create', { body: body as Parameters<typeof call<'keys.create'>>[1]['body'] })),
      )
    },
  }),
  list: leaf({ text: 'lists all keys', run: (_, __, call) => listAll(call) }),
  show: onKey('shows a key', (id, call) => call('keys.show', { id })),
  update: leaf({
    text: 'changes a key',
    argument,
    options: {
      ...fields,
      ...quotas,
      expires: { ...fields.expires, text: `${fields.expires.text}, or never` },
      disable: flag('refuse its calls until it is enabled again'),
      enable: flag('take its calls again'),
    },
    async run({ disable, enable, ...values }, id, call) {
      if (disable && enable) throw new Misuse('--disable and --enable exclude one another')
      const body = { ...bodyOf(values), ...((disable || enable) && { disabled: disable }) }
      return shown(await asked(call('keys.update', { id: numberOf(id), body })))
    },
  }),
  rotate: leaf({
    text: 'replaces the secret of a key and shows the new one, this once',
    argument,
    options: {
      'overlap-hours': option('N', 'how long the old secret works on: 0, 1, 24 or 168', {
        choices: ['0', '1', '24', '168'],
      }),
    },
    async run({ 'overlap-hours': hours = '0' }, id, call) {
      const overlapHours = wholeNumber('--overlap-hours', hours)
      const body = { overlapHours } as Parameters<typeof call<'keys.rotate'>>[1]['body']
      return shownOnce(await call('keys.rotate', { id: numberOf(id), body }))
    },
  }),
  revoke: leaf({
    text: 'removes a key for good',
    argument,
    async run(_, id, call) {
      const key = await call('keys.show', { id: numberOf(id) })
      await call('keys.revoke', { id: key.id })
      return {
        json: key,
        lines: [`Key ${key.id} (${key.name}, ${key.preview}) is revoked: its calls get 401.`],
      }
    },
  }),
  pepper: leaf({
    text: 'stores the hashes of all keys with API_KEY_PEPPER',
    more: 'Give the pepper to every server first; keys work all the while, and none has to be replaced.',
    async run(_, __, call) {
      const { peppered } = await call('keys.pepper', {})
      return { json: { peppered }, lines: [`${peppered} keys are now stored with the pepper.`] }
    },
  }),
  unban: onKey('lifts the ban of a key', (id, call) =>
    call('keys.update', { id, body: { bannedUntil: null } }),
  ),
}
