import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { checkersFor } from 'spec-served/internal/callers/scheme'
import { type Checker, missingCheckers } from 'spec-served/internal/callers/security'
import { faultsOutcome, type Outcome } from 'spec-served/internal/command/command'
import { loadService, ownContract } from 'spec-served/internal/command/project'
import { loadEnvFile } from 'spec-served/internal/process/config'

/** The calls of `stub` in a file that is still to be written. */
async function stubsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/\bstub\(\s*'((?:[^'\\]|\\.)+)'/g)].map(({ 1: id = '', index }) => {
    const line = text.slice(0, index).split('\n').length
    return `${file}:${line} ${id.replace(/\\(.)/g, '$1')} is not written yet`
  })
}

export async function run(): Promise<Outcome> {
  const files = globSync('src/handlers/*').sort()
  const [{ model }, { checkers }] = await Promise.all([ownContract(), loadService()])
  const none: Checker = { find: () => ({ fault: 'is not known' }) }
  loadEnvFile()
  const engine = { ApiKey: none, tokens: process.env.TOKEN_ISSUER ? none : undefined }
  const left = [
    ...(await Promise.all(files.map(stubsIn))).flat(),
    ...missingCheckers(model, checkersFor(model, engine, checkers)).map(
      fault => `src/server.ts, checkers: ${fault}`,
    ),
  ]
  return faultsOutcome(left.length > 0 ? [...left, `${left.length} still to be written`] : [])
}
