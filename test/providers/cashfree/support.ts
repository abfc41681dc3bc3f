import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import { KEYS } from '../../../emulators/cashfree/books.ts'
import { type CashfreeEmulator, startCashfree } from '../../../emulators/cashfree/emulator.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { createCashfree } from '../../../src/providers/cashfree/cashfree.client.ts'
import type { DebitRequest, PaymentOutcome, Provider, Report } from '../../../src/providers/port.ts'

export const order = {
  instituteId: 41,
  collectorCode: 'north',
  paymentId: 'pay_0f3k9z000001abcdefghjkmnpq',
  amountPaise: paiseOf(1_250_050),
  mode: 'upi' as const,
  payer: { name: 'Asha Rao', phone: '+91 98765 43210', email: '' },
  payableUntil: new Date('2026-12-31T00:00:00Z'),
  description: 'Fees for Ravi Rao',
  returnUrl: 'https://fees.example.edu/return/1',
}
export const { instituteId, paymentId, amountPaise } = order
export const orderId = `41-${paymentId}`
export const refundId = 'rfd_0f3k9z000002abcdefghjkmnpq'

export const mandate = {
  instituteId,
  mandateId: 'mdt_0f3k9z000003abcdefghjkmnpq',
  rail: 'enach' as 'enach' | 'upi_autopay',
  capPaise: paiseOf(20_000_00),
  startOn: '2026-06-01',
  endOn: '2027-03-31',
  payer: { name: 'Asha Rao', phone: '+919876543210', email: 'asha@example.com' },
  description: 'Fees for Ravi Rao',
  returnUrl: 'https://fees.example.edu/return/1',
}
export const subscriptionId = `41-${mandate.mandateId}`

export const debit: DebitRequest = {
  instituteId,
  collectorCode: 'north',
  paymentId,
  mandateRef: subscriptionId,
  amountPaise: paiseOf(4_000_50),
  rail: 'enach',
  announcedRef: null,
  payer: mandate.payer,
  description: mandate.description,
}

export const clock = { now: new Date('2026-06-10T06:30:00Z') }
const HOUR_MS = 3_600_000
export const hoursFromNow = (hours: number): Date => new Date(clock.now.getTime() + hours * HOUR_MS)
export const pass = (hours: number): void => void (clock.now = hoursFromNow(hours))

/** A fresh Cashfree for each test of a file. */
export let fake: CashfreeEmulator
export let cashfree: Provider
const running: CashfreeEmulator[] = []
beforeEach(async () => {
  clock.now = new Date('2026-06-10T06:30:00Z')
  fake = await startCashfree({ now: () => clock.now })
  running.push(fake)
  cashfree = createCashfree({
    ...KEYS,
    environment: 'sandbox',
    baseUrl: fake.apiUrl,
    timeoutMs: 2_000,
    now: () => clock.now,
  })
})
after(() => Promise.all(running.map(each => each.close())))

export function mandates(): NonNullable<Provider['mandates']> {
  assert.ok(cashfree.mandates !== undefined)
  return cashfree.mandates
}

export const posts = (path: string): number =>
  fake.seen.filter(({ method, path: at }) => method === 'POST' && at.endsWith(path)).length

export async function outcomeOf(providerRef: string | null): Promise<PaymentOutcome> {
  const report = await cashfree.status({ instituteId, paymentId, providerRef })
  assert.equal(report.instituteId, instituteId)
  assert.equal(report.paymentId, paymentId)
  return report.outcome
}

/** What the events since the last call say to us. */
export async function heard(): Promise<Report[]> {
  const reports = await Promise.all(fake.books.outbox.splice(0).map(event => cashfree.readCallback(event)))
  return reports.flatMap(report => report ?? assert.fail('the signature was not accepted'))
}
