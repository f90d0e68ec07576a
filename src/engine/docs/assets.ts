import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { keepCodings } from '../replies/coding.ts'
import { digest } from '../replies/conditional.ts'
import { readPrepared } from './prepared.ts'
import type { ThemeFile } from './theme.ts'

/** A file of the docs page, held in memory. */
export interface Asset {
  bytes: Buffer
  type: string
  etag: string
  /** names its content: where it is part of the address, that never changes its meaning */
  fingerprint: string
}

const types: Record<string, string> = {
  '.js': 'application/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** What a picture in a format that is packed already would gain by a coding is nothing. */
const packed = new Set(['.png'])

/** Those of the page, by their names below `/docs/static/`: smaller ones where they were prepared. */
export async function loadAssets(theme: readonly ThemeFile[]): Promise<Map<string, Asset>> {
  const originals = await readOriginals(theme)
  const assets = [...originals].map(async ([name, bytes]) => [name, await assetOf(name, bytes)] as const)
  return new Map(await Promise.all(assets))
}

/** The files of Swagger UI and those of the page's theme, as they were written. */
export async function readOriginals(theme: readonly ThemeFile[]): Promise<Map<string, Buffer>> {
  const library = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')
  const directory = join(dirname(library), 'static')
  const names = (await readdir(directory)).filter(name => extname(name) in types)
  const files = names.map(async name => [name, await readFile(join(directory, name))] as const)
  const own = theme.map(({ filename, content }) => [`theme/${filename}`, Buffer.from(content)] as const)
  return new Map([...(await Promise.all(files)), ...own])
}

/** A file as it is sent, by its name and what was written. */
export async function assetOf(
  name: string,
  original: Buffer,
  type = types[extname(name)] ?? 'application/octet-stream',
): Promise<Asset> {
  const { bytes, br } = (await readPrepared(original)) ?? { bytes: original, br: undefined }
  const hash = digest(bytes)
  return {
    bytes: packed.has(extname(name)) ? bytes : keepCodings(bytes, 'best', br && { br }),
    type,
    etag: `"${hash}"`,
    fingerprint: hash.slice(0, 16),
  }
}
