import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelOf } from '../src/document/model.ts'
import { createSchemas } from '../src/engine/requests/schemas.ts'
import { flag, Misuse, runCommand } from './arguments.ts'
import { DocumentRefused } from './document/reading/fault.ts'
import { readValue } from './document/reading/read.ts'

const usage = `Usage: npm run try:schemas -- DIRECTORY [--verbose]

Holds the validation of OpenAPI 3.1 to files of the JSON Schema Test Suite, as tests/draft2020-12 has them: each schema becomes
a component of a document, and its values are judged as bodies are. Exit code 1: a verdict was wrong.`

const options = { verbose: flag('tell each wrong verdict') }

/** A schema of the suite, and values that are valid or not. */
interface Case {
  description: string
  schema: unknown
  tests: readonly { description: string; data: unknown; valid: boolean }[]
}

await runCommand({ usage, options, positionals: 1 }, async ({ verbose }, [directory]) => {
  if (directory === undefined) throw new Misuse('DIRECTORY is missing')
  const files = (await readdir(directory)).filter(name => name.endsWith('.json')).sort()
  let [right, wrong] = [0, 0]
  for (const file of files) {
    const cases: readonly Case[] = JSON.parse(await readFile(join(directory, file), 'utf8'))
    const faults: string[] = []
    let count = 0
    for (const one of cases) {
      count += one.tests.length
      faults.push(...(await wrongVerdicts(one)).map(test => `${one.description}: ${test}`))
    }
    right += count - faults.length
    wrong += faults.length
    console.log(`${file}: ${count - faults.length} of ${count}`)
    if (verbose) for (const fault of faults) console.log(`  ${fault}`)
  }
  console.log(`${right} of ${right + wrong} verdicts are right`)
  if (right === 0) throw new Misuse(`${directory} holds no tests`)
  return wrong === 0 ? 0 : 1
})

async function wrongVerdicts({ schema, tests }: Case): Promise<string[]> {
  const info = { title: 'A schema', version: '1' }
  try {
    const { document } = await readValue(
      { openapi: '3.1.0', info, components: { schemas: { Tried: schema } } },
      'schema',
    )
    const schemas = createSchemas(modelOf(document))
    const isValid = (data: unknown) =>
      schemas.check({ $ref: '#/components/schemas/Tried' }, data, 'response').length === 0
    return tests.filter(({ data, valid }) => isValid(data) !== valid).map(({ description }) => description)
  } catch (error) {
    if (!(error instanceof DocumentRefused || error instanceof Error)) throw error
    return tests.map(({ description }) => `${description} (${error.message.split('\n')[0]})`)
  }
}
