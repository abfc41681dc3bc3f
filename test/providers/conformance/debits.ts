import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meaningOf } from '../../../src/flex/rules/returns.rules.ts'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import {
  ProviderRefused,
  type Rail,
  type ReturnReport,
  type DisputeReport,
  type Report,
} from '../../../src/providers/port.ts'
import {
  activeMandate,
  debitOf,
  expectUnknown,
  itemsOf,
  mandatesOf,
  outcomeOf,
  paymentReports,
  readAll,
  type Rig,
} from './rig.ts'

const RAILS: readonly Rail[] = ['enach', 'upi_autopay']

export function conformDebits(rig: Rig): void {
  test('a debit that is presented again and again is one debit', async () => {
    for (const rail of RAILS) {
      const { ref } = await activeMandate(rig, rail)
      const debit = debitOf(rig, rail, ref)
      const first = await mandatesOf(rig).present(debit)
      const more = await Promise.all([1, 2, 3].map(() => mandatesOf(rig).present(debit)))
      for (const one of more) assert.deepEqual(one, first)
      assert.equal(await rig.times('debit', debit.paymentId), 1)
      assert.equal((await outcomeOf(rig, debit.paymentId, first.providerRef)).kind, 'pending')
    }
  })

  test('a debit that one process presents several times at once is one debit', async () => {
    const { ref } = await activeMandate(rig, 'enach')
    const debit = debitOf(rig, 'enach', ref)
    await Promise.all([1, 2, 3].map(() => mandatesOf(rig).present(debit)))
    assert.equal(await rig.times('debit', debit.paymentId), 1)
  })

  for (const fault of rig.faults) {
    test(`a debit whose answer is ${fault} is unknown, found by our id, and never made twice`, async () => {
      const { ref: mandateRef } = await activeMandate(rig, 'enach')
      const debit = debitOf(rig, 'enach', mandateRef)
      rig.spoil?.('present', fault)
      // Written before the call, where the provider does not find a debit by our id alone.
      const ref = mandatesOf(rig).referenceOf?.(debit) ?? null
      await expectUnknown(mandatesOf(rig).present(debit))
      assert.equal((await outcomeOf(rig, debit.paymentId, ref)).kind, 'pending')
      await mandatesOf(rig).present(debit)
      assert.equal(await rig.times('debit', debit.paymentId), 1)
      await rig.bank.debit(debit.paymentId)
      assert.equal((await outcomeOf(rig, debit.paymentId, ref)).kind, 'captured')
    })
  }

  test('a debit that went through is told and answered alike', async () => {
    for (const rail of RAILS) {
      const { ref } = await activeMandate(rig, rail)
      const debit = debitOf(rig, rail, ref)
      const { providerRef } = await mandatesOf(rig).present(debit)
      rig.callbacks()
      await rig.bank.debit(debit.paymentId)
      const asked = await outcomeOf(rig, debit.paymentId, providerRef)
      assert.ok(asked.kind === 'captured' && asked.amountPaise === debit.amountPaise)
      assert.deepEqual(paymentReports(await readAll(rig), debit.paymentId).at(-1), asked)
    }
  })

  for (const why of rig.bounces) {
    test(`a bounce for the reason "${why}" has a return code of that meaning, told and asked`, async () => {
      for (const rail of RAILS) {
        const { ref } = await activeMandate(rig, rail)
        const debit = debitOf(rig, rail, ref)
        const { providerRef } = await mandatesOf(rig).present(debit)
        rig.callbacks()
        await rig.bank.bounce(debit.paymentId, why, rail)
        const asked = await outcomeOf(rig, debit.paymentId, providerRef)
        assert.ok(asked.kind === 'failed')
        assert.equal(meaningOf(asked.code).category, why, `${rail} ${asked.code}`)
        assert.deepEqual(paymentReports(await readAll(rig), debit.paymentId).at(-1), asked)
      }
    })
  }

  for (const rail of rig.provider.mandates?.announcedRails ?? [])
    test(`a debit on ${rail} is announced once to the payer’s bank, and presented under that name`, async () => {
      const { ref } = await activeMandate(rig, rail)
      const debit = debitOf(rig, rail, ref)
      const { instituteId, amountPaise } = debit
      const notice = {
        instituteId,
        noticeId: newId('inst'),
        mandateRef: ref,
        rail,
        amountPaise,
        debitAt: rig.now(),
      }
      const announce = (asked: typeof notice) => mandatesOf(rig).announce?.(asked) ?? assert.fail()
      rig.spoil?.('announce', 'lost')
      if (rig.spoil !== undefined) await expectUnknown(announce(notice))
      const { providerRef } = await announce(notice)
      assert.deepEqual(await announce(notice), { providerRef })
      assert.equal((await outcomeOf(rig, debit.paymentId, providerRef)).kind, 'open')
      const announced = { ...debit, announcedRef: providerRef }
      rig.pass?.(25)
      rig.spoil?.('present', 'lost')
      if (rig.spoil !== undefined) await expectUnknown(mandatesOf(rig).present(announced))
      assert.deepEqual(await mandatesOf(rig).present(announced), { providerRef })
      assert.equal(await rig.times('debit', debit.paymentId), 1)
      await rig.bank.bounce(debit.paymentId, 'funds', rail)
      rig.pass?.(2)
      const again = { ...announced, paymentId: newId('pay') }
      assert.deepEqual(await mandatesOf(rig).present(again), { providerRef }, 'under the same notice')
      await rig.bank.debit(again.paymentId)
      assert.equal((await outcomeOf(rig, debit.paymentId, providerRef)).kind, 'failed')
      assert.equal((await outcomeOf(rig, again.paymentId, providerRef)).kind, 'captured')
    })

  test('a debit under a mandate that has ended is never captured', async () => {
    for (const rail of RAILS) {
      const { mandateId, ref } = await activeMandate(rig, rail)
      await mandatesOf(rig).cancel({ instituteId: rig.instituteId, mandateId, providerRef: ref })
      const debit = debitOf(rig, rail, ref)
      const refused = await mandatesOf(rig)
        .present(debit)
        .then(
          () => null,
          (error: unknown) => error,
        )
      if (refused === null) return
      assert.ok(refused instanceof ProviderRefused)
      assert.equal(meaningOf(refused.code ?? '').action, 'mandate_ended')
    }
  })

  // Called failed it would be a bounce, and presented again while our request may still be on its way.
  test('a debit that the vendor never heard of is open, not failed', async () => {
    for (const rail of RAILS) {
      const { ref } = await activeMandate(rig, rail)
      const debit = debitOf(rig, rail, ref)
      const known = mandatesOf(rig).referenceOf?.(debit) ?? null
      assert.deepEqual(await outcomeOf(rig, debit.paymentId, known), { kind: 'open' })
      assert.deepEqual(await outcomeOf(rig, debit.paymentId), { kind: 'open' })
    }
  })

  test('a debit is refunded as any payment is, once', async () => {
    const { ref } = await activeMandate(rig, 'enach')
    const debit = debitOf(rig, 'enach', ref)
    const { providerRef } = await mandatesOf(rig).present(debit)
    await rig.bank.debit(debit.paymentId)
    const { instituteId } = rig
    const payment = { paymentId: debit.paymentId, providerRef }
    const refund = { instituteId, refundId: newId('rfd'), payment, amountPaise: paiseOf(1_000_00) }
    await rig.provider.refund(refund)
    await rig.provider.refund(refund)
    assert.equal(await rig.times('refund', refund.refundId), 1)
  })

  test('a debit that the bank takes back is told as returned or as a lost dispute, or found when its pay-out is less', async () => {
    const { ref } = await activeMandate(rig, 'enach')
    const debit = debitOf(rig, 'enach', ref)
    const { providerRef } = await mandatesOf(rig).present(debit)
    const { instituteId } = rig
    const payment = { instituteId, paymentId: debit.paymentId, providerRef }
    await rig.bank.debit(debit.paymentId)
    const paid = await outcomeOf(rig, debit.paymentId, providerRef)
    assert.ok(paid.kind === 'captured')
    assert.equal(await mandatesOf(rig).returned(payment), null)
    rig.callbacks()
    await rig.bank.takeBack(debit.paymentId)
    const told = (await readAll(rig)).filter(isTakenBack)
    const { transactionId } = paid
    const disputes = (await rig.provider.disputes?.({ ...payment, transactionId })) ?? []
    const asked = [await mandatesOf(rig).returned(payment), ...disputes].filter(
      one => one !== null && isTakenBack(one),
    )
    assert.equal(asked.length, 1)
    for (const report of [...told, ...asked]) {
      const { amountPaise } = report
      assert.equal(amountPaise, debit.amountPaise)
      // A callback about a dispute may name its debit by the provider's number alone.
      const named = report.about === 'dispute' ? report.transactionId : undefined
      assert.ok(report.paymentId === debit.paymentId || named === transactionId)
    }
    const items = await itemsOf(rig, await rig.bank.settle())
    const out = items.filter(
      one =>
        one.kind === 'refund' &&
        (one.ourId.includes(debit.paymentId.slice(4)) ||
          one.dispute?.paymentId === debit.paymentId ||
          one.transactionId === paid.transactionId),
    )
    assert.deepEqual(
      out.map(one => one.amountPaise),
      [debit.amountPaise],
    )
  })
}

function isTakenBack(report: Report): report is ReturnReport | DisputeReport {
  return report.about === 'return' || (report.about === 'dispute' && report.state === 'lost')
}
