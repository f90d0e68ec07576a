import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (file: string) => readFileSync(file, 'utf8')
const json = (text: string): Record<string, unknown> => JSON.parse(text)

describe('SECURITY.md', () => {
  const text = read('SECURITY.md')

  test('has each point of the OWASP API Security Top 10', () => {
    const points = [...text.matchAll(/^\| (API\d+) .*`test\/\S+\.test\.ts`/gm)].map(([, point]) => point)
    expect(points).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`))
  })

  const shown = [...text.matchAll(/`((?:test|scripts)\/[^`]+)`(?: “([^”]+)”)?/g)]
  test.each(shown.map(([, file = '', name = '']) => [file, name]))(
    'names a test that is there: %s %s',
    (file, name) => {
      expect(read(file)).toContain(name)
    },
  )
})

test('the service sends no request of its own', () => {
  const files = globSync('src/**/*.{ts,js}').filter(file => !file.startsWith('src/engine/docs/page/'))
  expect(files.length).toBeGreaterThan(100)
  const sends = /\bfetch\(|\bhttps?\.(?:get|request)\(|'(?:node:)?(?:https|http2|undici)'/
  expect(files.filter(file => sends.test(read(file)))).toEqual([])
})

test.each(['SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'scripts/production/README.md'])(
  'what %s leads to is there',
  file => {
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)#]+)\)/g))
      expect([target, existsSync(join(dirname(file), target))]).toEqual([target, true])
  },
)

test('every npm command that the papers name is there', () => {
  const { scripts } = json(read('package.json')) as { scripts: object } // ours
  const papers = ['SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.ci/run', '.github/workflows/ci.yml']
  for (const file of papers)
    for (const [, name] of read(file).matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(scripts).toHaveProperty(name ?? '')
})

test('the license is that of the document', () => {
  const { info }: { info: { license: { name: string } } } = parse(read('spec/openapi.yaml'))
  expect([read('LICENSE').split('\n', 1)[0], json(read('package.json')).license]).toEqual([
    `${info.license.name} License`,
    info.license.name,
  ])
})

test('npm run sbom lists what production takes along, and nothing else', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { maxBuffer: 10_000_000 })
  const { bomFormat, components } = json(stdout)
  const names = (components as { name: string }[]).map(({ name }) => name) // of CycloneDX
  expect([bomFormat, names.includes('fastify'), names.includes('vitest')]).toEqual(['CycloneDX', true, false])
})
