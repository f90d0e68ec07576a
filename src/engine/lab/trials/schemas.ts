import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Given, Misuse } from 'spec-served/internal/command/arguments'
import { modelOf } from 'spec-served-document/model'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { readValue } from 'spec-served-document/reading/read'
import { createSchemas } from 'spec-served-document/values/schemas'

/** A schema of the suite, and values that are valid or not. */
interface Case {
  description: string
  schema: unknown
  tests: readonly { description: string; data: unknown; valid: boolean }[]
}

const [origin, schemaUri] = ['http://localhost:1234/', 'http://localhost:1234/the-schema-itself']

export async function run(
  { verbose, ...options }: Given<'remotes' | 'dialect'> & { verbose: boolean },
  [directory]: string[],
): Promise<number> {
  if (directory === undefined) throw new Misuse('DIRECTORY is missing')
  const files = (await readdir(directory)).filter(name => name.endsWith('.json')).sort()
  const totals = { all: 0, wrong: 0 }
  for (const file of files) {
    const cases: readonly Case[] = JSON.parse(await readFile(join(directory, file), 'utf8'))
    const faults: string[] = []
    let count = 0
    for (const { description, schema, tests } of cases) {
      const isValid = await judgeOf(schema, options)
      count += tests.length
      for (const test of tests) {
        const verdict = isValid(test.data)
        if (verdict !== test.valid)
          faults.push(
            `${description}: ${test.description}${typeof verdict === 'string' ? ` (${verdict})` : ''}`,
          )
      }
    }
    totals.all += count
    totals.wrong += faults.length
    console.log(`${file}: ${count - faults.length} of ${count}`)
    if (verbose) for (const fault of faults) console.log(`  ${fault}`)
  }
  const { all, wrong } = totals
  if (all === 0) throw new Misuse(`${directory} holds no tests`)
  console.log(`${all - wrong} of ${all} verdicts are right, ${wrong} are wrong`)
  return wrong === 0 ? 0 : 1
}

/** Tells whether a value is valid by a schema, or why that can't be told. */
async function judgeOf(
  schema: unknown,
  { remotes }: { remotes?: string | undefined },
): Promise<(data: unknown) => boolean | string> {
  const library = (uri: string): unknown => {
    if (uri === schemaUri) return schema
    const file = remotes !== undefined && uri.startsWith(origin) && join(remotes, uri.slice(origin.length))
    return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  }
  const info = { title: 'A schema', version: '1' }
  const value = {
    openapi: '3.1.0',
    info,
    components: { schemas: { Tried: { $ref: schemaUri } } },
  }
  try {
    const schemas = createSchemas(modelOf((await readValue(value, 'document', library)).document))
    return data => {
      try {
        return schemas.check({ $ref: '#/components/schemas/Tried' }, data, 'response').length === 0
      } catch (error) {
        return firstLine(error)
      }
    }
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    return () => firstLine(error)
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}
