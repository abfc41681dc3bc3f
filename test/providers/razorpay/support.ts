import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import type { PaymentOutcome, Provider } from '../../../src/providers/port.ts'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import { type RazorpayEmulator, startRazorpay } from '../../../emulators/razorpay/emulator.ts'
import type { Payment } from '../../../emulators/razorpay/entities.ts'

export { answerWith, flood, lose, status } from '../../../emulators/faults.ts'

export const order = {
  instituteId: 41,
  collectorCode: 'north',
  paymentId: 'pay_0f3k9z000001abcdefghjkmnpq',
  amountPaise: paiseOf(1_250_050),
  mode: 'upi' as const,
  payer: { name: 'Asha Rao', phone: '+919876543210', email: '' },
  payableUntil: new Date('2026-11-15T02:00:00Z'),
  description: 'Fees for Ravi Rao',
  returnUrl: 'https://fees.example.edu/return/1',
}
export const { instituteId, paymentId, amountPaise } = order
export const refundId = 'rfd_0f3k9z000002abcdefghjkmnpq'
export const NOTES = { institute_id: '41', payment_id: paymentId }

/** A fresh Razorpay for each test of a file. */
export let fake: RazorpayEmulator
export let razorpay: Provider
const running: RazorpayEmulator[] = []
let atS = 0
/** Seconds after midnight at Razorpay: payments, refunds and events get moments that can be told apart. */
export const moveClock = (seconds: number): void => void (atS = 1_794_700_800 + seconds)
beforeEach(async () => {
  moveClock(0)
  fake = await startRazorpay({ now: () => new Date(atS * 1_000) })
  running.push(fake)
  razorpay = createRazorpay({ ...KEYS, baseUrl: fake.url, timeoutMs: 1_000 })
})
after(() => Promise.all(running.map(each => each.close())))

export async function startPaid(
  changes: Partial<Payment> = {},
): Promise<{ linkId: string; payment: Payment }> {
  const { providerRef } = await razorpay.start(order)
  moveClock(60)
  return { linkId: providerRef, payment: fake.pay(providerRef, changes) }
}

export async function outcomeOf(providerRef: string | null): Promise<PaymentOutcome> {
  const report = await razorpay.status({ instituteId, paymentId, providerRef })
  assert.equal(report.instituteId, instituteId)
  assert.equal(report.paymentId, paymentId)
  return report.outcome
}
