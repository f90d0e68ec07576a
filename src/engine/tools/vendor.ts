import { relative } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import type { Outcome } from 'spec-served/internal/command/command'
import { vendor } from 'spec-served-document/reading/vendored'

/** Saves the files on the network that a document refers to. */
export async function run({
  spec,
  host: hosts = [],
}: {
  spec: string
  host: string[] | undefined
}): Promise<Outcome> {
  if (hosts.length === 0) throw new Misuse('--host names a host from which files may be taken')
  for (const host of hosts)
    if (!/^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host))
      throw new Misuse(`--host is a name, with its port if needed, as api.example:8443; it is ${host}`)
  const files = (await vendor(spec, hosts)).map(file => relative('.', file))
  return { json: files, lines: [...files, `${files.length} files are saved beside ${spec}.`] }
}
