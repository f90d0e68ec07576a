import { readFileSync } from 'node:fs'
import { type Field, grammar, type Kind } from 'spec-served-document/reading/grammar'
import { readValue } from 'spec-served-document/reading/read'
import { type Changes, tinyDocument } from 'spec-served-lab/support/pairs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { judge } from '../changes/judge.ts'
import { waived } from '../changes/waived.ts'

type Values = readonly [before: unknown, after: unknown]

const known: {
  places: Record<Kind, unknown>
  besides: Partial<Record<Kind, object>>
  values: Record<string, Values>
  objects: Partial<Record<Kind, Values>>
  changes: Partial<Record<Kind, Record<string, [besides: object, ...Values]>>>
} = parse(readFileSync(new URL('judged-fields.yaml', import.meta.url), 'utf8'))

/** Names that are of the author's choice, and what they are. */
const ofAnyName: Partial<Record<string, string>> = {
  callback: '{$request.body#/url}',
  securityRequirement: 'Key',
}

/** Every field of any version, by its kind. For names that authors choose, a name that means something there. */
const fields = Object.entries(grammar).flatMap(([kind, rules]) => {
  const named = Object.entries(rules.fields)
  const others: [string, Field][] = rules.others ? [[ofAnyName[kind] ?? kind, rules.others]] : []
  return [...named, ...others].map(([name, field]) => ({ kind: kind as Kind, name, field })) // the grammar's own keys
})

/** Two values of a field, of which a client would notice the difference. */
function valuesOf(kind: Kind, name: string, field: Field): [besides: object, ...Values] {
  const chosen = known.changes[kind]?.[name]
  if (chosen) return chosen
  if ('is' in field) {
    const [before, after] = known.values[field.is] ?? []
    return [{}, before, after]
  }
  const wrap = (one: unknown) => (field.in === 'list' ? [one] : field.in === 'map' ? { a: one } : one)
  const [before, after] = known.objects[field.of] ?? []
  return [{}, wrap(before), wrap(after)]
}

/** Returns the judge's findings on a change of one field of an object, without the version that it asks for. */
async function saidOf(kind: Kind, name: string, field: Field): Promise<string[]> {
  const [besides, ...values] = valuesOf(kind, name, field)
  const [base, next] = await Promise.all(
    values.map(value => {
      const it = { ...known.besides[kind], ...besides, [name]: value }
      const changes = JSON.parse(JSON.stringify(known.places[kind]), (_key, one) => (one === 'it' ? it : one))
      return readValue(tinyDocument({ openapi: '3.2.0', ...(changes as Changes) }), 'a document') // of the table
    }),
  )
  if (!base || !next) throw new Error('two values are needed')
  return judge(base, next, '2026-06-15').flatMap(({ rule }) => (rule === 'version-bump' ? [] : [rule]))
}

const isWaived = ({ kind, name }: { kind: Kind; name: string }) =>
  Object.hasOwn((waived as Partial<Record<Kind, object>>)[kind] ?? {}, name) // of the kinds that have some

test.each(fields.filter(field => !isWaived(field)))(
  'a change of $name is judged ($kind)',
  async ({ kind, name, field }) => {
    expect(await saidOf(kind, name, field)).not.toEqual([])
  },
)

test.each(fields.filter(isWaived))(
  'a change of $name is no finding ($kind)',
  async ({ kind, name, field }) => {
    expect(await saidOf(kind, name, field)).toEqual([])
  },
)

test('every waived field is one of the language', () => {
  const names = new Set(fields.map(({ kind, name }) => `${kind} ${name}`))
  const all = Object.entries(waived).flatMap(([kind, reasons]) =>
    Object.keys(reasons).map(name => `${kind} ${name}`),
  )
  expect(all.filter(name => !names.has(name))).toEqual([])
})
