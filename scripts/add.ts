import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { modelOf } from '../src/document/model.ts'
import { codeFor, type Edits } from './add/code.ts'
import { documentWith } from './add/document.ts'
import { planOperation } from './add/plan.ts'
import { Misuse, runCommand } from './arguments.ts'
import { readDocument } from './document/reading/read.ts'
import { holdToRules, regenerate, show } from './document/rewrite.ts'

const run = promisify(execFile)
const spec = 'spec/openapi.yaml'

const usage = `Usage: npm run add -- METHOD PATH [options]

Writes an operation into ${spec} with all that the rules ask for, then the types, README's table, a handler that
is still to be written (\`npm run check\` fails until it is), and a way to each status in the tests.
What is not said is taken from the operations at the nearest paths.
  --id           operationId (default: by method and path)
  --tag          its tag
  --summary      what it does, in a few words
  --description  the same in full
  --reply        the schema of what a success shows
  --body         the schema of what is sent (POST, PUT, PATCH)
  --list         the reply is a list of --reply, in pages
  --versioned    the record has a strong ETag, which If-Match guards
  --scope        read, write or admin
  --stability    stable, beta or experimental
  --refusal      one more refusal, as 409=PetInUse; may be given several times`

const text = { type: 'string' } as const
const options = {
  id: text,
  tag: text,
  summary: text,
  description: text,
  reply: text,
  body: text,
  scope: text,
  stability: text,
  refusal: { type: 'string', multiple: true },
  list: { type: 'boolean' },
  versioned: { type: 'boolean' },
} as const

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
