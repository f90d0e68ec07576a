import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { modelOf } from '../src/document/model.ts'
import { documentWith } from './add/document.ts'
import { options, planOperation } from './add/plan.ts'
import { ways, withWays } from './add/ways.ts'
import { Misuse, runCommand } from './arguments.ts'
import { ownDocument } from './document/made.ts'
import { readDocument } from './document/reading/read.ts'
import { holdToRules, regenerate, show } from './document/rewrite.ts'
import { directory, findHandlers } from './handlers/found.ts'

const usage = `Usage: npm run add -- METHOD PATH [OPTIONS]

Writes an operation into ${ownDocument} with all that the rules ask for, then the types, the table of operations, a handler that
is still to be written (\`npm run check\` fails until it is), and a way to each status in the tests.
What is not said is taken from the operations at the nearest paths.`

await runCommand({ usage, options, positionals: 2 }, async (values, [method, path]) => {
  if (method === undefined || path === undefined) throw new Misuse('Give a method and a path')
  const { document, text } = await readDocument(ownDocument)
  const model = modelOf(document)
  const operation = planOperation(model, { ...values, method, path })
  const written = documentWith(text, model, operation)
  await holdToRules(written)
  await writeFile(ownDocument, written)
  const made = await regenerate()
  show(ownDocument, text, written)

  const handler = (await findHandlers()).find(one => one.operation === operation.id)
  const code = [`${directory}/${handler?.file}`]
  const tests = await readFile(ways, 'utf8').catch(() => undefined)
  if (tests !== undefined) {
    await writeFile(ways, withWays(tests, operation))
    code.push(ways)
  }
  const formatter = 'node_modules/.bin/biome'
  if (existsSync(formatter)) execFileSync(formatter, ['check', '--write', ...code], { stdio: 'pipe' })
  if (tests !== undefined) show(ways, tests, await readFile(ways, 'utf8'))
  console.log(`${made}

The handler of ${operation.id} is to be written (${code[0]}): until then \`npm run dev\` answers from the document,
\`npm start\` does not start, and \`npm run check\` names what is left.`)
  return 0
})
