import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Verdict } from './judge.ts'

/** Verdicts of earlier runs: they hold as long as nothing that they rest on has changed. */
export interface KnownVerdicts {
  get(id: string): Verdict | undefined
  add(verdict: Verdict): void
  save(): Promise<void>
}

/** What verdicts rest on. */
const foundations = ['spec/openapi.yaml', 'src', 'scripts', 'migrations', 'package-lock.json']

/** Reads the verdicts of earlier runs from a file; none when anything has changed since. */
export async function readKnownVerdicts(file: string): Promise<KnownVerdicts> {
  const state = await hashOf(foundations)
  const stored = await readFile(file, 'utf8').then(
    text => JSON.parse(text) as { state: string; verdicts: Verdict[] }, // written below
    () => undefined,
  )
  const verdicts = new Map(
    stored?.state === state ? stored.verdicts.map(verdict => [verdict.id, verdict]) : [],
  )
  return {
    get: id => verdicts.get(id),
    add: verdict => void verdicts.set(verdict.id, verdict),
    save: () => writeFile(file, JSON.stringify({ state, verdicts: [...verdicts.values()] })),
  }
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)
    const files = entries
      ?.filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)) ?? [path]
    for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(file))
  }
  return hash.digest('hex')
}
