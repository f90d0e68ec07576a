import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Service } from '../../index.ts'
import type { Contract, OperationFacts } from '../../service/contract/contract.ts'
import type { RateLimits } from '../../service/contract/extensions.ts'

/** The package that the engine and these commands are. */
export const packageName = 'spec-served'

/** The package that these modules are in. */
interface OwnPackage {
  version: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  peerDependencies: Record<string, string>
}

const place = fileURLToPath(import.meta.resolve(`${packageName}/package.json`))
const own: OwnPackage = JSON.parse(readFileSync(place, 'utf8'))

/** The version of the engine and these commands. */
export const { version } = own

/** The version of a dependency, as package.json has it. @throws Error where there is none */
export function versionOf(dependency: string): string {
  const found = { ...own.peerDependencies, ...own.optionalDependencies, ...own.dependencies }[dependency]
  if (found === undefined) throw new Error(`package.json has no version of ${dependency}`)
  return found
}

/**
 * Says what brings a package that a command needs and an install left out; undefined for any other failure. Production
 * leaves out the parts that only commands need.
 */
export function remedyFor(failure: unknown): string | undefined {
  if (Object(failure).code !== 'ERR_MODULE_NOT_FOUND') return undefined
  const [, name = ''] = /^Cannot find package '([^']+)'/.exec(Object(failure).message) ?? []
  if (!Object.hasOwn(own.optionalDependencies, name)) return undefined
  return `This command needs ${name}, which the install left out by --omit=optional or --no-optional: install again without that, as by \`npm install --include=optional\`.`
}

/** The document that the service serves, and where the code that is made from it goes. */
export const ownDocument = 'spec/openapi.yaml'
export const ownDirectory = 'src/generated'

/** A file of the project, which is in the present directory. */
const placeOf = (file: string) => pathToFileURL(join(process.cwd(), file))

/** The service of the project: what its `src/server.ts` exports by default. */
export async function loadService(): Promise<Service> {
  const { default: service } = await import(placeOf('src/server.ts').href)
  return service
}

/** The project's document, and what was generated from it. */
export async function ownContract(): Promise<Contract> {
  const { readContract } = await import('../../service/process/contract.ts') // needed by few
  return readContract(placeOf('./'))
}

/** Returns the generated facts of the operations, whether or not the document has changed since. */
export function generatedFacts(): Promise<{
  operations: Record<string, OperationFacts>
  rateLimits: RateLimits | null
}> {
  return import(placeOf('src/generated/operations.ts').href)
}

/** How people call the commands. */
export const operate = `npx ${packageName}`

/** Whether the commands work on the repository that they are in. */
export const isOwnRepository = existsSync('src/engine/index.ts')

/** A module beside another one: TypeScript in the repository, JavaScript in the package. @param name without its ending */
export const moduleBeside = (name: string, { url }: Pick<ImportMeta, 'url'>): string =>
  fileURLToPath(new URL(`${name}${extname(url)}`, url))

/** The settings of these commands in a project's package.json, as `spec-served`. */
interface Settings {
  /** the demand on its document: `full` asks for all that this project's own rules ask for */
  rules: 'full' | 'limits'
  /** commands that `check` runs, too, by what they hold */
  checks: Record<string, string>
  /** the first migration that ran while callers were served; without it the first of the project's */
  firstServed?: string
  /** the configuration of the compiler by which `dev` checks types */
  types: string
  /** overlays of its document, which are applied before anything else reads it */
  overlays: readonly string[]
}

export function projectSettings(): Settings {
  const text = existsSync('package.json') ? readFileSync('package.json', 'utf8') : '{}'
  const { [packageName]: own = {} } = JSON.parse(text)
  return { rules: 'limits', checks: {}, types: 'tsconfig.json', overlays: [], ...own }
}
