import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (file: string) => readFileSync(file, 'utf8')
const json = (text: string): Record<string, unknown> => JSON.parse(text)

describe('SECURITY.md', () => {
  const text = read('SECURITY.md')

  test('SECURITY.md has each point of the OWASP API Security Top 10', () => {
    const points = [...text.matchAll(/^\| (API\d+) .*`(?:src|test)\/\S+\.ts`/gm)].map(([, point]) => point)
    expect(points).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`))
  })

  const shown = [...text.matchAll(/`((?:src\/engine\/)?(?:test|scripts)\/[^`]+)`(?: “([^”]+)”)?/g)]
  test.each(shown.map(([, file = '', name = '']) => [file, name]))(
    'names a test that is there: %s %s',
    (file, name) => {
      expect(read(file)).toContain(name)
    },
  )
})

const papers = globSync('{*,{src,scripts,spec,migrations,test}/**/*}.md', { exclude: ['test/.output/**'] })

/** These tell of files that a reader is to write, or that others have. */
const tellsOfOthers = /^spec\/recipes|^src\/engine\/(?:service\/GUIDE|tools\/(?:client|lint)\/|lab\/trials)/

test.each(papers)('the files that %s links to and names exist', file => {
  const text = read(file)
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )
  const named = [...text.matchAll(/(?<![\w./-])(?:src|test|scripts|spec|migrations)\/[\w./-]*\w/g)].map(
    ([path]) => path,
  )
  // Files that a run of the tests or the bench makes may be missing.
  const due = [...links, ...(tellsOfOthers.test(file) ? [] : named)].filter(
    path => !/\.output|\.peers/.test(path),
  )
  const missing = due.filter(path => !existsSync(path))
  expect(missing).toEqual([])
})

/** The files by folder. The README of the docs page has a line for each part of the page, not for each file. */
const filesOf = Map.groupBy(
  globSync('{src,scripts,spec,migrations,test}/**/*.*', { exclude: ['**/.*'] }),
  dirname,
)
/** Folders that grow with the document: a file a tag, a table or a step, as their names say. */
const namedByRule = new Set(['src/handlers', 'src/store', 'migrations'])
const large = [...filesOf]
  .map(
    ([folder, files]) =>
      [folder, files.map(file => basename(file)).filter(name => name !== 'README.md')] as const,
  )
  .filter(([folder, names]) => names.length > 8 && !namedByRule.has(folder))

test.each(large)('the README of %s says what each file is for', (folder, names) => {
  const page = globSync(`${folder}/*.md`).map(read).join('\n')
  expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})

test('README links to much, and names more', () => {
  const text = read('README.md')
  expect(text.match(/\]\([\w./]+\)/g)?.length).toBeGreaterThan(10)
  expect(text.match(/\b(?:src|test|scripts|spec|migrations)\/\w/g)?.length).toBeGreaterThan(10)
})

test('every npm command that the papers name exists', () => {
  const { scripts } = json(read('package.json')) as { scripts: object } // ours
  for (const file of [...papers, '.ci/run', '.github/workflows/ci.yml'])
    for (const [, name] of read(file).matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      expect(scripts).toHaveProperty(name ?? '')
})

test.each([
  ['npm run lab --', 'src/engine/lab/cli.ts'],
  ['npx spec-served', 'src/engine/service/cli.js'],
])('every command behind `%s` that the papers name exists', async (line, program) => {
  const { stdout } = await promisify(execFile)('node', [program, '--help'])
  const commands = [...stdout.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name]) => name)
  for (const file of papers)
    for (const [, name] of read(file).matchAll(new RegExp(`${line} ([a-z][\\w:-]+)`, 'g')))
      expect(commands, file).toContain(name)
})

test('package.json has no more commands than a reader learns at once', () => {
  const { scripts } = json(read('package.json')) as { scripts: object } // ours
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20)
})

