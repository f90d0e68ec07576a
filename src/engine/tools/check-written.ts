import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { checkersFor } from '../service/callers/scheme.ts'
import { type Checker, missingCheckers } from '../service/callers/security.ts'
import { loadEnvFile } from '../service/process/config.ts'
import { runCommand, tellFaults } from './command/arguments.ts'
import { loadService, ownContract } from './command/project.ts'

const usage = `Usage: node src/engine/tools/check-written.ts

Names what is left to be written: each handler that \`npm run generate\` and \`npm run add\` have made a stub of, and what
checks credentials of security schemes.`

/** The calls of `stub` in a file that is still to be written. */
async function stubsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/\bstub\(\s*'((?:[^'\\]|\\.)+)'/g)].map(({ 1: id = '', index }) => {
    const line = text.slice(0, index).split('\n').length
    return `${file}:${line} ${id.replace(/\\(.)/g, '$1')} is not written yet`
  })
}

await runCommand({ usage }, async () => {
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
  return tellFaults(left.length > 0 ? [...left, `${left.length} still to be written`] : [])
})
