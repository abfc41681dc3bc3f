import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { expectUnknown, outcomeOf, paymentOf, paymentReports, readAll, startPaid, type Rig } from './rig.ts'

export function conformPayments(rig: Rig): void {
  test('a payment that is started again and again is one payment with one page', async () => {
    const payment = paymentOf(rig)
    const first = await rig.provider.start(payment)
    assert.deepEqual(await rig.provider.start(payment), first)
    assert.equal(await rig.times('payment', payment.paymentId), 1)
    assert.deepEqual(await outcomeOf(rig, payment.paymentId, first.providerRef), { kind: 'open' })
  })

  test('a payment that several processes start at once is one payment', async () => {
    const payment = paymentOf(rig)
    const started = await Promise.allSettled([1, 2, 3].map(() => rig.provider.start(payment)))
    assert.ok(started.some(one => one.status === 'fulfilled'))
    assert.equal(await rig.times('payment', payment.paymentId), 1)
  })

  test('a page that is closed is over however often it is closed, and money that came before stays', async () => {
    const { provider, instituteId } = rig
    const paid = await startPaid(rig)
    const { paymentId } = paymentOf(rig)
    const started = await provider.start(paymentOf(rig, { paymentId }))
    for (const one of [
      paid,
      { paymentId, providerRef: started.providerRef },
      { paymentId, providerRef: null },
    ])
      await provider.closePage?.({ instituteId, paymentId: one.paymentId, providerRef: one.providerRef })
    await provider.closePage?.({ instituteId, paymentId: newId('pay'), providerRef: null })
    assert.equal((await outcomeOf(rig, paid.paymentId, paid.providerRef)).kind, 'captured')
    if (provider.closePage === undefined) return
    const outcome = await outcomeOf(rig, paymentId, started.providerRef)
    assert.ok(outcome.kind === 'failed' && outcome.code === 'cancelled', outcome.kind)
  })

  for (const fault of rig.faults) {
    test(`a start whose answer is ${fault} is unknown, and one payment when it is repeated`, async () => {
      const payment = paymentOf(rig)
      rig.spoil?.('start', fault)
      await expectUnknown(rig.provider.start(payment))
      assert.deepEqual(await outcomeOf(rig, payment.paymentId), { kind: 'open' })
      const { providerRef } = await rig.provider.start(payment)
      assert.equal(await rig.times('payment', payment.paymentId), 1)
      await rig.payer.pay(payment.paymentId)
      assert.equal((await outcomeOf(rig, payment.paymentId, providerRef)).kind, 'captured')
    })
  }

  test('a paid payment is told and answered alike: our id, the amount, a transaction id and a moment', async () => {
    rig.callbacks()
    const { paymentId, providerRef, amountPaise } = await startPaid(rig)
    const asked = await outcomeOf(rig, paymentId, providerRef)
    assert.ok(asked.kind === 'captured')
    assert.equal(asked.amountPaise, amountPaise)
    assert.ok(asked.transactionId.length > 0)
    const told = paymentReports(await readAll(rig), paymentId)
    assert.deepEqual(told.at(-1), asked)
    assert.deepEqual(await outcomeOf(rig, paymentId), asked, 'also if its start was never answered')
  })

  test('an attempt that failed is never told as paid', async () => {
    rig.callbacks()
    const payment = paymentOf(rig)
    const { providerRef } = await rig.provider.start(payment)
    await rig.payer.fail(payment.paymentId)
    const told = paymentReports(await readAll(rig), payment.paymentId)
    for (const outcome of [...told, await outcomeOf(rig, payment.paymentId, providerRef)])
      assert.ok(outcome.kind === 'failed' || outcome.kind === 'open', outcome.kind)
  })

  test('a payment that the vendor never heard of has moved no money', async () => {
    const outcome = await outcomeOf(rig, newId('pay'))
    assert.ok(outcome.kind === 'open' || outcome.kind === 'failed')
  })

  test('a callback says the same however often, late and out of order it comes', async () => {
    rig.callbacks()
    const { paymentId } = await startPaid(rig)
    const callbacks = rig.callbacks()
    const [once, again] = [await readAll(rig, callbacks), await readAll(rig, callbacks.toReversed())]
    assert.deepEqual(again.toReversed(), once)
    assert.ok(paymentReports(once, paymentId).some(outcome => outcome.kind === 'captured'))
  })

  test('a callback without the signature of this account is not believed', async () => {
    rig.callbacks()
    await startPaid(rig)
    const [callback = assert.fail('nothing was told')] = rig.callbacks()
    const forgeries = rig.forge(callback)
    assert.ok(forgeries.length > 0)
    for (const forged of forgeries) assert.equal(await rig.provider.readCallback(forged), null)
  })
}
