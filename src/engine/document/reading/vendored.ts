import { createHash, randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../pointer.ts'
import { splitReference } from './resources.ts'
import { parseSource, readSource } from './source.ts'

/** The folder beside a document that holds what it refers to on the network. */
const folder = 'vendor'

/** Returns the file in which a copy of a URL is kept, below the folder of a document; undefined for another URI. */
export function vendoredFile(beside: string, uri: string): string | undefined {
  const { protocol, host, pathname, search } = URL.parse(uri) ?? { protocol: '' }
  if (host === undefined || !/^https?:$/.test(protocol)) return undefined
  const plain = (text: string) => text.replace(/[^\w.-]/g, '_').replace(/^\.+$/, '_')
  const steps = `${pathname}`.split('/').slice(1).map(plain)
  const name = steps.pop() || 'index.yaml'
  const query = search ? `${createHash('sha256').update(search).digest('hex').slice(0, 8)}-` : ''
  return join(beside, folder, plain(host), ...steps, `${query}${name}`)
}

/** The bounds of what is taken from the network: files, bytes of each, ms of each, redirects of each. */
const most = { files: 200, bytes: 8 * 2 ** 20, ms: 15_000, redirects: 5 }

/**
 * Saves what a document refers to on the network, and what that refers to, beside the document.
 * @param hosts with their ports, from which files are taken
 * @returns the files that were written @throws Error for a host that is not among them, and for what can't be taken
 */
export async function vendor(document: string, hosts: readonly string[]): Promise<string[]> {
  const beside = dirname(resolve(document))
  const written = new Map<string, string>()
  const waiting = [...remoteIn(readSource(document).value)]
  for (let uri = waiting.shift(); uri !== undefined; uri = waiting.shift()) {
    const file = vendoredFile(beside, uri)
    if (file === undefined || written.has(uri)) continue
    if (written.size >= most.files)
      throw new Error(`The document needs more than ${most.files} files of the network.`)
    const text = await take(uri, hosts)
    const { value } = parseSource(text, file)
    await save(file, text, beside)
    written.set(uri, file)
    waiting.push(...remoteIn(value, uri))
  }
  return [...written.values()]
}

/** Writes a file below a folder. No symbolic link below that leads it elsewhere. @throws Error for such a link */
async function save(file: string, text: string, target: string): Promise<void> {
  for (let directory = dirname(file); directory !== target; directory = dirname(directory))
    if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${directory} is a symbolic link: remove it, and nothing is written elsewhere.`)
  await mkdir(dirname(file), { recursive: true })
  // A new file takes the place of what has the name, also of a link.
  const made = `${file}.${randomUUID()}`
  await writeFile(made, text, { flag: 'wx' })
  await rename(made, file).catch(async cause => {
    await rm(made, { force: true })
    throw new Error(`${file} can't be written.`, { cause })
  })
}

/** The URLs that references lead to, without their fragments. @param base that of the file itself */
function* remoteIn(node: unknown, base?: string): Generator<string> {
  if (isObject(node) && typeof node.$ref === 'string') {
    const [, name = ''] = splitReference(node.$ref)
    const url = name === '' ? null : URL.parse(name, base)
    if (url && /^https?:$/.test(url.protocol)) yield url.href.replace(/#.*$/, '')
  }
  if (Array.isArray(node) || isObject(node))
    for (const child of Object.values(node)) yield* remoteIn(child, base)
}

async function take(uri: string, hosts: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(most.ms)
  let url = new URL(uri)
  for (let hops = 0; hops <= most.redirects; hops++) {
    if (!hosts.includes(url.host))
      throw new Error(`${uri} is at the host ${url.host}, which is not allowed: add --host ${url.host}.`)
    const reply = await fetch(url, { signal, redirect: 'manual' }).catch((cause: unknown) => {
      const isLate = signal.aborted ? `: no answer within ${most.ms / 1_000} s` : ''
      throw new Error(`${uri} can't be fetched${isLate}.`, { cause })
    })
    const next = reply.headers.get('location')
    if (reply.status >= 300 && reply.status < 400 && next !== null) {
      await reply.body?.cancel()
      const target = URL.parse(next, url.href)
      if (!target) throw new Error(`${uri} can't be fetched: ${url.host} redirects to no URL.`)
      url = target
      continue
    }
    if (!reply.ok) throw new Error(`${uri} can't be fetched: ${url.host} answers ${reply.status}.`)
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of reply.body ?? []) {
      length += chunk.length
      if (length > most.bytes) throw new Error(`${uri} has more than ${most.bytes / 2 ** 20} MiB.`)
      chunks.push(chunk)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  }
  throw new Error(`${uri} redirects more than ${most.redirects} times.`)
}
