import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { readDocument } from 'spec-served-document/reading/read'
import { mutantsOf } from 'spec-served-lab/mutants/changes'
import { type Judge, openJudge } from 'spec-served-lab/mutants/verdict'
import { library } from 'spec-served-lab/support/library'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { checkDocument } from '../../lint/lint.ts'

const original = await readDocument('spec/openapi.yaml')
let judge: Judge
beforeAll(async () => {
  judge = await openJudge(original)
})
afterAll(() => judge.close())

const at = '/paths/~1usage/get'

test.each([
  // [what changes, what becomes of it, what tells]
  [`stability changed ${at}/x-stability`, 'derived', /x-stability is experimental instead of beta/],
  [`parameter added ${at}/parameters`, 'caught', /the query parameter added makes no difference/],
  ['required property made optional /components/schemas/Usage/required plan', 'caught', /became-optional/],
])('%s: %s', async (id, outcome, detail) => {
  const [mutant] = mutantsOf(original.document).filter(candidate => candidate.id === id)
  expect(mutant && (await judge.judge(mutant))).toMatchObject({
    outcome,
    detail: expect.stringMatching(detail),
  })
})

test('mutants of this project differ from it and from each other', () => {
  const before = JSON.stringify(original.document)
  const mutants = mutantsOf(original.document)
  for (const { id, apply } of mutants) expect(JSON.stringify(apply()), id).not.toBe(before)
  expect(JSON.stringify(original.document)).toBe(before)
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})

test('routes can be bound from every mutant', async () => {
  const directory = temporaryDirectory()
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'mutant.json')
  for (const mutant of mutantsOf(library())) {
    writeFileSync(file, JSON.stringify(mutant.apply()))
    expect(await checkDocument(file, 'bind'), mutant.id).toEqual([])
  }
})
