import { modelOf } from 'spec-served-document/model'
import { ownModel } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { createVersions } from '../../check/invariants/versions.ts'
import { effectRules } from '../../lint/effect-rules.ts'
import {
  anything,
  conditionsHold,
  type Effect,
  type Scope,
  stateAfter,
  stateFaults,
} from '../../records/effects.ts'
import type { WireReply } from '../../records/messages.ts'

const scope: Scope = {
  body: { quantity: 3, note: null },
  path: { petId: 7 },
  before: { quantity: 2, complete: false },
}
const effect = (more: Partial<Effect>): Effect => ({ of: { petId: 'path.petId' }, becomes: {}, ...more })

describe('an effect', () => {
  test.each<[Effect['when'], boolean]>([
    [undefined, true],
    [{ stock: 5 }, true],
    [{ stock: 4 }, false],
    [{ stock: 'body.quantity' }, false],
    [{ 'body.quantity': { above: 2 } }, true],
    [{ 'body.quantity': { above: 'body.quantity' } }, false],
    [{ stock: 5, 'before.complete': true }, false],
    [{ missing: null }, true],
    [{ stock: { atLeast: 5 } }, true],
    [{ stock: { atLeast: 6 } }, false],
  ])('with the condition %o applies: %s', (when, due) => {
    expect(conditionsHold(when ?? {}, { stock: 5 }, scope)).toBe(due)
  })

  test('an effect says what a record becomes, and leaves the rest', () => {
    const becomes = {
      stock: { minus: 'body.quantity' },
      sold: { plus: 'before.quantity' },
      status: 'gone',
      tag: 'any',
    } as const
    expect(
      stateAfter(effect({ becomes }), { stock: 5, sold: 1, status: 'here', name: 'Rex' }, scope),
    ).toEqual({
      stock: 2,
      sold: 3,
      status: 'gone',
      tag: anything,
      name: 'Rex',
    })
    // A property that the request leaves out changes nothing.
    expect(stateAfter(effect({ becomes: { status: 'body.status' } }), { status: 'here' }, scope)).toEqual({
      status: 'here',
    })
  })
})

test('a wrong record is reported with each of its properties', () => {
  const before = { stock: 5, at: '2026-01-01T00:00:00Z', name: 'Rex' }
  const due = { stock: 2, at: '2026-01-01T01:00:00+01:00', name: 'Rex', tag: anything }
  expect([...stateFaults('it', before, due, { ...before, tag: 1 })]).toEqual([
    'it had stock 5 and has 5, where the document has it become 2',
  ])
  expect([...stateFaults('it', before, before, { ...before, name: 'Max' })]).toEqual([
    'it had name "Rex" and has "Max", where the document has it stay',
  ])
})

describe('ETags', () => {
  const reply = (etag: string, text: string, status = 200): WireReply => ({
    status,
    headers: { etag },
    length: text.length,
    text,
    body: {},
  })
  test.each<[string, [string, string, number?][], boolean, RegExp | undefined]>([
    [
      'one content',
      [
        ['"1"', 'a'],
        ['"1"', 'a'],
      ],
      false,
      undefined,
    ],
    [
      'another content in another version',
      [
        ['"1"', 'a'],
        ['"2"', 'b'],
      ],
      true,
      undefined,
    ],
    [
      'another content under the same tag',
      [
        ['"1"', 'a'],
        ['"1"', 'b'],
      ],
      true,
      /for two contents, a and then b/,
    ],
    [
      'another tag for what nobody has changed',
      [
        ['"1"', 'a'],
        ['"2"', 'a'],
      ],
      false,
      /two ETags for one content/,
    ],
    [
      'a change without a write',
      [
        ['"1"', 'a'],
        ['"2"', 'b'],
      ],
      false,
      /changes without a write/,
    ],
    [
      '304 for another version',
      [
        ['"2"', 'b'],
        ['"1"', '', 304],
      ],
      false,
      /304 for "1", and what is there has the ETag "2"/,
    ],
  ])('%s', (_, replies, isWritten, told) => {
    const versions = createVersions()
    const faults = replies.flatMap(([tag, text, status], index) => {
      if (index > 0 && isWritten) versions.write()
      return [...versions.note('/a', reply(tag, text, status))]
    })
    if (told) expect(faults.join()).toMatch(told)
    else expect(faults).toEqual([])
  })
})

test.each<[string, object, RegExp]>([
  [
    'of no record',
    { of: { nothing: 1 }, becomes: { status: 'x' } },
    /one path parameter by which records are read/,
  ],
  [
    'with a part that there is not',
    { of: { petId: 'body.petId' }, becomes: {}, where: {} },
    /An effect has no where/,
  ],
  ['with an unknown operand', { of: { petId: 'body.pet' }, becomes: {} }, /There is no body\.pet/],
  [
    'on a property that nobody shows',
    { of: { petId: 'body.petId' }, becomes: { weight: 1 } },
    /No operation shows weight/,
  ],
  [
    'unless an unknown list',
    { of: { petId: 'body.petId' }, unless: { list: 'none' }, becomes: {} },
    /names an operation as its list/,
  ],
  [
    'with a list that is to be empty and has no such parameter',
    { of: { petId: 'body.petId' }, without: { list: 'listOrders', with: { colour: 1 } } },
    /listOrders has no parameter colour/,
  ],
  [
    'that refuses with a code of no response',
    { of: { petId: 'body.petId' }, needs: {}, otherwise: 'pet_in_use' },
    /No response of the operation names the code pet_in_use/,
  ],
  [
    'of what its reply does not show',
    { of: { petId: 'reply.petIds' }, needs: {} },
    /There is no reply\.petIds/,
  ],
])('the lint refuses an effect %s', async (_, spoilt, told) => {
  const { document } = await ownModel()
  const changed = structuredClone(document)
  const operation = changed.paths['/store/orders']?.post ?? {}
  Object.assign(operation, { 'x-effects': [spoilt] })
  const violations = [...(effectRules.effects?.(modelOf(changed)) ?? [])]
  expect(JSON.stringify(violations)).toMatch(told)
})

test.each([
  ['cancelOrder', /when cancelOrder is refused with order_complete/],
  ['deleteCategory', /when deleteCategory is refused with category_in_use/],
  ['placeOrder', /when placeOrder is refused with pet_not_available, insufficient_stock\./],
])('the lint asks for the effect that tells when %s is refused', async (id, told) => {
  const { document } = await ownModel()
  const changed = structuredClone(document)
  expect([...(effectRules['told-refusals']?.(modelOf(changed)) ?? [])]).toEqual([])
  const located = modelOf(changed).operation(id)
  if (located) Reflect.deleteProperty(located.operation, 'x-effects')
  expect(JSON.stringify([...(effectRules['told-refusals']?.(modelOf(changed)) ?? [])])).toMatch(told)
})
