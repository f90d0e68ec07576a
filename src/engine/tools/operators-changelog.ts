import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadService } from 'spec-served/internal/command/project'
import type { Migration } from 'spec-served/internal/database/migration'
import { settings } from 'spec-served/internal/process/config'

/** The parts of a release that concern operators. */
export interface Operated {
  version: string
  /** the environment variables, with their defaults; '' for none */
  settings: Readonly<Record<string, string>>
  /** the migrations by name, each with the one that servers must know to work beside it; '' for none */
  migrations: Readonly<Record<string, string>>
  /** how `npm start` starts Node */
  start: string
}

/** Reads the parts of the present code that concern operators. @param root holds package.json */
export async function operatedNow(root: string, version: string): Promise<Operated> {
  const { scripts } = await readJson<{ scripts: { start: string } }>(join(root, 'package.json'))
  const steps = Object.entries<Migration>((await loadService()).migrations)
  return {
    version,
    settings: Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [
        name,
        'fallback' in setting ? setting.fallback : '',
      ]),
    ),
    migrations: Object.fromEntries(steps.map(([name, { needs = '' }]) => [name, needs])),
    start: scripts.start,
  }
}

/** Returns the changes of a release for operators, a line each. */
export function changesForOperators(before: Operated, now: Operated): string[] {
  const withDefault = (value = '') => (value === '' ? 'no default' : `the default \`${value}\``)
  const names = Object.keys({ ...before.settings, ...now.settings }).sort()
  const changed = names.flatMap(name => {
    const [was, is] = [before.settings[name], now.settings[name]]
    if (was === is) return []
    if (was === undefined) return `The setting \`${name}\` is new, with ${withDefault(is)}.`
    if (is === undefined) return `The setting \`${name}\` is gone: remove it.`
    return `The setting \`${name}\` has ${withDefault(is)}; it had ${withDefault(was)}.`
  })
  const migrated = newMigrations(before, now).map(({ name, isBeside }) => {
    const others = isBeside
      ? `Servers of ${before.version} go on beside it.`
      : `Servers of ${before.version} do not work after it: stop them first.`
    return `The migration \`${name}\` runs at the first start. ${others}`
  })
  const start =
    before.start === now.start ? [] : [`\`npm start\` runs \`${now.start}\`; it ran \`${before.start}\`.`]
  return [...changed, ...migrated, ...start]
}

/** The migrations that a release brings, and whether servers of the release before go on beside each. */
function newMigrations(before: Operated, now: Operated): { name: string; isBeside: boolean }[] {
  const isOld = (name: string) => Object.hasOwn(before.migrations, name)
  return Object.entries(now.migrations)
    .filter(([name]) => !isOld(name))
    .map(([name, needs]) => ({ name, isBeside: needs === '' || isOld(needs) }))
}

/** In which order migrations and servers of a release go out, in a line; none where it brings no migration. */
export function deployOrder(before: Operated, now: Operated): string[] {
  const added = newMigrations(before, now)
  if (added.length === 0) return []
  const run = `the first server of ${now.version} that starts runs ${added.map(({ name }) => name).join(', ')}`
  const order = added.every(({ isBeside }) => isBeside)
    ? `replace servers of ${before.version} one by one; ${run}.`
    : `stop all servers of ${before.version} first; ${run}.`
  return [`Deploy: ${order} \`npx spec-served migrate plan\` says beforehand what that blocks.`]
}

const released = 'spec/released/operators.json'

/** Reads the operators' parts of the last release; undefined before the first. @param root of the project */
export const operatedBefore = (root: string): Promise<Operated | undefined> =>
  readJson<Operated>(join(root, released)).catch(() => undefined)

const title = '# Changes for operators'
/** Whether an entry holds what was noted by hand for the next release: no tool sees it in settings and migrations. */
const isUnreleased = (entry: string) => entry.startsWith('## Unreleased')

/**
 * Writes down what a release changes for operators in CHANGELOG.md, and its version in package.json.
 * @param root of the project
 * @param day of the release, YYYY-MM-DD
 * @returns the files that were written; none where this was done before
 */
export async function noteForOperators(root: string, now: Operated, day: string): Promise<string[]> {
  const pathOf = (name: string) => join(root, name)
  const [changelog, manifest, lock] = [
    pathOf('CHANGELOG.md'),
    pathOf('package.json'),
    pathOf('package-lock.json'),
  ]
  const releasedText = pathOf(released)
  const before = await operatedBefore(root)
  if (before?.version === now.version) return []
  const lines = before ? changesForOperators(before, now) : ['The first release.']
  const [head = title, ...entries] = (await readFile(changelog, 'utf8').catch(() => title)).split(/^(?=## )/m)
  const notes = entries.filter(isUnreleased).map(entry => entry.replace(/^.*\n/, '').trim())
  const list = [
    ...(lines.length + notes.length > 0 ? lines : ['Nothing.']).map(line => `- ${line}`),
    ...notes,
  ].join('\n')
  const others = entries.filter(other => !other.startsWith(`## ${now.version} `) && !isUnreleased(other))
  await writeFile(
    changelog,
    `${[head, `## ${now.version} (${day})`, list, ...others].map(part => part.trim()).join('\n\n')}\n`,
  )
  const { version } = now
  const isLocked = existsSync(lock) // by npm: the lock files of others hold no version of the project
  if (isLocked) {
    const locked = await readJson<{ packages: Record<string, object> }>(lock)
    const packages = { ...locked.packages, '': { ...locked.packages[''], version } }
    await writeJson(lock, { ...locked, version, packages })
  }
  await writeJson(manifest, { ...(await readJson<object>(manifest)), version })
  await writeJson(releasedText, now) // last, so that what failed before can be run again
  return [changelog, manifest, ...(isLocked ? [lock] : []), releasedText]
}

/** @param T the known content of the file */
async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8'))
}

const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
