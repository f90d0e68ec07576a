import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, glob, mkdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The folder that holds the packages. */
const engine = fileURLToPath(new URL('../../', import.meta.url))

/** The folders of the packages that npm publishes, each with what its code reads besides modules. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  document: ['formats/writing.ts'],
  docs: ['snippets.d.ts', 'page/**/*.{js,css,svg,d.ts}', 'generated/*.js'],
  service: ['client/*.ts'],
  tools: ['dev/reload.js', 'readme/*.json'],
}

/**
 * Compiles a package to JavaScript with declarations, as Node runs no TypeScript below `node_modules`. It does not check types,
 * which takes as long again: `npm run check` has.
 * @param name the folder of the package
 * @param out the folder for `dist`
 * @throws Error with what the compiler says
 */
export async function buildPackage(name: string, out = join(engine, name)): Promise<void> {
  const root = join(engine, name)
  const dist = join(out, 'dist')
  await rm(dist, { recursive: true, force: true })
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', dist]
  const compiler = spawn(process.execPath, [tsc, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(compiler, 'close')
  const output = await text(compiler.stdout)
  const [status] = await ended
  if (status !== 0) throw new Error(output)
  for await (const file of glob(packages[name] ?? [], { cwd: root })) {
    await mkdir(dirname(join(dist, file)), { recursive: true })
    await cp(join(root, file), join(dist, file))
  }
  for (const file of [
    'cli.js',
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'GUIDE.md',
    'INTERFACE.md',
    'STAGES.md',
    'LICENSE',
  ])
    if (out !== root) await cp(join(root, file), join(out, file)).catch(() => {})
  await chmod(join(out, 'cli.js'), 0o755).catch(() => {})
}

// npm runs this in the package's folder, before and after it packs.
if (import.meta.main) {
  if (process.argv.includes('--remove')) await rm('dist', { recursive: true, force: true })
  else await buildPackage(process.cwd().slice(engine.length))
}
