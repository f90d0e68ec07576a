import { expect, test } from 'vitest'
import type { Severity } from '../../scripts/breaking/change.ts'
import { type Finding, judge } from '../../scripts/breaking/judge.ts'
import { readValue } from '../../src/document/read.ts'
import { documentPairs, schemaPairs, withComponents } from '../support/judged-pairs.ts'
import { type Changes, tinyDocument } from '../support/pairs.ts'

const signs: Record<Severity, string> = { breaking: 'B', warning: 'w', info: '.' }

/** The gravest of findings that belong to a place; findings come gravest first. */
function verdictOf(findings: readonly Finding[], place = ''): string {
  const [first] = findings.filter(({ places }) => place === '' || places.some(one => one.includes(place)))
  return first ? signs[first.severity] : '.'
}

async function findingsOf(before: Changes, after: Changes): Promise<Finding[]> {
  const base = await readValue(tinyDocument(before), 'base')
  return judge(base, await readValue(tinyDocument(after, '2.0.0'), 'next'), '2026-06-15')
}

test.each(schemaPairs)('%s', async (_what, one, other, verdict) => {
  const told = async (before: object, after: object) => {
    const put = (schema: object) => ({ ...withComponents, body: schema, reply: schema })
    const findings = await findingsOf(put(before), put(after))
    return verdictOf(findings, 'request body') + verdictOf(findings, 'response')
  }
  expect(`${await told(one, other)} ${await told(other, one)}`).toBe(verdict)
})

test.each(documentPairs)('%s', async (_what, one, other, verdict) => {
  expect(verdictOf(await findingsOf(one, other)) + verdictOf(await findingsOf(other, one))).toBe(verdict)
})
