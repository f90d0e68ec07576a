import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Misuse } from 'spec-served/internal/command/arguments'
import type { Outcome } from 'spec-served/internal/command/command'
import { releasesIn } from 'spec-served/internal/docs/releases'
import { modelOf } from 'spec-served-document/model'
import { contractOf } from './generate/contract.ts'
import { readWithOverlays } from './project-document.ts'
import { docsFiles } from './static-docs/files.ts'
import { writeOver } from './static-docs/write.ts'

/** Writes the docs of a document as files that any host serves. */
export async function run({
  out,
  spec,
  overlay,
  root,
  server,
}: Record<'out' | 'root' | 'server', string | undefined> & {
  spec: string
  overlay: string[] | undefined
}): Promise<Outcome> {
  if (!out) throw new Misuse('Name a folder for the docs: --out DIRECTORY')
  if (server !== undefined && !(URL.canParse(server) && /^https?:\/\//i.test(server)))
    throw new Misuse('--server is a URL as https://api.example/v1')
  const { document, files, overlaid } = await readWithOverlays(spec, { overlays: overlay, folder: root })
  if (server !== undefined) document.servers = [{ url: server }]
  const changelog = await readFile(join(dirname(spec), 'released/CHANGELOG.md'), 'utf8').catch(() => '')
  const releases = await releasesIn(pathToFileURL(join(dirname(spec), 'released/')))
  const contract = { ...contractOf(overlaid, modelOf(document)), changelog, releases }
  const isAsWritten = files.length <= 1 && server === undefined
  const written = await docsFiles(contract, isAsWritten ? overlaid : undefined)
  await writeOver(out, written)
  return {
    json: { out, files: [...written.keys()] },
    lines: [`wrote ${written.size} files to ${out}: any host of files may serve them, in any folder`],
  }
}
