import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatRupees, paiseOf } from '../../../src/platform/money.ts'
import { readTypedRupees } from '../../../src/platform/typed/amount.rules.ts'
import { decideAmount } from '../../../src/portal/parents/choose-page.ts'

const paise = fc.integer({ min: 1, max: 1_000_000_000 }).map(paiseOf)

test('an amount is read as people write it, and never as another amount', () => {
  fc.assert(
    fc.property(paise, amount => {
      const plain = (amount / 100).toFixed(2)
      const shown = formatRupees(amount)
      for (const text of [plain, shown, ` ${plain} `, `Rs. ${plain}`, shown.replace('₹', '₹ '), `${plain}/-`])
        assert.equal(readTypedRupees(text), amount, text)
    }),
  )
})

test('digits may be of India’s scripts', () => {
  for (const text of ['₹१,५००.५०', '₹೧,೫೦೦.೫೦', '₹௧,௫௦௦.௫௦'])
    assert.equal(readTypedRupees(text), 150050, text)
})

test('what is not an amount is none', () => {
  for (const text of ['', 'abc', '1,5', '1.005', '-5', '1e3', '0x10', '1 500', '5,', ',5', '1,50', '12,34,5'])
    assert.equal(readTypedRupees(text), null, text)
})

test('only amounts that the rules of the institute allow are paid', () => {
  fc.assert(
    fc.property(paise, paise, paise, fc.boolean(), (total, wrote, least, isAllowed) => {
      const due = { totalPaise: total, partPayment: { isAllowed, leastPaise: least } }
      const wanted = decideAmount((wrote / 100).toFixed(2), due)
      if (wanted.kind === 'problem') {
        assert.notEqual(wrote, total, 'all of it can always be paid')
        return
      }
      assert.equal(wanted.amountPaise, wrote)
      assert.ok(wrote === total || (isAllowed && wrote < total && wrote >= least))
    }),
  )
})
