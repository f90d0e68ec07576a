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

/** Returns what to do about a part that is optional and not installed; undefined for any other failure. */
export function missingPart(failure: unknown): string | undefined {
  if (Object(failure).code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const [, name] = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(Object(failure).message) ?? []
  if (name === undefined) return undefined
  return `A package is not installed: \`npm install ${name}\` installs it.${instead[name] ?? ''}`
}