test('every npm command is one program, and those that go on take the place of the shell', () => {
  const { scripts } = json(read('package.json')) as { scripts: Record<string, string> } // ours
  const { postinstall: _, ...commands } = scripts // runs where the shell may know no `exec`
  expect(
    Object.values(commands).filter(line => !/^(exec )?(node|spec-served|vitest) [^&|;$]*$/.test(line)),
  ).toEqual([])
  expect(Object.keys(commands).filter(name => commands[name]?.startsWith('exec '))).toEqual([
    'start',
    'dev',
    'mock',
  ])
})

test('the license is that of the document', () => {
  const { info }: { info: { license: { name: string } } } = parse(read('spec/openapi.yaml'))
  expect([read('LICENSE').split('\n', 1)[0], json(read('package.json')).license]).toEqual([
    `${info.license.name} License`,
    info.license.name,
  ])
})

test('npm lists what production takes along: the service, and no tool', async () => {
  const line = ['ls', '--omit=dev', '--omit=optional', '--all', '--parseable']
  const { stdout } = await promisify(execFile)('npm', line, { maxBuffer: 10_000_000 })
  const names = new Set(stdout.split('\n').map(path => path.split('node_modules/').at(-1)))
  const asked = ['fastify', 'kysely', 'spec-served', 'spec-served-cli', 'typescript', 'vitest', 'jose']
  expect(asked.filter(name => names.has(name))).toEqual(['fastify', 'kysely', 'spec-served'])
})

describe('the words of comments, messages and papers', () => {
  const all = globSync('{*,{src,scripts,spec,migrations,test}/**/*}.{ts,js,md,yaml}', {
    exclude: ['test/.output/**', 'src/engine/lab/bench/.peers/**', 'src/generated/**', 'spec/released/**'],
  }).filter(file => file !== 'test/project/papers.test.ts')
  const linesWith = (pattern: RegExp) =>
    all.flatMap(file =>
      read(file)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}${line}`] : [])),
    )

  test('are those of the field', () => {
    expect(linesWith(/\b(anew|strangers?|deeds|no HTTP|laws?|hitherto|very credential)\b/i)).toEqual([])
  })

  test('name who does something, first', () => {
    expect(linesWith(/(\/\*\*|\/\/|^ *\*) (What|Who|Of|Where|That) /)).toEqual([])
  })
})

describe('the linter holds the pet store to the name of the engine', () => {
  const byName = "export { etagOf } from 'spec-served'"
  const byPath = ['service/index.ts', 'service/replies/etag.ts'].map(
    file => `export { etagOf } from '../../src/engine/${file}'`,
  )
  const typesByPath = ["export type { Service } from 'spec-served/internal/process/definition'"]

  test.each(['test/operations', 'src/handlers', 'scripts/start', 'src/store'])(
    'a file of %s imports it by its name alone',
    async folder => {
      await using project = await mkdtempDisposable(join(tmpdir(), 'petstore-linter-'))
      await mkdir(join(project.path, folder), { recursive: true })
      await copyFile('biome.json', join(project.path, 'biome.json'))
      await writeFile(join(project.path, folder, 'new.ts'), [byName, ...byPath, ...typesByPath].join('\n'))
      const args = ['lint', '--only=style/noRestrictedImports', '--vcs-enabled=false', '--reporter=github']
      const { stdout } = spawnSync(resolve('node_modules/.bin/biome'), args, {
        cwd: project.path,
        encoding: 'utf8',
      })
      const lines = [...stdout.matchAll(/line=(\d+)/g)].map(([, line]) => Number(line))
      expect(lines, stdout).toEqual([2, 3, 4])
    },
  )

  test('dependency-cruiser refuses an import by path', async () => {
    const file = 'test/.output/by-path.ts'
    await mkdir('test/.output', { recursive: true })
    await writeFile(file, [byName, ...byPath].join('\n'))
    const { stdout } = spawnSync(
      'node_modules/.bin/depcruise',
      ['--config', '.dependency-cruiser.json', '--do-not-follow', 'src/engine', file],
      {
        encoding: 'utf8',
      },
    )
    await rm(file)
    const refused = [...stdout.matchAll(/engine-by-name: \S+ → src\/engine\/(\S+)/g)].map(([, to]) => to)
    expect(refused.toSorted()).toEqual(['service/index.ts', 'service/replies/etag.ts'])
  })
})
