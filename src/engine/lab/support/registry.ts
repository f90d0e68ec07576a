import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A package as a registry has it: its description, and the file that npm has packed. */
export interface PackedPackage {
  description: { name: string; version: string }
  file: string
}

/** Returns the packages that were packed in folders, each with its package.json. */
export const packedIn = (folders: Readonly<Record<string, string>>): Promise<PackedPackage[]> =>
  Promise.all(
    Object.entries(folders).map(async ([folder, file]) => ({
      description: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
      file,
    })),
  )

/**
 * Starts a registry that has these packages, and leads to another registry for all others. Package managers install from it as
 * from any, with neither overrides nor paths of files.
 * @param upstream the URL of the other registry
 */
export async function startRegistry(packages: readonly PackedPackage[], upstream: string) {
  const byName = new Map(packages.map(item => [item.description.name, item]))
  const server = createServer(async (request, reply) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, name = '', rest] = pathname.split('/')
    const found = byName.get(decodeURIComponent(name))
    if (!found) {
      reply.writeHead(302, { location: `${upstream.replace(/\/$/, '')}${request.url}` }).end()
      return
    }
    const bytes = await readFile(found.file)
    if (rest === '-') {
      reply.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
      return
    }
    const { description } = found
    const { version } = description
    const dist = {
      tarball: `${url}/${description.name}/-/${description.name}-${version}.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      shasum: createHash('sha1').update(bytes).digest('hex'),
    }
    const times = {
      created: '2026-01-01T00:00:00.000Z',
      modified: '2026-01-01T00:00:00.000Z',
      [version]: '2026-01-01T00:00:00.000Z',
    }
    const page = {
      name: description.name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...description, dist } },
      time: times,
    }
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
