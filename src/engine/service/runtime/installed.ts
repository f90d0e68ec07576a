import { readFileSync } from 'node:fs'

/** Whether an optional package is installed. */
export function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

/** How to do without a package that is optional. */
const instead: Readonly<Record<string, string>> = {
  '@electric-sql/pglite': ' It has the embedded database. Without it, set DATABASE_URL.',
}

/** The commands by which package managers install a package, by the beginning of their user agents. */
const installers: Readonly<Record<string, string>> = { yarn: 'yarn add', pnpm: 'pnpm add', bun: 'bun add' }

/** Returns the command that installs a package, by the package manager that runs this. */
export function installing(name: string): string {
  const [agent = ''] = process.env.npm_config_user_agent?.split('/') ?? []
  return `${installers[agent] ?? 'npm install'} ${name}`
}

/** Returns the packages that traces need, all of them. */
function packagesForTraces(): string[] {
  const manifest = new URL(import.meta.resolve('spec-served/package.json'))
  const { peerDependencies }: { peerDependencies: object } = JSON.parse(readFileSync(manifest, 'utf8'))
  return Object.keys(peerDependencies).filter(name => /^@(opentelemetry\/|fastify\/otel$)/.test(name))
}

/** Returns what to do about a part that is optional and not installed; undefined for any other failure. */
export function missingPart(failure: unknown): string | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(failure)
  if (!/^(ERR_)?MODULE_NOT_FOUND$|^UNDECLARED_DEPENDENCY$/.test(String(code))) return undefined
  const named = /^Cannot find package '((?:@[^/']+\/)?[^/']+)|^Required package: ((?:@[^/ ]+\/)?[^/ ]+)/m
  const [, imported, required] = named.exec(String(message)) ?? []
  const name = imported ?? required
  if (name === undefined) return undefined
  const traces = packagesForTraces()
  const names = traces.includes(name) ? traces.join(' ') : name
  return `A package is not installed: \`${installing(names)}\` installs it.${instead[name] ?? ''}`
}
