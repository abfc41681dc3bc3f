import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import type { Rail } from '../../../src/providers/port.ts'
import {
  activeMandate,
  debitOf,
  expectUnknown,
  mandateNow,
  mandateOf,
  mandatesOf,
  outcomeOf,
  type Rig,
} from './rig.ts'

const RAILS: readonly Rail[] = ['enach', 'upi_autopay']

export function conformMandates(rig: Rig): void {
  test('a mandate that is registered again is one mandate with one page', async () => {
    for (const rail of RAILS) {
      const mandate = mandateOf(rig, rail)
      const first = await mandatesOf(rig).register(mandate)
      assert.deepEqual(await mandatesOf(rig).register(mandate), first)
      assert.equal(await rig.times('mandate', mandate.mandateId), 1)
      const { outcome } = await mandateNow(rig, mandate.mandateId, first.providerRef)
      assert.deepEqual(outcome, { kind: 'open' })
    }
  })

  for (const fault of rig.faults) {
    test(`a registration whose answer is ${fault} is unknown, and one mandate when it is repeated`, async () => {
      const mandate = mandateOf(rig, 'enach')
      rig.spoil?.('register', fault)
      await expectUnknown(mandatesOf(rig).register(mandate))
      await mandatesOf(rig).register(mandate)
      assert.equal(await rig.times('mandate', mandate.mandateId), 1)
    })
  }

  test('eNACH is authorised by the payer and active by the bank; UPI is active at once', async () => {
    const mandate = mandateOf(rig, 'enach')
    const { providerRef } = await mandatesOf(rig).register(mandate)
    await rig.payer.approve(mandate.mandateId)
    assert.equal((await mandateNow(rig, mandate.mandateId, providerRef)).outcome.kind, 'authorised')
    await rig.bank.confirm(mandate.mandateId)
    assert.equal((await mandateNow(rig, mandate.mandateId, providerRef)).outcome.kind, 'active')
    await activeMandate(rig, 'upi_autopay')
  })

  test('what the payer declines or the bank refuses is never active, and a refusal has its reason', async () => {
    const declined = mandateOf(rig, 'upi_autopay')
    const refused = mandateOf(rig, 'enach')
    const [first, second] = [
      await mandatesOf(rig).register(declined),
      await mandatesOf(rig).register(refused),
    ]
    await rig.payer.decline(declined.mandateId)
    const now = await mandateNow(rig, declined.mandateId, first.providerRef)
    assert.ok(now.outcome.kind === 'rejected' || now.outcome.kind === 'open')
    await rig.payer.approve(refused.mandateId)
    await rig.bank.refuse(refused.mandateId)
    const { outcome } = await mandateNow(rig, refused.mandateId, second.providerRef)
    assert.ok(outcome.kind === 'rejected')
    assert.ok(outcome.code.length > 0 && outcome.message.length > 0)
  })

  test('a mandate that the payer withdraws, or that we cancel as often as we like, is cancelled', async () => {
    for (const rail of RAILS) {
      const { mandateId, ref } = await activeMandate(rig, rail)
      await rig.payer.revoke(mandateId)
      assert.equal((await mandateNow(rig, mandateId, ref)).outcome.kind, 'cancelled')
      const ours = await activeMandate(rig, rail)
      const { instituteId } = rig
      const asked = { instituteId, mandateId: ours.mandateId, providerRef: ours.ref }
      await mandatesOf(rig).cancel(asked)
      await mandatesOf(rig).cancel(asked)
      assert.equal((await mandateNow(rig, ours.mandateId, ours.ref)).outcome.kind, 'cancelled')
    }
  })

  test('a mandate that we pause and resume as often as we like stays one, and is debited afterwards', async () => {
    const port = mandatesOf(rig)
    for (const rail of RAILS) {
      const { mandateId, ref } = await activeMandate(rig, rail)
      const asked = { instituteId: rig.instituteId, mandateId, providerRef: ref }
      for (const act of ['pause', 'pause', 'resume', 'resume', 'pause'] as const) await port[act]?.(asked)
      const { outcome } = await mandateNow(rig, mandateId, ref)
      assert.ok(outcome.kind === 'active' || outcome.kind === 'open', outcome.kind)
      // Who presents has let it go on, whatever the vendor has heard of that.
      const debit = debitOf(rig, rail, ref)
      const { providerRef } = await port.present(debit)
      await rig.bank.debit(debit.paymentId)
      assert.equal((await outcomeOf(rig, debit.paymentId, providerRef)).kind, 'captured')
    }
  })

  test('a mandate that the payer pauses in the UPI app is told as paused', async () => {
    if (rig.payer.pause === undefined) return
    const { mandateId, ref } = await activeMandate(rig, 'upi_autopay')
    const isPaused = async (): Promise<boolean | undefined> => {
      const { outcome } = await mandateNow(rig, mandateId, ref)
      return outcome.kind === 'active' ? outcome.isPausedByPayer : undefined
    }
    assert.equal(await isPaused(), false)
    await rig.payer.pause(mandateId)
    assert.equal(await isPaused(), true)
  })

  test('a mandate that nobody has authorised yet can be cancelled too', async () => {
    const mandate = mandateOf(rig, 'enach')
    const { providerRef } = await mandatesOf(rig).register(mandate)
    const asked = { instituteId: rig.instituteId, mandateId: mandate.mandateId, providerRef }
    await mandatesOf(rig).cancel(asked)
    const { outcome } = await mandateNow(rig, mandate.mandateId, providerRef)
    assert.ok(outcome.kind === 'cancelled' || outcome.kind === 'rejected', outcome.kind)
  })

  test('a mandate that the vendor never heard of is open', async () => {
    const { instituteId } = rig
    const report = await mandatesOf(rig).status({ instituteId, mandateId: newId('mdt'), providerRef: null })
    assert.deepEqual(report.outcome, { kind: 'open' })
  })
}
