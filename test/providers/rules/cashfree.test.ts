import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { meaningOf } from '../../../src/flex/rules/returns.rules.ts'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf, toRupees } from '../../../src/platform/money.ts'
import {
  readDebitRef,
  readOurId,
  toCashfreeId,
  toDebitRef,
} from '../../../src/providers/cashfree/connection.ts'
import {
  outcomeOfCharge,
  outcomeOfOrder,
  outcomeOfPayment,
  returnCodeOf,
} from '../../../src/providers/cashfree/reports.ts'
import { readCharge, readOrder, readPayment } from '../../../src/providers/cashfree/shapes.ts'

const anInstitute = fc.integer({ min: 1, max: 999_999_999 })
const aRail = fc.constantFrom('enach' as const, 'upi_autopay' as const)
const AT = new Date('2026-06-10T06:30:00Z')

test('every amount of paise goes to Cashfree as rupees and comes back the same, as a number and as a text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 1e12 }), paise => {
      const rupees = toRupees(paiseOf(paise))
      const order = { order_id: '1-pay_x', order_status: 'ACTIVE', payment_session_id: 's' }
      const onTheWire = JSON.parse(JSON.stringify({ ...order, order_amount: rupees })) as unknown
      assert.equal(readOrder(onTheWire).amountPaise, paise)
      assert.equal(readOrder({ ...order, order_amount: rupees.toFixed(2) }).amountPaise, paise)
    }),
  )
})

test('an amount that is not whole paise is never rounded', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 9 }), (paise, part) => {
      const order = {
        order_id: '1-pay_x',
        order_status: 'ACTIVE',
        order_amount: `${paise / 100}`.split('.')[0],
      }
      assert.throws(() => readOrder({ ...order, order_amount: `${order.order_amount}.00${part}` }))
    }),
  )
})

test('our ids come back from Cashfree as they went, and nobody else’s passes for one', () => {
  fc.assert(
    fc.property(
      anInstitute,
      fc.constantFrom('pay' as const, 'rfd' as const, 'mdt' as const),
      (institute, kind) => {
        const id = newId(kind)
        const text = toCashfreeId(institute, id)
        assert.ok(text.length <= 40, 'longer than Cashfree allows')
        assert.deepEqual(readOurId(text, kind), { instituteId: institute, id })
        assert.equal(readOurId(text, kind === 'pay' ? 'rfd' : 'pay'), null)
      },
    ),
  )
  fc.assert(fc.property(fc.string(), text => readOurId(text, 'pay') === null))
})

test('the reference of a debit is read as it was written', () => {
  fc.assert(
    fc.property(anInstitute, aRail, (institute, rail) => {
      const debit = {
        rail,
        subscriptionId: toCashfreeId(institute, newId('mdt')),
        paymentId: toCashfreeId(institute, newId('pay')),
      }
      assert.deepEqual(readDebitRef(toDebitRef(debit)), debit)
      assert.equal(readDebitRef(debit.paymentId), null)
    }),
  )
})

const KNOWN = /^(SUCCESS|FAILED|CANCELLED|VOID|USER_DROPPED|NOT_ATTEMPTED|ACTIVE|EXPIRED|TERMINATED)$/

test('a state that is not known keeps a payment, an order and a debit open', () => {
  const aState = fc.string({ minLength: 1 }).filter(state => !KNOWN.test(state))
  fc.assert(
    fc.property(aState, aRail, (state, rail) => {
      const payment = { cf_payment_id: '1', payment_amount: 1, order_amount: 1, payment_status: state }
      assert.deepEqual(outcomeOfPayment(readPayment(payment), AT), { kind: 'pending' })
      assert.deepEqual(outcomeOfOrder(state), { kind: 'pending' })
      const charge = { subscription_id: 's', payment_id: 'p', payment_amount: 1, payment_status: state }
      const day = rail === 'enach' ? {} : { payment_schedule_date: '2026-06-11T12:00:00+05:30' }
      assert.deepEqual(outcomeOfCharge(readCharge({ ...charge, ...day }), AT), { kind: 'pending' })
    }),
  )
})

test('a reason in words gets a code of that meaning, on either rail, and any other stops for a person', () => {
  for (const [sentence, category] of [
    ['DEBIT FAILED | Insufficient Funds In Customer (Remitter) Account', 'funds'],
    ['Insufficient balance', 'funds'],
    ['Account is closed', 'account'],
    ['Mandate has been revoked by the customer', 'mandate'],
    ['UMRN not found', 'mandate'],
    ['Amount exceeds the limit', 'limit'],
    ['Remitter bank is unavailable', 'bank'],
  ] as const) {
    for (const rail of ['enach', 'upi_autopay'] as const)
      assert.equal(meaningOf(returnCodeOf(sentence, rail)).category, category, sentence)
  }
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), aRail, (sentence, rail) => {
      const { action } = meaningOf(returnCodeOf(sentence, rail))
      assert.ok(action === 'stop')
    }),
  )
})
