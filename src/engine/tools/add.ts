import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type Given, Misuse } from 'spec-served/internal/command/arguments'
import { ownDocument, projectSettings } from 'spec-served/internal/command/project'
import { modelOf } from 'spec-served-document/model'
import { documentWith } from './add/document.ts'
import { planOperation, type Wish } from './add/plan.ts'
import { documentWithResource, type Resource, resourceOf } from './add/resource.ts'
import { codeOf } from './add/resource-code.ts'
import { writeTestStub } from './add/test-stub.ts'
import { directory, findHandlers } from './generate/found.ts'
import { checkRules, regenerate, show } from './generate/rewrite.ts'
import { readWithOverlays } from './project-document.ts'

export async function run(
  values: Omit<Wish, 'method' | 'path'> & Given<'resource'>,
  [method, path]: string[],
): Promise<number> {
  const { document, text } = await readWithOverlays(ownDocument)
  const model = modelOf(document)
  if (values.resource !== undefined && projectSettings().int64 !== undefined)
    throw new Misuse(
      '--resource writes code for identifiers that are numbers, and int64 in package.json makes them bigints: write the resource by hand',
    )
  if (values.resource !== undefined) return addResource(text, resourceOf(model, values.resource, values.tag))
  if (method === undefined || path === undefined) throw new Misuse('Give a method and a path, or --resource')
  const operation = planOperation(model, { ...values, method, path })
  const written = documentWith(text, model, operation)
  await checkRules(written)
  await writeFile(ownDocument, written)
  const made = await regenerate()
  show(ownDocument, text, written)
  const handler = (await findHandlers()).find(candidate => candidate.operation === operation.id)
  const { method: verb, path: place, summary } = operation
  const test = await writeTestStub(
    { method: verb, path: place, summary },
    handler?.file ?? `${operation.id}.ts`,
  )
  format([`${directory}/${handler?.file}`, test])
  console.log(`${made}

The handler of ${operation.id} is to be written (${directory}/${handler?.file}): until then \`npm run dev\` answers from the document,
\`npm start\` does not start, and \`npm run check\` names what is left. So is its test (${test}).`)
  return 0
}

async function addResource(text: string, resource: Resource): Promise<number> {
  const written = await documentWithResource(text, ownDocument, resource)
  const code = await codeOf(resource)
  await checkRules(written)
  await writeFile(ownDocument, written)
  for (const [file, content] of code) await writeFile(file, content)
  const made = await regenerate()
  show(ownDocument, text, written)
  format([...code.keys()])
  console.log(`${made}
${[...code.keys()].join(', ')}: written

Tests and a sample are left to you. \`npm run check\` says whether all agrees.`)
  return 0
}

/** Formats code where the project has a formatter. */
function format(files: readonly string[]): void {
  const formatter = 'node_modules/.bin/biome'
  if (existsSync(formatter)) execFileSync(formatter, ['check', '--write', ...files], { stdio: 'pipe' })
}
