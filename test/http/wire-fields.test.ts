import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Field, field, input, notEmpty, nullable, optional, query } from '../../src/http/wire/input.ts'
import { outputOf } from '../../src/http/wire/output.ts'
import { paiseOf } from '../../src/platform/money.ts'

const line = input({ component_type: field.code('What for.', 'BUS'), amount: field.amount('Rupees.', 5) })

const fee = input({
  due_date: field.day('When.', '2026-11-15').as('dueOn'),
  details: field.list('Lines.', line, { min: 1, max: 2 }).as('lines'),
  paid_by: optional(field.text('Who.', 'Asha')),
  is_late: optional(field.flag('Late.'), false),
})

const sent = { due_date: '2026-11-15', details: [{ component_type: 'BUS', amount: '5.50' }] }

test('an input reads the names and units of services, and says of what was not sent that it was not', () => {
  assert.deepEqual(fee.read({ ...sent, unknown: 1, paid_by: '' }), {
    dueOn: '2026-11-15',
    lines: [{ componentType: 'BUS', amountPaise: 550 }],
    paidBy: null,
    isLate: false,
  })
  const filter = query({ paid_by: optional(field.text('Who.', 'Asha')), limit: field.pageSize() })
  assert.deepEqual(filter.read({}), { limit: 50 })
})

test('problems are told by the names of the wire', () => {
  const problems = [
    { key: 'due_date', message: 'is required' },
    { key: 'details.0.amount', message: 'is required' },
  ]
  assert.throws(() => fee.read({ details: [{ component_type: 'BUS' }] }), { problems })
})

test('limits are said as people count', () => {
  const [one] = sent.details
  assert.throws(() => fee.read({ ...sent, details: [] }), /at least 1 item\b(?!s)/)
  assert.throws(() => fee.read({ ...sent, details: [one, one, one] }), /at most 2 items/)
})

test('what is chosen twice counts once', () => {
  const asked = input({ ways: field.choices('How.', field.oneOf(['email', 'sms'], 'A way.'), { min: 1 }) })
  assert.deepEqual(asked.read({ ways: ['sms', 'sms'] }), { ways: ['sms'] })
  assert.throws(() => asked.read({ ways: [] }), /at least 1 item/)
  assert.throws(() => asked.read({ ways: ['sms', 'email', 'sms'] }), /at most 2 items/)
  assert.throws(() => asked.read({ ways: ['fax', 'fax'] }), /ways\.1|must be one of/)
})

test('a field cannot promise what the reader does not check', () => {
  for (const word of ['pattern', 'uniqueItems', 'multipleOf', 'const'])
    assert.throws(
      () => new Field({ type: 'string', [word]: '^[A-Z]+$' }, { example: 'A', name: '' }),
      new RegExp(`does not honour ${word}`),
    )
})

test('a change leaves alone what is absent, empties what is nullable and refuses to empty the rest', () => {
  const change = input({
    paid_by: nullable(field.text('Who.', 'Asha')),
    full_name: notEmpty(field.text('Name.', 'Asha')),
  })
  assert.deepEqual(change.read({}), {})
  assert.deepEqual(change.read({ paid_by: null, full_name: 'B' }), { paidBy: null, fullName: 'B' })
  assert.throws(() => change.read({ full_name: '' }), /full_name/)
})

test('an example has every field, and is read as it stands', () => {
  assert.deepEqual(fee.example, {
    due_date: '2026-11-15',
    details: [{ component_type: 'BUS', amount: 5 }],
    paid_by: 'Asha',
    is_late: true,
  })
  assert.deepEqual(fee.read(fee.example).lines, [{ componentType: 'BUS', amountPaise: 500 }])
})

type Fee = { amountPaise: ReturnType<typeof paiseOf>; paidAt: Date | null; who: string; isLate: boolean }
const inner = outputOf<{ name: string }, Date>()
const out = outputOf<Fee, Date>()
const output = out.object({
  amount: out.amount('Rupees.', 5),
  paid_at: out.optional.moment('When.', '2026-11-15T00:00:00.000Z'),
  payer: out.one('Who.', inner.object({ name: inner.text('Name.', 'Asha') }), ({ who }) => ({ name: who })),
  asked_at: out.moment('Now.', '2026-11-16T00:00:00.000Z', (_, now) => now),
})
const unpaid: Fee = { amountPaise: paiseOf(550), paidAt: null, who: 'Ravi', isLate: false }

test('an output reads its source by name, unit or function; what is null leaves no key', () => {
  const now = new Date('2026-11-17T00:00:00Z')
  assert.deepEqual(output.toJson(unpaid, now), {
    amount: 5.5,
    payer: { name: 'Ravi' },
    asked_at: '2026-11-17T00:00:00.000Z',
  })
  assert.equal(output.toJson({ ...unpaid, paidAt: now }, now).paid_at, '2026-11-17T00:00:00.000Z')
})

test('the compiler refuses a field that its source does not have, or not of that type', () => {
  // @ts-expect-error the source has no `missing`
  out.object({ missing: out.text('Not there.', 'x') })
  // @ts-expect-error `paidAt` may be null, and the field is not optional
  out.object({ paid_at: out.moment('When.', '2026-11-15T00:00:00.000Z') })
  // @ts-expect-error the field reads another source
  out.object({ name: inner.text('Name.', 'Asha', ({ name }) => name) })
})
