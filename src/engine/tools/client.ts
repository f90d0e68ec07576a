import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import { modelOf } from 'spec-served-document/model'
import { clientPackage } from './client/package.ts'
import type { ValueTypes } from './generate/value-types.ts'
import { readWithOverlays } from './project-document.ts'

export async function run({
  out,
  spec,
  overlay,
  root,
  name,
  dates,
  int64,
}: {
  out: string | undefined
  spec: string
  overlay: string[] | undefined
  root: string | undefined
  name: string | undefined
  dates: boolean
  int64: string | undefined
}): Promise<number> {
  if (!out) throw new Misuse('Name a folder for the package: --out DIRECTORY')
  if (name !== undefined && !/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name))
    throw new Misuse(
      `--name is the name of an npm package, as city-library or @city/library; it is ${JSON.stringify(name)}`,
    )
  const { document } = await readWithOverlays(spec, { overlays: overlay, folder: root })
  const files = await clientPackage(modelOf(document), name, {
    dates,
    int64: int64 as ValueTypes['int64'], // one of its choices
  })
  await mkdir(out, { recursive: true })
  for (const [file, text] of files) await writeFile(join(out, file), text)
  console.log(`wrote ${[...files.keys()].join(', ')} to ${out}`)
  return 0
}
