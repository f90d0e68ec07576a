import { spawnSync } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { option, runCommand } from './command/arguments.ts'
import { packageName, version } from './command/project.ts'
import { buildPackage } from './pack/build.ts'

const usage = `Usage: npm run pack -- [OPTIONS]

Compiles the engine and its commands to JavaScript with declarations, and packs them as ${packageName}-${version}.tgz, as
npm would publish it. Nothing is published.`

const options = {
  out: option('DIRECTORY', 'where the file goes', { default: '.' }),
  version: option('X.Y.Z', 'the version of the package', { default: version }),
}

await runCommand({ usage, options }, async ({ out, version }) => {
  await using built = await mkdtempDisposable(join(tmpdir(), 'package-'))
  await buildPackage(built.path, version)
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['pack', '--json', '--pack-destination', resolve(out)],
    {
      cwd: built.path,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(stdout)
  const kib = (bytes: number) => `${Math.round(bytes / 1_024)} KiB`
  console.log(
    `${join(out, filename)}: ${entryCount} files, ${kib(size)} packed, ${kib(unpackedSize)} unpacked`,
  )
  return 0
})
