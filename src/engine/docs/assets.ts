import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { keepCodings } from '../replies/coding.ts'
import { digest } from '../replies/conditional.ts'
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

/** Reads the files of Swagger UI and adds those of the page's theme, by their names below `/docs/static/`. */
export async function loadAssets(theme: readonly ThemeFile[]): Promise<Map<string, Asset>> {
  const library = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')
  const directory = join(dirname(library), 'static')
  const names = (await readdir(directory)).filter(name => extname(name) in types)
  const files = names.map(async name => [name, await readFile(join(directory, name))] as const)
  const own = theme.map(({ filename, content }) => [`theme/${filename}`, Buffer.from(content)] as const)
  return new Map([...(await Promise.all(files)), ...own].map(([name, bytes]) => [name, assetOf(name, bytes)]))
}

function assetOf(name: string, bytes: Buffer): Asset {
  const hash = digest(bytes)
  const kind = extname(name)
  return {
    bytes: packed.has(kind) ? bytes : keepCodings(bytes, 'best'),
    type: types[kind] ?? 'application/octet-stream',
    etag: `"${hash}"`,
    fingerprint: hash.slice(0, 16),
  }
}
