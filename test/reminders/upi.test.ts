import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf } from '../../src/platform/money.ts'
import { askingLink } from '../../src/reminders/reminders.rules.ts'

test('a UPI code names payee, exact amount and admission number, whatever letters they have', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(one => one.isWellFormed())
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 1_000_000_000 }), (holder, note, amount) => {
      const code = askingLink({ upiId: 'school@bank', holder, amountPaise: paiseOf(amount), note })
      const { searchParams } = new URL(code)
      assert.deepEqual(Object.fromEntries(searchParams), {
        pa: 'school@bank',
        pn: holder,
        am: (amount / 100).toFixed(2),
        cu: 'INR',
        tn: note,
      })
      assert.doesNotMatch(code, /\+/)
    }),
  )
})
