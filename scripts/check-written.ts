import { readdir, readFile } from 'node:fs/promises'
import { checkersFor } from '../src/checkers.ts'
import { readContract } from '../src/contract.ts'
import { type Checker, missingCheckers } from '../src/engine/access/security.ts'
import { runCommand } from './arguments.ts'

const usage = `Usage: node scripts/check-written.ts

Names what is left to be written: each handler, and each way to a status in the tests, that \`npm run generate\` and
\`npm run add\` have made a stub of, and what checks credentials of security schemes.`

/** Where calls of \`notWritten\` stand for what is still to be written. */
const places = ['src/handlers', 'test/operations']

/** The security schemes that nobody checks, each with the operations that ask for it. */
async function uncheckedSchemes(): Promise<string[]> {
  const { model } = await readContract()
  const keys: Checker = { find: () => ({ fault: 'is not known' }) }
  return missingCheckers(model, checkersFor(model, keys))
}

await runCommand({ usage }, async () => {
  let left = 0
  for (const place of places)
    for (const name of (await readdir(place).catch(() => [])).sort()) {
      const text = await readFile(`${place}/${name}`, 'utf8')
      for (const { 1: id = '', index } of text.matchAll(/\b(?:stub|notWritten)\(\s*'((?:[^'\\]|\\.)+)'/g)) {
        left += 1
        const line = text.slice(0, index).split('\n').length
        console.error(`${place}/${name}:${line} ${id.replace(/\\(.)/g, '$1')} is not written yet`)
      }
    }
  for (const fault of await uncheckedSchemes()) {
    left += 1
    console.error(`src/checkers.ts: ${fault}`)
  }
  if (left > 0) console.error(`${left} still to be written`)
  return left > 0 ? 1 : 0
})
