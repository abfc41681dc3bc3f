import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { applyRefundReport } from '../../../src/payments/refunds/refunds.service.ts'
import type { Payment } from '../../../src/payments/payments.rules.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import {
  activeMandate,
  advance,
  app,
  bank,
  ctx,
  demo,
  expectSoundBooks,
  paymentNow,
  present,
  school,
  sql,
  studentId,
} from '../../providers/debits-support.ts'

const SANDBOX = '/api/v1/sandbox'
const upi = await activeMandate('upi_autopay')

/** What can happen to a debit after it was paid, each more than once and in any order. */
type Act =
  | { do: 'refund'; share: number }
  /** The provider has been asked for the refunds that wait, and has not answered. */
  | { do: 'send' }
  | { do: 'end refund'; isMade: boolean }
  | { do: 'dispute' | 'lose' | 'win'; share: number }
  | { do: 'return' }
  | { do: 'pay out' }

const share = fc.double({ min: 0.05, max: 1, noNaN: true })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: share.map(of => ({ do: 'refund' as const, share: of })) },
  { weight: 2, arbitrary: fc.constant({ do: 'send' as const }) },
  { weight: 2, arbitrary: fc.boolean().map(isMade => ({ do: 'end refund' as const, isMade })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('dispute', 'lose', 'win'), share)
      .map(([does, of]) => ({ do: does as 'dispute', share: of })),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'return' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'pay out' as const }) },
)

const paise = (payment: Payment, of: number): number => Math.max(1, Math.floor(payment.amountPaise * of))

/** A refusal is an answer too: what must hold is that the books are sound whatever was tried. */
async function perform(payment: Payment, what: Act): Promise<void> {
  const { instituteId } = payment
  const waiting = () =>
    sql<{ id: string; tries: number }>(
      `select id, tries from refunds where payment_id = $1 and state = 'pending' order by id`,
      [payment.id],
    )
  switch (what.do) {
    case 'refund':
      await demo.post(`${PAY}/orders/${payment.orderId}/refunds`, {
        amount: paise(payment, what.share) / 100,
      })
      return
    case 'send':
      await sql(
        `update refunds set tries = 1, next_try_at = null where payment_id = $1 and state = 'pending'`,
        [payment.id],
      )
      return
    case 'end refund': {
      const refund = (await waiting()).find(one => one.tries > 0)
      if (refund === undefined) return
      const request = {
        instituteId,
        refundId: refund.id,
        payment: { paymentId: payment.id, providerRef: '' },
      }
      const { provider_ref: providerRef } = await paymentNow(payment)
      const [{ amount } = { amount: 0 }] = await sql<{ amount: number }>(
        'select amount_paise::int as amount from refunds where id = $1',
        [refund.id],
      )
      const asked = { ...request, payment: { ...request.payment, providerRef }, amountPaise: amount as never }
      const report = what.isMade
        ? await bank.refund(asked)
        : {
            about: 'refund' as const,
            instituteId,
            refundId: refund.id,
            providerRef: '',
            outcome: { kind: 'failed' as const, message: 'The payment was taken back.' },
          }
      await applyRefundReport(ctx, report)
      return
    }
    case 'dispute':
    case 'lose':
    case 'win': {
      const outcome = { dispute: 'open', lose: 'lost', win: 'won' }[what.do]
      const amount = paise(payment, what.share) / 100
      await demo.post(`${SANDBOX}/payments/${payment.id}/dispute`, { outcome, amount })
      return
    }
    case 'return': {
      const { provider_ref: ref } = await paymentNow(payment)
      const taken = await bank
        .decide({ instituteId: school.id, ref }, { kind: 'bounced', code: '04' })
        .catch(() => [])
      for (const callback of taken) await bank.tell(callback)
      return
    }
    case 'pay out':
      await demo.post(`${SANDBOX}/settlements/run`)
  }
}

const RUNS = 25

test('in whatever order a debit is refunded, disputed and taken back, paid never falls below nothing and every rupee is booked', async () => {
  // Refunds are sent when an act says so.
  await app.worker.stop()
  const runs = fc.sample(fc.array(act, { minLength: 3, maxLength: 7 }), { numRuns: RUNS, seed: 31 })
  for (const [index, acts] of runs.entries()) {
    const payment = await present(500_00 + index * 100, upi, 'upi_autopay')
    await advance('PT6M')
    for (const what of acts) {
      await perform(payment, what)
      const { paid, fees } = await summary()
      const told = JSON.stringify({ acts, what })
      assert.ok(paid >= 0 && fees.every(one => one >= 0), told)
      const [row] = await sql<{ out: number; charged: number; left: number }>(
        `select coalesce(sum(r.amount_paise) filter (where r.state <> 'failed'), 0)::int as out,
           coalesce(sum(r.charged_paise), 0)::int as charged,
           $2::int - coalesce(sum(r.amount_paise - r.charged_paise) filter (where r.state <> 'failed'), 0)::int as left
         from refunds r where r.payment_id = $1`,
        [payment.id, payment.amountPaise],
      )
      assert.ok(row !== undefined && row.left >= 0, told)
      assert.equal(
        row.charged,
        Math.max(0, row.out - payment.amountPaise),
        `what went out twice is charged: ${told}`,
      )
    }
    await sql(
      `update refunds set next_try_at = now() where payment_id = $1 and state = 'pending' and tries > 0`,
      [payment.id],
    )
  }
  await app.worker.runAllDue()
  await demo.post(`${SANDBOX}/settlements/run`)
  const [met] = await sql<Json>(
    `select count(*) filter (where cause = 'dispute')::int as lost, count(*) filter (where kind = 'returned')::int as returned,
       count(*) filter (where charged_paise > 0)::int as charged, count(*) filter (where state = 'failed')::int as failed
     from refunds`,
  )
  assert.ok(
    Object.values(met).every(count => Number(count) >= 2),
    `every case came: ${JSON.stringify(met)}`,
  )
  await sql(`delete from settlement_exceptions where problem like 'the payer disputes%'`)
  await expectSoundBooks()
})

async function summary(): Promise<{ paid: number; fees: number[] }> {
  const { body } = await demo.get(`${ERP}/students/${studentId}`)
  const { data } = (await demo.get(`${ERP}/students/${studentId}/dues`)).body
  return { paid: body.data.fee_summary.paid, fees: data.components.map((one: Json) => one.paid_amount) }
}
