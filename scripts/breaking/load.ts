import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bundle, createConfig, getLineColLocation, lint } from '@redocly/openapi-core'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { OpenApi } from '../../src/document/types.ts'
import { compareVersions, isVersion } from './version.ts'

const run = promisify(execFile)

/** A document as it is judged, with the way back to its lines. */
export interface Loaded {
  /** how the document is called in reports */
  name: string
  text: string
  /** with what it referred to in other files taken in */
  document: OpenApi
  /** The line, counted from 1, of a place or of the nearest one around it that stands in this file. */
  lineOf(at: readonly string[]): number
}

/** Reads an OpenAPI 3.0 document. Throws an Error that says why it can't be. */
export async function load(file: string, name = relative('.', file)): Promise<Loaded> {
  const text = await readFile(file, 'utf8')
  const { bundle: bundled, problems } = await bundle({ ref: resolve(file), config: await createConfig({}) })
  const [problem] = problems.filter(({ severity }) => severity === 'error')
  if (problem) throw new Error(`${name}: ${problem.message}`)
  const document = bundled.parsed as Partial<OpenApi> | null // what the file holds is seen next
  if (!/^3\.0\.\d+$/.test(String(document?.openapi)) || !document?.info)
    throw new Error(`${name} is no OpenAPI 3.0 document`)
  const malformed = await structureFault(file)
  if (malformed) throw new Error(`${name}:${malformed}`)
  return { name, text, document: document as OpenApi, lineOf: linesOf(text) } // as just seen
}

/** The first thing that stands where OpenAPI does not have it, with its line. */
async function structureFault(file: string): Promise<string | undefined> {
  const config = await createConfig({ rules: { struct: 'error' } })
  const [fault] = await lint({ ref: resolve(file), config })
  const [where] = fault?.location ?? []
  return fault && `${where ? getLineColLocation(where).start.line : 1} ${fault.message}`
}

/**
 * Reads a document as it was at a git ref (a commit, branch or tag), files that it refers to included.
 * Throws an Error when there is no such ref or file.
 */
export async function loadFromGit(ref: string, file: string): Promise<Loaded> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-base-'))
  try {
    const top = (await git(['rev-parse', '--show-toplevel'])).trim()
    const options = { cwd: top, env: { ...process.env, GIT_INDEX_FILE: join(directory, '.index') } }
    await git(['read-tree', `${ref}^{tree}`], options)
    await git(['checkout-index', '--all', `--prefix=${directory}/`], options)
    const path = relative(top, resolve(file))
    if (path.startsWith('..')) throw new Error(`${file} is not in ${top}`)
    return await load(join(directory, path), `${ref}:${path}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function git(args: string[], options: object = {}): Promise<string> {
  const { stdout } = await run('git', args, options)
  return String(stdout)
}

/** The files of the released versions, oldest first. */
export async function releasedFiles(directory: string): Promise<string[]> {
  const files = await readdir(directory).catch(() => [])
  return files
    .filter(file => file.endsWith('.yaml') && isVersion(basename(file, '.yaml')))
    .sort((a, b) => compareVersions(basename(a, '.yaml'), basename(b, '.yaml')))
    .map(file => join(directory, file))
}

function linesOf(text: string): Loaded['lineOf'] {
  const counter = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: counter })
  return at => {
    let node: unknown = contents
    let offset = 0
    for (const name of at) {
      const found = step(node, name)
      if (!found) break
      node = found.value
      offset = found.offset
    }
    return counter.linePos(offset).line
  }
}

/** What stands under a name, and where its entry begins. */
function step(node: unknown, name: string): { value: unknown; offset: number } | undefined {
  if (isSeq<Node>(node)) {
    const value = node.items[Number(name)]
    return value ? { value, offset: value.range?.[0] ?? 0 } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
  return pair && isScalar(pair.key) ? { value: pair.value, offset: pair.key.range?.[0] ?? 0 } : undefined
}
