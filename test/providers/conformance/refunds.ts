import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { RefundRequest } from '../../../src/providers/port.ts'
import { expectUnknown, itemsOf, outcomeOf, readAll, startPaid, type Rig } from './rig.ts'

export function conformRefunds(rig: Rig): void {
  const refundOf = async (paise: number): Promise<RefundRequest> => {
    const payment = await startPaid(rig)
    const { instituteId } = rig
    return { instituteId, refundId: newId('rfd'), payment, amountPaise: paiseOf(paise) }
  }

  test('a refund that is asked for again, also at once, is made once', async () => {
    const refund = await refundOf(2_500_00)
    const first = await rig.provider.refund(refund)
    await Promise.allSettled([1, 2, 3].map(() => rig.provider.refund(refund)))
    const { refundId, providerRef } = await rig.provider.refund(refund)
    assert.deepEqual([refundId, providerRef], [refund.refundId, first.providerRef])
    assert.equal(await rig.times('refund', refund.refundId), 1)
  })

  for (const fault of rig.faults) {
    test(`a refund whose answer is ${fault} is unknown, and made once when it is repeated`, async () => {
      const refund = await refundOf(2_500_00)
      rig.spoil?.('refund', fault)
      await expectUnknown(rig.provider.refund(refund))
      await rig.provider.refund(refund)
      assert.equal(await rig.times('refund', refund.refundId), 1)
    })
  }

  test('a refund that went through is answered with the bank’s reference, and the payment stays captured', async () => {
    const refund = await refundOf(2_500_00)
    await rig.provider.refund(refund)
    rig.callbacks()
    await rig.bank.processRefund(refund.refundId)
    const { outcome } = await rig.provider.refund(refund)
    assert.ok(outcome.kind === 'processed')
    assert.ok(outcome.utr.length > 0)
    for (const report of await readAll(rig))
      if (report.about === 'refund') assert.equal(report.refundId, refund.refundId)
    assert.equal((await outcomeOf(rig, refund.payment.paymentId)).kind, 'captured')
  })

  test('parts of a payment are refunded one by one, and all of it leaves the payment captured', async () => {
    const first = await refundOf(2_500_00)
    const second = { ...first, refundId: newId('rfd'), amountPaise: paiseOf(10_000_00) }
    for (const refund of [first, second]) {
      await rig.provider.refund(refund)
      await rig.bank.processRefund(refund.refundId)
      assert.equal(await rig.times('refund', refund.refundId), 1)
    }
    assert.equal((await outcomeOf(rig, first.payment.paymentId)).kind, 'captured')
  })

  test('a refund that somebody makes in the dashboard is told with its payment, and stands under it in the pay-out', async () => {
    if (rig.bank.refundInDashboard === undefined) return
    const { paymentId, instituteId } = await startPaid(rig)
    rig.callbacks()
    await rig.bank.refundInDashboard(paymentId, 2_500_00)
    const told = (await readAll(rig)).filter(one => one.about === 'unasked_refund')
    assert.deepEqual(
      told.map(one => [one.instituteId, one.paymentId, one.amountPaise]),
      [[instituteId, paymentId, 2_500_00]],
    )
    const items = await itemsOf(rig, await rig.bank.settle())
    const out = items.filter(one => one.unasked?.paymentId === paymentId)
    assert.deepEqual(
      out.map(one => [one.kind, one.amountPaise, one.unasked?.providerRef]),
      [['refund', 2_500_00, told[0]?.providerRef]],
    )
  })

  test('a day of pay-outs names every payment and refund once, by our ids, the same whenever it is read', async () => {
    const payments = []
    for (let n = 0; n < 12; n++)
      payments.push(await startPaid(rig, { amountPaise: paiseOf(1_000_00 + n * 100) }))
    const refund = await refundOf(2_500_00)
    await rig.provider.refund(refund)
    await rig.bank.processRefund(refund.refundId)
    const day = await rig.bank.settle()
    const items = await itemsOf(rig, day)
    for (const { paymentId, amountPaise } of payments) {
      const [item, ...more] = items.filter(one => one.kind === 'payment' && one.ourId === paymentId)
      assert.deepEqual([item?.amountPaise, more.length], [amountPaise, 0])
      assert.ok(item !== undefined && item.feePaise >= 0 && item.feePaise < amountPaise)
    }
    const refunds = items.filter(one => one.kind === 'refund' && one.ourId === refund.refundId)
    assert.deepEqual(
      refunds.map(one => one.amountPaise),
      [refund.amountPaise],
    )
    assert.deepEqual(await itemsOf(rig, day), items)
  })
}
