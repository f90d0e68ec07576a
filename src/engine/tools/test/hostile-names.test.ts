import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { parseDocument } from 'spec-served-document/reading/read'
import { runCommand } from 'spec-served-lab/support/command'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { listen } from 'spec-served-lab/support/http'
import { failToStart, startProcess } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

let DATA_DIR: string
beforeAll(async () => {
  DATA_DIR = await dataDirectory()
})
afterAll(() => rm(DATA_DIR, { recursive: true }))

function run(...args: string[]) {
  vi.stubEnv('DATA_DIR', DATA_DIR)
  return runCommand(args).finally(() => vi.unstubAllEnvs())
}

/** A name with ESC, CR LF, C1, bidi controls, zero width, LS and a tag: title, forged row, cleared and reversed text. */
const name =
  'Shop\u001b]0;owned\u0007\r\n99  Forged  Free\u009b2J\u202e\u2066\u200b\u200d\ufeff\u00ad\u2028\u3164\u{e0041}\u007f\ttab'
const visible =
  'Shop\\u001b]0;owned\\u0007\\u000d\\u000a99  Forged  Free\\u009b2J\\u202e\\u2066\\u200b\\u200d\\ufeff\\u00ad\\u2028\\u3164\\udb40\\udc41\\u007f\\u0009tab'
/** All that a terminal obeys or does not show. */
const unseen = /[^\P{C}\n]|[\p{Zl}\p{Zp}\u3164]/u

test('a name of a key is shown with its control characters spelt out, and is one row in each list', async () => {
  const made = await run('keys', 'create', '--name', name, '--json')
  expect(made.stdout).not.toMatch(unseen)
  const { secret, id, ...key } = JSON.parse(made.stdout)
  expect(key.name, 'programs get the name itself').toBe(name)

  const list = await run('keys', 'list')
  expect(list.stdout).not.toMatch(unseen)
  const [head = '', row = '', ...others] = list.stdout.split('\n')
  expect(row).toMatch(/^1 /)
  expect(row).toContain(visible)
  expect(row.slice(head.indexOf('plan')), 'columns stay in line').toMatch(/^Free /)
  expect(others).toEqual([])

  const shown = await run('keys', 'show', String(id))
  expect(shown.stdout).not.toMatch(unseen)
  expect(shown.stdout).toContain(visible)
  expect(shown.stdout.split('\n')).toHaveLength(Object.keys({ id, ...key }).length)

  const server = await startProcess({ DATA_DIR })
  onTestFinished(async () => void (await server.stop('SIGKILL')))
  await fetch(`${server.url}/pets/1`, { headers: { 'x-api-key': secret } })
  const deprecations = await run('deprecations')
  expect(deprecations.stdout).not.toMatch(unseen)
  expect(deprecations.stdout).toContain(`key 1 (${visible}): 1 calls`)
})

test('a failure spells out what it repeats', async () => {
  const misuse = await run(`keys\u001b[2J\u202e`)
  expect(misuse.stderr).toContain('There is no command keys\\u001b[2J\\u202e')
  expect(misuse.stderr).not.toMatch(unseen)
  const json = await run(`keys\u009b2J\u202e`, '--json')
  expect(json.stdout).not.toMatch(unseen)
  expect(JSON.parse(json.stdout).message).toContain('There is no command keys\u009b2J\u202e')
  const { code, output } = await failToStart({ LOG_LEVEL: 'loud\u009b2J\u202e' })
  expect(code).toBe(1)
  expect(output).toContain('it is "loud\\u009b2J\\u202e"')
  expect(output).not.toMatch(unseen)
})

test('a fault of a document is one line, whatever stands in the document', async () => {
  const hostilePath = 'a\u001b[2J\u202e\nspec/openapi.yaml:1:1 forged'
  const paths = { [`/${hostilePath}`]: { get: 1 } }
  const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'T', version: '1' }, paths })
  const refused = await parseDocument(text, 'doc.json').catch((error: unknown) => error)
  if (!(refused instanceof DocumentRefused)) throw new Error('The document is not refused')
  expect(refused.message).not.toMatch(unseen)
  expect(refused.message).toContain('a\\u001b[2J\\u202e\\u000aspec')
  expect(refused.message.split('\n')).toHaveLength(refused.faults.length)
})

test('npm run demo spells out what a server answers', async () => {
  const server = createServer((_, response) => {
    response.writeHead(409, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ code: 'category_name_taken', message: 'x\u001b[2J\u202e', status: 409 }))
  })
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const args = ['scripts/demo.ts', '--url', `http://127.0.0.1:${port}`, '--key', 'k']
  const failed = await promisify(execFile)('node', args).catch((error: { stderr: string }) => error)
  expect(failed.stderr).toContain('x\\u001b[2J\\u202e')
  expect(failed.stderr).not.toMatch(unseen)
})
