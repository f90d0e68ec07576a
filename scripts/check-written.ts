import { readdir, readFile } from 'node:fs/promises'
import { runCommand } from './arguments.ts'

const usage = `Usage: node scripts/check-written.ts

Names each handler, and each way to a status in the tests, that \`npm run generate\` and \`npm run add\` have left to be
written.`

/** Where calls of \`notWritten\` stand for what is still to be written. */
const places = ['src/handlers', 'test/operations']

await runCommand({ usage }, async () => {
  let left = 0
  for (const place of places)
    for (const name of (await readdir(place).catch(() => [])).sort()) {
      const lines = (await readFile(`${place}/${name}`, 'utf8')).split('\n')
      for (const [index, line] of lines.entries()) {
        const [, id] = /\b(?:stub|notWritten)\(\s*'((?:[^'\\]|\\.)+)'/.exec(line) ?? []
        if (id === undefined) continue
        left += 1
        console.error(`${place}/${name}:${index + 1} ${id.replace(/\\(.)/g, '$1')} is not written yet`)
      }
    }
  if (left > 0) console.error(`${left} still to be written`)
  return left > 0 ? 1 : 0
})
