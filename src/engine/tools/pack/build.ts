import { spawnSync } from 'node:child_process'
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package. */
const root = fileURLToPath(new URL('../../', import.meta.url))
/** Everything that is read as it is: pages, and the modules that a client is made of. */
const copied = ['{service,tools}/**/*.{js,css,svg,json}', 'tools/client/*.ts', 'service/formats/writing.ts']
/** Everything else that npm packs. */
const papers = ['README.md', 'CHANGELOG.md', 'LICENSE']

/**
 * Compiles the package to JavaScript with declarations, as Node runs no TypeScript below `node_modules`. It does not check types,
 * which takes as long again: `npm run check` has.
 * @param out the folder for `dist`, the papers and package.json
 * @throws Error with what the compiler says
 */
export async function buildPackage(out: string): Promise<void> {
  const dist = join(out, 'dist')
  await rm(dist, { recursive: true, force: true })
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = ['-p', join(root, 'tsconfig.json'), '--noCheck', '--outDir', dist]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  for await (const file of glob(copied, { cwd: root })) {
    await mkdir(dirname(join(dist, file)), { recursive: true })
    await cp(join(root, file), join(dist, file))
  }
  await chmod(join(dist, 'tools/cli.js'), 0o755)
  const description = await readFile(join(root, 'package.json'), 'utf8')
  await writeFile(join(dist, 'package.source.json'), description)
  if (out !== root) for (const paper of papers) await cp(join(root, paper), join(out, paper))
  await writeFile(join(out, 'package.json'), published(description))
}

/** The package.json of what is published: npm does not apply the entries of `publishConfig`, as pnpm and Yarn do. */
function published(text: string): string {
  const { publishConfig, scripts: _, devDependencies: __, ...rest } = JSON.parse(text)
  const { exports, bin, ...config } = publishConfig
  return `${JSON.stringify({ ...rest, exports, bin, publishConfig: config }, null, 2)}\n`
}

/** Returns package.json to what it was before `npm pack`. */
async function restore(): Promise<void> {
  await cp(join(root, 'dist/package.source.json'), join(root, 'package.json'))
  await rm(join(root, 'dist'), { recursive: true })
}

if (import.meta.main) await (process.argv.includes('--restore') ? restore() : buildPackage(root))
