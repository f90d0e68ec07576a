import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import type { RateLimits } from 'spec-served-document/contract/extensions'
import type { Service } from '../index.ts'
import { loading } from '../runtime/loading.ts'

/** The package that the engine and these commands are. */
export const packageName = 'spec-served'

const manifest = new URL(import.meta.resolve(`${packageName}/package.json`))

/** The version of the engine and these commands. */
export const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))

/** The document that the service serves, and where the code that is made from it goes. */
export const ownDocument = 'spec/openapi.yaml'
export const ownDirectory = 'src/generated'

/** A file of the project, which is in the present directory. */
const placeOf = (file: string) => pathToFileURL(join(process.cwd(), file))

/** The service's entry in a project. */
const ownServer = 'src/server.ts'

/** @throws Error where there is no project in the present directory */
export function checkProject(file = ownServer): void {
  if (existsSync(file)) return
  throw new Error(
    `This folder has no ${file}, as the folder of a project has: run the command there, or make a project with \`${operate} init FILE\`.`,
  )
}

/** Returns the URL of a module of the project. @throws Error where there is no project */
function moduleOf(file: string): string {
  checkProject(file)
  return placeOf(file).href
}

/**
 * The service of the project: what its `src/server.ts` exports by default.
 * @throws Error with file and line for code that can't be loaded
 */
export async function loadService(): Promise<Service> {
  const module = moduleOf(ownServer)
  return loading(async () => (await import(module)).default)
}

/** The project's document, and what was generated from it. */
export async function ownContract(): Promise<Contract> {
  const { readContract } = await import('../process/contract.ts') // needed by few
  return readContract(placeOf('./'))
}

/** Returns the generated facts of the operations, whether or not the document has changed since. */
export async function generatedFacts(): Promise<{
  operations: Record<string, OperationFacts>
  rateLimits: RateLimits | null
}> {
  return import(moduleOf('src/generated/operations.ts'))
}

/** How people call the commands. */
export const operate = `npx ${packageName}`

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
  /** the type of whole numbers of 64 bits in handlers; without it a number, which has 53 bits */
  int64?: 'bigint'
}

export function projectSettings(): Settings {
  const text = existsSync('package.json') ? readFileSync('package.json', 'utf8') : '{}'
  const { [packageName]: settings = {} } = JSON.parse(text)
  if (settings.int64 !== undefined && settings.int64 !== 'bigint')
    throw new Error(`package.json, ${packageName}: int64 must be "bigint", or be left out`)
  return { rules: 'limits', checks: {}, types: 'tsconfig.json', overlays: [], ...settings }
}
