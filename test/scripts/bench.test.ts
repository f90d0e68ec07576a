import { describe, expect, test } from 'vitest'
import { differences } from '../../scripts/bench/answers.ts'
import { peerDocument } from '../../scripts/bench/document.ts'
import { figures } from '../../scripts/bench/readme.ts'
import { type Comparison, report } from '../../scripts/bench/report.ts'
import { createRenderer } from '../../scripts/bench/requests.ts'
import { lengthOf } from '../../scripts/bench/responses.ts'
import { median, medianRatio, spread } from '../../scripts/bench/statistics.ts'
import { barChart } from '../../scripts/bench/svg.ts'
import { markdownTable } from '../../scripts/bench/table.ts'

describe('figures', () => {
  test('are medians of what was measured in the same round', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(median([])).toBeNaN()
    // The second round was slow for both.
    expect(medianRatio([20, 2, 20], [10, 1, 10])).toBe(2)
    expect(spread([20, 3, 10], [10, 1, 10])).toEqual([1, 3])
  })

  test('stand in a table that is aligned, with a dash where nothing was measured', () => {
    expect(
      markdownTable(
        ['', 'ratio'],
        [
          ['plain', 1],
          ['a|b', undefined],
          ['c', Number.NaN],
        ],
      ),
    ).toBe(
      [
        '|       | ratio |',
        '| ----- | ----: |',
        '| plain |  1.00 |',
        '| a\\|b  |     – |',
        '| c     |     – |',
      ].join('\n'),
    )
  })
})

describe('pictures', () => {
  test('have a bar for each figure, as long as it is great', () => {
    const bars = [
      { name: 'a <b>', value: 1 },
      { name: 'ours', value: 2, highlighted: true },
    ]
    const svg = barChart({ title: 'Some & more', note: '', groups: [{ name: 'read', bars }] })
    const [one = 0, two = 0] = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(match =>
      Number(match[1]),
    )
    expect(two).toBeCloseTo(2 * one, 0)
    expect(svg).toContain('Some &amp; more')
    expect(svg).toContain('a &lt;b&gt;')
  })
})

describe('requests', () => {
  test('are written as they stand on the wire, each with a number of its own', () => {
    const draws = [0, 0.5, 0.999]
    const render = createRenderer(
      { method: 'POST', path: '/pets/{id}', body: '{"id":{id}}', ids: [1, 10] },
      () => draws.shift() ?? 0,
    )
    expect([render(), render(), render()].map(text => [text.split(' ')[1], text.slice(-8)])).toEqual([
      ['/pets/1', '{"id":1}'],
      ['/pets/6', '{"id":6}'],
      ['/pets/10', '"id":10}'],
    ])
    expect(render()).toContain('Content-Length: 8\r\n\r\n')
  })
})

test.each([
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', true],
  ['HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}', false],
  ['HTTP/1.1 200 OK\r\ncontent-le', false],
  ['HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n', false],
])('a response is whole when all of it has come: %j', (text, isWhole) => {
  expect(lengthOf(Buffer.from(text))).toBe(isWhole ? text.length : undefined)
})

test('an answer that is not the same is told', () => {
  const answer = { request: 'GET /pets/1', status: 200, body: { id: 1 }, location: null, isCut: false }
  expect(differences([answer], [{ ...answer }])).toEqual([])
  expect(differences([answer], [{ ...answer, body: { id: 2 } }])).toHaveLength(1)
  expect(differences([answer], [])).toHaveLength(1)
})

test('what the peers serve is the document, without what is ours alone', async () => {
  const { paths, components } = await peerDocument()
  const operations = Object.values(paths).flatMap(item => Object.values(item))
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
    'createPet',
    'getPet',
    'listPets',
    'placeOrder',
  ])
  const text = JSON.stringify({ paths, components })
  expect(text).not.toMatch(/"x-|ETag|RateLimit|Idempotency/)
  const named = Object.keys(components.schemas).map(name => `"#/components/schemas/${name}"`)
  const referred = new Set(text.match(/"#\/components\/[^"]+"/g))
  expect([...referred].filter(name => !named.includes(name))).toEqual([])
})

test('the report holds each server against the first one', () => {
  const sample = { throughput: 100, p50: 1, p99: 2, serverCpu: 1, databaseCpu: 1, memory: 80, statuses: {} }
  const comparison: Comparison = {
    machine: '2 cores',
    date: '2026-01-01',
    settings: { rounds: 1, seconds: 1, connections: 64, orders: 'transaction', animals: 1, answers: 1 },
    operations: [{ name: 'read', title: 'read by id' }],
    contenders: [
      { name: 'plain', atRest: 60, samples: { read: [sample] } },
      { name: 'petstore', atRest: 90, samples: { read: [{ ...sample, throughput: 150, serverCpu: 0.5 }] } },
    ],
  }
  expect(report(comparison).markdown).toContain('1.50 (1.50–1.50)')
  const [, , , ours] = figures(comparison).split('\n')
  expect(ours).toMatch(/this service.*1\.50.*0\.50/)
})
