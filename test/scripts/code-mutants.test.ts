import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { equivalents } from '../../scripts/mutants/code/equivalents.ts'
import { areaOf } from '../../scripts/mutants/code/files.ts'
import { codeMutants, mutantsOfFile } from '../../scripts/mutants/code/mutants.ts'
import type { Verdict } from '../../scripts/mutants/judge.ts'
import { readKnownVerdicts } from '../../scripts/mutants/known.ts'
import { judgeAll } from '../../scripts/mutants/pool.ts'
import { summaryOf } from '../../scripts/mutants/report.ts'
import { spread } from '../../scripts/mutants/sampling.ts'

/** What a piece of code becomes, by the kind of change. */
const changesOf = (text: string) =>
  [...mutantsOfFile('src/store/some.ts', text)].map(({ kind, text }) => `${kind}: ${text.trim()}`)

describe('a piece of code becomes', () => {
  test.each([
    ['const a = b <= c', ['boundary: const a = b < c']],
    ['const a = b === c', ['comparison: const a = b !== c']],
    ['const a = b && c', ['logic: const a = b || c']],
    ['const a = b + c', ['arithmetic: const a = b - c']],
    ['const a = b ?? c', ['fallback: const a = b', 'fallback: const a = c']],
    ['const a = !b', ['negated condition: const a = b']],
    ['const a = 1_000', ['constant: const a = 1001']],
    ['const a = true', ['constant: const a = false']],
    ["const a = 'id'", ["constant: const a = 'idx'"]],
    ["const a = 'A text for people.'", []],
    ['const a = /^b$/u', ['pattern: const a = /b$/u', 'pattern: const a = /^b/u']],
    [
      'if (a) b = c',
      ['negated condition: if (!(a)) b = c', 'removed statement: ;', 'removed statement: if (a) ;'],
    ],
    ['await a', ['removed statement: ;', 'dropped await: a']],
    [
      "reply.header('Allow', a)",
      [
        'dropped header: ;',
        "swapped arguments: reply.header(a, 'Allow')",
        "constant: reply.header('Allowx', a)",
      ],
    ],
    ['log.warn({ a }, b)', ['removed statement: ;']],
    [
      'const a = { b, c: d }',
      [
        'dropped property: const a = {  c: d }',
        'swapped properties: const a = { b: d, c: b }',
        'dropped property: const a = { b,  }',
      ],
    ],
    ['const a = [b]', ['dropped element: const a = []']],
    [
      "const a = b.where('c', '<', d)",
      [
        "swapped arguments: const a = b.where('<', 'c', d)",
        "swapped arguments: const a = b.where('c', d, '<')",
        'dropped call: const a = b',
        "constant: const a = b.where('cx', '<', d)",
        "boundary: const a = b.where('c', '<=', d)",
      ],
    ],
    [
      'const a = sql`update b set c = c + 1, d = «e» where f >= «g» and h is null`',
      [
        'SQL: const a = sql`update b set c = c + 1, d = «e» where f > «g» and h is null`',
        'SQL: const a = sql`update b set c = c + 1, d = «e» where f >= «g» or h is null`',
        'SQL: const a = sql`update b set c = c - 1, d = «e» where f >= «g» and h is null`',
        'SQL: const a = sql`update b set c = c + 1, d = «e» where f >= «g» and h is not null`',
        'SQL: const a = sql`update b set c = c + 2, d = «e» where f >= «g» and h is null`',
      ],
    ],
    ["import { a } from './b.ts'\ntype C = 'd' | 1\ninterface E { f: 2 }", []],
  ])('%s', (shown, shownChanged) => {
    const [text = '', ...changed] = [shown, ...shownChanged].map(one => one.replace(/«(\w)»/g, '\u0024{$1}'))
    const found = changesOf(text)
    expect(found).toEqual(expect.arrayContaining(changed))
    if (!text.includes('sql')) expect(found).toHaveLength(changed.length)
  })
})

test('a mutant keeps its name when lines move, and two of the same text have two names', () => {
  const text = 'function f() {\n  return a < b || c < b\n}\n'
  const ids = (text: string) => [...mutantsOfFile('src/keys/x.ts', text)].map(({ id }) => id)
  expect(ids(`// moved\n\n${text}`)).toEqual(ids(text))
  expect(ids(text)).toEqual([
    'src/keys/x.ts f: logic: || → &&',
    'src/keys/x.ts f: boundary: < → <=',
    'src/keys/x.ts f: boundary: < → <= (2)',
  ])
})

