import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import type { Outcome } from 'spec-served/internal/command/command'
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
  if (!out) throw new Misuse('Where do the docs go? (--out)')
  if (server !== undefined && !(URL.canParse(server) && /^https?:\/\//i.test(server)))
    throw new Misuse('--server is a URL as https://api.example/v1')
  const { document, files, overlaid } = await readWithOverlays(spec, { overlays: overlay, folder: root })
  if (server !== undefined) document.servers = [{ url: server }]
  const changelog = await readFile(join(dirname(spec), 'released/CHANGELOG.md'), 'utf8').catch(() => '')
  const contract = { ...contractOf(overlaid, modelOf(document)), changelog }
  const isAsWritten = files.length <= 1 && server === undefined
  const written = await docsFiles(contract, isAsWritten ? overlaid : undefined)
  await writeOver(out, written)
  return {
    json: { out, files: [...written.keys()] },
    lines: [`wrote ${written.size} files to ${out}: any host of files may serve them, in any folder`],
  }
}
