import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runScript } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { operationsTable } from '../readme/operations-table.ts'
import { pages, withTables } from '../readme/tables.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
const settings = await readFile('scripts/production/settings.md', 'utf8')

const directory = sharedDirectory()

/** Runs the command on a copy of the settings page with one text replaced. Returns exit code, output and copy. */
async function runOn(before: string, after: string, ...args: string[]) {
  const file = join(directory, 'settings.md')
  await writeFile(file, settings.replace(before, after))
  const { code, output } = await runScript('src/engine/lab/cli.ts', ['readme', '--file', file, ...args])
  return { code, output, text: await readFile(file, 'utf8') }
}

test.each(pages)('%s is what document, code and figures say', async page => {
  const text = await readFile(page, 'utf8')
  expect(await withTables(page, text, await modelFrom(document))).toBe(text)
})

test('an operation that is deprecated, beta or new shows as such in the table of operations', async () => {
  const changed = structuredClone(document)
  Object.assign(changed.paths['/health'].get, {
    summary: 'Up | down',
    deprecated: true,
    'x-stability': 'beta',
    'x-deprecated-sunset': '2031-01-01',
    'x-successor': 'getUsage',
  })
  const responses = { 204: { description: 'done' } }
  changed.paths['/new'] = { get: { operationId: 'getNew', tags: ['Animals'], summary: 'New', responses } }
  const lines = operationsTable(await modelFrom(changed)).split('\n')
  expect(lines.find(line => line.includes('`getHealth`'))).toBe(
    '| System | GET | `/health` | `getHealth` | none | beta, deprecated; ends 2031-01-01; use `getUsage` | Up \\| down |',
  )
  const [last, next] = [
    lines.findIndex(line => line.includes('getNew')),
    lines.findIndex(line => line.includes('listCategories')),
  ]
  expect(lines[last]).toBe('|  | GET | `/new` | `getNew` | none | stable | New |')
  expect(next).toBe(last + 1)
})

test('npm run readme writes a stale table again; --check names its line and writes nothing', async () => {
  const stale = '| `PORT` | `80` |'
  const line = settings.split('\n').findIndex(text => text.startsWith('| `PORT`')) + 1
  const checked = await runOn('| `PORT` | `3000` |', stale, '--check')
  expect(checked).toMatchObject({ code: 1, text: expect.stringContaining(stale) })
  expect(checked.output).toMatch(
    new RegExp(`settings.md:${line} is not what .* say: run \`npm run readme\`\\.\\n.*\\n.*\\n$`),
  )
  expect(await runOn('| `PORT` | `3000` |', stale)).toMatchObject({ code: 0, text: settings })
})

test('npm run readme names the place of a table that is missing', async () => {
  const { code, output } = await runOn('<!-- settings -->', '')
  expect(code).toBe(1)
  expect(output).toContain('<!-- settings -->')
})
