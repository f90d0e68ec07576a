import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDocument } from '../../tools/reading/read.ts'
import { mutantsOf } from '../mutants/changes.ts'
import { type Judge, openJudge } from '../mutants/verdict.ts'

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
  const [mutant] = mutantsOf(original.document).filter(mutant => mutant.id === id)
  expect(mutant && (await judge.judge(mutant))).toMatchObject({
    outcome,
    detail: expect.stringMatching(detail),
  })
})
