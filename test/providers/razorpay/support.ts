import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import { inspect } from 'node:util'
import type { PaymentOutcome, Provider } from '../../../src/providers/port.ts'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import {
  type FakeRazorpay,
  type Fault,
  type Fields,
  KEYS,
  startFakeRazorpay,
} from '../../harness/fakes/razorpay.ts'

export const order = {
  instituteId: 41,
  collectorCode: 'north',
  paymentId: 'pay_0f3k9z000001abcdefghjkmnpq',
  amountPaise: paiseOf(1_250_050),
  mode: 'upi' as const,
  payer: { name: 'Asha Rao', phone: '+919876543210', email: '' },
  description: 'Fees for Ravi Rao',
  returnUrl: 'https://fees.example.edu/return/1',
}
export const { instituteId, paymentId, amountPaise } = order
export const refundId = 'rfd_0f3k9z000002abcdefghjkmnpq'
export const NOTES = { institute_id: '41', payment_id: paymentId }

/** A fresh Razorpay for each test of a file. */
export let fake: FakeRazorpay
export let razorpay: Provider
const running: FakeRazorpay[] = []
beforeEach(async () => {
  fake = await startFakeRazorpay()
  running.push(fake)
  razorpay = createRazorpay({ ...KEYS, baseUrl: fake.url, timeoutMs: 1_000 })
})
after(() => Promise.all(running.map(each => each.close())))

export const status =
  (code: number, body = ''): Fault =>
  response =>
    void response.writeHead(code).end(body)
export const say = (body: unknown): Fault => status(200, JSON.stringify(body))
export const lose: Fault = response => response.destroy()
export const flood: Fault = response => {
  const pour = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(65_536, 32))) setImmediate(pour)
  }
  response.on('drain', pour).writeHead(200)
  pour()
}

export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail('it should not succeed'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Error)
  return error
}

export async function assertUnavailable(work: Promise<unknown>, text: RegExp): Promise<void> {
  const error = await failureOf(work)
  assert.ok(error instanceof BursarError, inspect(error))
  assert.equal(error.code, 'SYE00001')
  assert.match(error.message, text)
}

export async function startPaid(changes: Fields = {}): Promise<{ linkId: string; payment: Fields }> {
  const { providerRef } = await razorpay.start(order)
  return { linkId: providerRef, payment: fake.pay(providerRef, changes) }
}

export async function outcomeOf(providerRef: string | null): Promise<PaymentOutcome> {
  const report = await razorpay.status({ instituteId, paymentId, providerRef })
  assert.equal(report.instituteId, instituteId)
  assert.equal(report.paymentId, paymentId)
  return report.outcome
}
