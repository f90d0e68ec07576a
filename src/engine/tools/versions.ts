import { readFileSync } from 'node:fs'
import { packageName } from 'spec-served/internal/command/project'

/** The package of these commands. */
export const toolsName = 'spec-served-cli'

type Manifest = Partial<Record<'dependencies' | 'peerDependencies', Record<string, string>>>

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(new URL(import.meta.resolve(`${name}/package.json`)), 'utf8'))

/** Returns the version of a dependency of the service or of its tools. @throws Error where there is none */
export function versionOf(dependency: string): string {
  const manifests = [packageName, toolsName].map(manifestOf)
  const versions = Object.assign(
    {},
    ...manifests.flatMap(({ peerDependencies, dependencies }) => [peerDependencies, dependencies]),
  )
  const version = versions[dependency]
  if (typeof version !== 'string') throw new Error(`No package.json has a version of ${dependency}`)
  return version
}
