import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Verdict } from './judge.ts'

/** Verdicts of earlier runs: they hold as long as nothing that they rest on has changed. */
export interface KnownVerdicts {
  get(id: string): Verdict | undefined
  /** Keeps a verdict at once: a run may be stopped at any time, and goes on there. */
  add(verdict: Verdict): void
}

/** What verdicts rest on. */
const foundations = ['spec/openapi.yaml', 'src', 'scripts', 'migrations', 'package-lock.json']

/** What changes no verdict, though it stands among the foundations. */
const beside = ['scripts/mutants/code/equivalents.ts', 'scripts/mutants/README.md']

/** Reads the verdicts of earlier runs from a file, one a line; none when anything has changed since. */
export async function readKnownVerdicts(file: string): Promise<KnownVerdicts> {
  const state = JSON.stringify({ state: await hashOf(foundations) })
  const [first, ...lines] = await readFile(file, 'utf8').then(
    text => text.split('\n'),
    () => [],
  )
  if (first !== state) writeFileSync(file, `${state}\n`)
  const stored = first === state ? lines : []
  const verdicts = new Map(stored.flatMap(readLine).map(verdict => [verdict.id, verdict]))
  return {
    get: id => verdicts.get(id),
    add(verdict) {
      verdicts.set(verdict.id, verdict)
      appendFileSync(file, `${JSON.stringify(verdict)}\n`)
    },
  }
}

/** A run that was stopped may have left half of its last line. */
function readLine(line: string): Verdict[] {
  try {
    return [JSON.parse(line) as Verdict] // written above
  } catch {
    return []
  }
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)
    const files = entries
      ?.filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)) ?? [path]
    for (const file of files.sort())
      if (!beside.includes(file)) hash.update(`${file}\n`).update(await readFile(file))
  }
  return hash.digest('hex')
}