test('a mutant shows its line as it was and as it is', () => {
  const [mutant] = mutantsOfFile('src/keys/x.ts', 'const a = 1\nconst b = c < d\n')
  expect(mutant).toMatchObject({ at: 'src/keys/x.ts:1', change: '- const a = 1\n+ const a = 2' })
})

describe('of the code', () => {
  let all: Awaited<ReturnType<typeof codeMutants>>
  beforeAll(async () => {
    all = await codeMutants()
  })

  test('all that answers requests has mutants, each with a name of its own', () => {
    const areas = new Set(all.mutants.map(({ file }) => areaOf(file)))
    for (const area of ['handlers', 'store', 'keys', 'database', 'migrations', 'engine', 'engine/limits'])
      expect(areas).toContain(area)
    expect(new Set(all.mutants.map(({ id }) => id)).size).toBe(all.mutants.length)
  })

  test('each mutant that was found to be equivalent still is one', () => {
    const ids = new Set(all.mutants.map(({ id }) => id))
    expect(Object.keys(equivalents).filter(id => !ids.has(id))).toEqual([])
  })

  test('what is left to other proofs names files that are there', async () => {
    for (const reason of all.elsewhere.keys())
      for (const [path] of reason.matchAll(/test\/[\w./-]+/g)) await stat(path)
  })

  test('a sample takes each file before any file twice', () => {
    const files = new Set(all.mutants.map(({ file }) => file)).size
    const first = spread(all.mutants, ({ file }) => file, 3).slice(0, files)
    expect(new Set(first.map(({ file }) => file)).size).toBe(files)
    expect(spread(all.mutants, ({ file }) => file, 3).slice(0, files)).toEqual(first)
  })
})

test('a process that ends or hangs costs its own mutant, and all others are judged', async () => {
  const waiting = ['a', 'ends', 'b', 'spins', 'c', 'd']
  const results: string[] = []
  await judgeAll<string>(
    {
      next: () => waiting.shift(),
      onResult: result => void results.push(result),
      lost: (id, how) => `${id} is lost: ${how.slice(0, 20)}`,
    },
    {
      processes: 1,
      patience: 2_000,
      most: 2,
      worker: new URL('../support/mutant-worker.ts', import.meta.url),
    },
  )
  expect(results).toEqual([
    'a',
    'ends is lost: it ended with 3: ',
    'b',
    'spins is lost: nothing happened for',
    'c',
    'd',
  ])
})

describe('verdicts', () => {
  const verdict = (id: string, outcome: Verdict['outcome']): Verdict => ({
    id: `src/store/x.ts ${id}`,
    kind: 'boundary',
    area: 'store',
    at: 'src/store/x.ts:7',
    change: '- a < b\n+ a <= b',
    outcome,
    by: 'service',
    detail: 'listPets: wrong',
    seconds: 1,
  })
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'petstore-test-mutants-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('are known to the next run though this one is killed, and its last line half written', async () => {
    const file = join(directory, 'known.jsonl')
    const first = await readKnownVerdicts(file)
    first.add(verdict('f: a', 'caught'))
    await writeFile(file, `${await readFile(file, 'utf8')}{"id":"src/st`)
    const next = await readKnownVerdicts(file)
    expect(next.get('src/store/x.ts f: a')?.outcome).toBe('caught')
    expect(next.get('src/store/x.ts f: b')).toBeUndefined()
    await writeFile(file, '{"state":"another"}\n')
    expect((await readKnownVerdicts(file)).get('src/store/x.ts f: a')).toBeUndefined()
  })

  test('are told by area, and those that survived with their place and lines', () => {
    const summary = summaryOf(
      [verdict('f: a', 'caught'), verdict('f: b', 'survived'), verdict('f: c', 'invalid')],
      [{ reason: 'equivalent, by reading', count: 3 }],
    )
    expect(summary).toContain('src/store/x.ts:7  src/store/x.ts f: b\n    - a < b\n    + a <= b')
    expect(summary).toContain('3  equivalent, by reading')
    expect(summary).toMatch(/store {2}1 of 2 \(50\.0 %\)\nScore: 1 of 2/)
  })
})
