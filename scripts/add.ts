import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { modelOf } from '../src/document/model.ts'
import { codeFor, type Edits } from './add/code.ts'
import { documentWith } from './add/document.ts'
import { planOperation } from './add/plan.ts'
import { flag, Misuse, option, runCommand } from './arguments.ts'
import { readDocument } from './document/reading/read.ts'
import { holdToRules, regenerate, show } from './document/rewrite.ts'

const run = promisify(execFile)
const spec = 'spec/openapi.yaml'

const usage = `Usage: npm run add -- METHOD PATH [OPTIONS]

Writes an operation into ${spec} with all that the rules ask for, then the types, README's table, a handler that
is still to be written (\`npm run check\` fails until it is), and a way to each status in the tests.
What is not said is taken from the operations at the nearest paths.`

const options = {
  id: option('NAME', 'operationId; without it by method and path'),
  tag: option('TAG', 'its tag'),
  summary: option('TEXT', 'what it does, in a few words'),
  description: option('TEXT', 'the same in full'),
  reply: option('SCHEMA', 'what a success shows'),
  body: option('SCHEMA', 'what is sent (POST, PUT, PATCH)'),
  list: flag('the reply is a list of --reply, in pages'),
  versioned: flag('the record has a strong ETag, which If-Match guards'),
  scope: option('SCOPE', 'read, write or admin'),
  stability: option('WORD', 'stable, beta or experimental'),
  refusal: option('STATUS=NAME', 'one more refusal, as 409=PetInUse; more by several', { multiple: true }),
}

await runCommand({ usage, options, positionals: 2 }, async (values, [method, path]) => {
  if (method === undefined || path === undefined) throw new Misuse('Give a method and a path')
  const { document, text: before } = await readDocument(spec)
  const model = modelOf(document)
  const operation = planOperation(model, { ...values, method, path })
  const siblings = model.operations.filter(one => one.operation.tags[0] === operation.tag).map(({ id }) => id)
  const after = documentWith(before, model, operation)
  await holdToRules(after)
  const edits: Edits = new Map([[spec, after], ...(await codeFor(operation, siblings))])
  const old = new Map(
    await Promise.all(
      [...edits.keys()].map(async file => [file, await readFile(file, 'utf8').catch(() => '')] as const),
    ),
  )
  for (const [file, written] of edits) await writeFile(file, written)
  const code = [...edits.keys()].filter(file => file !== spec)
  await run('node_modules/.bin/biome', ['check', '--write', ...code])
  await regenerate()
  for (const [file, was] of old) show(file, was, await readFile(file, 'utf8'))
  console.log(`src/generated and README.md: made from the document

The handler of ${operation.id} is to be written (${code[0]}): until then \`npm run dev\` answers from the document,
\`npm start\` does not start, and \`npm run check\` names what is left.`)
  return 0
})
