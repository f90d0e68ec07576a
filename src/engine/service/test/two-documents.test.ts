import { execFile } from 'node:child_process'
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeFrom, writeFiles } from 'spec-served-cli/internal/generate/made'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'

/** The document of a service that takes objects whose names fit a pattern, so many times a day. */
function documentOf(title: string, path: string, pattern: string, day: number) {
  const schema = {
    type: 'object',
    properties: { fails: { type: 'boolean' } },
    patternProperties: { [pattern]: { type: 'integer' } },
    unevaluatedProperties: false,
  }
  const content = { 'application/json': { schema: { type: 'object' } } }
  const responses = Object.fromEntries(
    ['200', '400', '429', '500'].map(status => [status, { description: status, content }]),
  )
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    'x-rate-limits': {
      windows: [{ name: 'day', seconds: 86_400 }],
      plans: { Free: { day } },
      anonymous: 'Free',
      ban: { refusals: 20, window: 'day', seconds: 900 },
    },
    paths: {
      [path]: {
        post: {
          operationId: 'add',
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses,
        },
      },
    },
  }
}

const directory = sharedDirectory()

/** A project with a document, and what is generated from it. */
async function project(name: string, document: object): Promise<string> {
  const root = join(directory, name)
  const spec = join(root, 'spec/openapi.yaml')
  await mkdir(join(root, 'spec'), { recursive: true })
  await writeFile(spec, JSON.stringify(document))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await dataDirectory(join(root, 'data'))
  await writeFiles((await makeFrom(spec, join(root, 'src/generated'))).files)
  return root
}

test('two services of different documents in one process answer, limit and log each by itself', async () => {
  const roots = [
    await project('shop', documentOf('Shop', '/goods', '^a', 2)),
    await project('zoo', documentOf('Zoo', '/animals', '^b', 5)),
  ]
  const program = ['src/engine/service/test/two-services/run.ts', ...roots]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program)
  const { answers, left } = JSON.parse(stderr)
  expect(answers).toEqual([
    ['/goods', 200, '1', 'shop'],
    ['/animals', 400, '4', 'invalid_request'],
    ['/goods', 400, '0', 'invalid_request'],
    ['/animals', 200, '3', 'zoo'],
    ['/goods', 429, '0', 'rate_limited'],
    ['/animals', 500, '2', 'internal_error'],
    ['/goods', 404, '1', 'not_found'],
    ['/animals', 200, '0', 'zoo'],
  ])
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.map(({ url, status, err }) => err?.message ?? [url, status])).toEqual([
    ['/goods', 200],
    ['/goods', 400],
    ['/goods', 429],
    'The zoo is closed',
  ])
  expect(left, 'listeners of the process, after both are closed').toBe(0)
})

test('no module of the service or of the document keeps anything that changes', async () => {
  const kept: string[] = []
  for await (const file of glob('src/engine/{document/!(samples|test),service/!(test)}/**/*.ts'))
    for (const line of (await readFile(file, 'utf8')).split('\n'))
      if (/^(export )?(let|var|const \w+\b.* = new (LRUCache|Map|Set)\b.*\((\{.*)?\))/.test(line))
        kept.push(`${file}: ${line}`)
  expect(kept).toEqual([])
})
