/** Whether an optional package is installed. */
export function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

/** Returns what to do about a part that is optional and not installed; undefined for any other failure. */
export function missingPart(failure: unknown): string | undefined {
  if (Object(failure).code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const [, name] = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(Object(failure).message) ?? []
  return name === undefined ? undefined : `This needs a package that is not installed: npm install ${name}`
}
