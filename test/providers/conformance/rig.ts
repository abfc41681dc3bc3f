import assert from 'node:assert/strict'
import type { ReturnCategory } from '../../../src/flex/rules/returns.rules.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import {
  ProviderRefused,
  type DebitRequest,
  type MandateOutcome,
  type Rail,
  type Callback,
  type PaymentOutcome,
  type Provider,
  type Report,
  type SettlementItem,
  type StartRequest,
} from '../../../src/providers/port.ts'

/** What a call to the vendor may meet after the vendor has carried it out. */
export const FAULTS = ['lost', 'busy', 'broken', 'silent'] as const
export type FaultKind = (typeof FAULTS)[number]
export type Call = 'start' | 'refund' | 'register' | 'announce' | 'present' | 'open'

/**
 * A vendor whose payers and banks act as they are told. Everything at the vendor is named by our own ids. Acts only move
 * the vendor's books and post callbacks, which stay in `callbacks` until they are taken.
 */
export type Vendor = {
  payer: {
    pay(paymentId: string): Promise<void>
    fail(paymentId: string): Promise<void>
    approve(mandateId: string): Promise<void>
    decline(mandateId: string): Promise<void>
    /** Halts a mandate for a while; absent where the vendor's payers cannot. */
    pause?(mandateId: string): Promise<void>
    resume?(mandateId: string): Promise<void>
    /** Ends a mandate that was active, at the bank or in the app. */
    revoke(mandateId: string): Promise<void>
  }
  bank: {
    /** Of an eNACH mandate that the payer has approved. */
    confirm(mandateId: string): Promise<void>
    refuse(mandateId: string): Promise<void>
    debit(paymentId: string): Promise<void>
    bounce(paymentId: string, why: ReturnCategory, rail: Rail): Promise<void>
    /** Takes back a debit that it had confirmed. */
    takeBack(paymentId: string): Promise<void>
    processRefund(refundId: string): Promise<void>
    /** Somebody of the institute refunds a payment of the checkout in the vendor's dashboard; absent where there is none. */
    refundInDashboard?(paymentId: string, paise: number): Promise<void>
    /** A payer's bank sends money to an account number; false when it goes back, because the number is closed. */
    transfer(accountRef: string, sent: Transfer): Promise<boolean>
    /** Pays everything out; answers the day of India on which it did. */
    settle(): Promise<string>
  }
  /** Takes what the vendor has posted since the last time, the oldest first. */
  callbacks(): Callback[]
  /** How often the vendor's books have it: 1, whatever happened. An account number is asked about by the vendor's name for it. */
  times(what: 'payment' | 'refund' | 'mandate' | 'debit' | 'account', ourId: string): Promise<number>
  /** Why debits bounce at this vendor, by what that asks of us. */
  bounces: readonly ReturnCategory[]
}

export type Transfer = { paise: number; utr: string; name: string }

/** What a provider brings to be held against the port: itself, and its vendor. */
export type Rig = Vendor & {
  provider: Provider
  instituteId: number
  collectorCode: string
  /** The same callback as somebody without the secret could make it. */
  forge(callback: Callback): Callback[]
  /** The moment, as the vendor sees it. */
  now(): Date
  /** Moves the vendor's clock, where it looks at the time between two calls. */
  pass?: (hours: number) => void
  /** A number that is closed goes on taking money there. */
  keepsClosed?: boolean
  /** Spoils the next answer to a call; absent where no wire lies between. */
  spoil?: (call: Call, fault: FaultKind) => void
  /** The ways in which answers are spoiled; none where no wire lies between. */
  faults: readonly FaultKind[]
}

type Owner = { after(done: () => Promise<void> | void): void }
export type OpenRig = (owner: Owner) => Promise<Rig>

const PAYER = { name: 'Asha Rao', phone: '+919876543210', email: 'asha@example.in' }

export function paymentOf(rig: Rig, changes: Partial<StartRequest> = {}): StartRequest {
  return {
    instituteId: rig.instituteId,
    collectorCode: rig.collectorCode,
    paymentId: newId('pay'),
    amountPaise: paiseOf(12_500_00),
    mode: 'upi',
    payer: PAYER,
    payableUntil: new Date(rig.now().getTime() + 3_600_000),
    description: 'Fees for Kabir Rao',
    returnUrl: 'https://fees.example.in/return',
    ...changes,
  }
}

export async function startPaid(rig: Rig, changes: Partial<StartRequest> = {}) {
  const payment = paymentOf(rig, changes)
  const { providerRef } = await rig.provider.start(payment)
  await rig.payer.pay(payment.paymentId)
  return { ...payment, providerRef }
}

export async function outcomeOf(rig: Rig, paymentId: string, providerRef: string | null = null) {
  const { instituteId } = rig
  const report = await rig.provider.status({ instituteId, paymentId, providerRef })
  assert.deepEqual([report.instituteId, report.paymentId], [instituteId, paymentId])
  return report.outcome
}

/** Everything that the vendor has posted, as the provider reads it. */
export async function readAll(rig: Rig, callbacks = rig.callbacks()): Promise<Report[]> {
  const read = await Promise.all(callbacks.map(callback => rig.provider.readCallback(callback)))
  return read.flatMap(reports => reports ?? assert.fail('a callback of the vendor was not believed'))
}

export function paymentReports(reports: readonly Report[], paymentId: string): PaymentOutcome[] {
  return reports.flatMap(one => (one.about === 'payment' && one.paymentId === paymentId ? one.outcome : []))
}

export function mandatesOf({ provider }: Rig) {
  return provider.mandates ?? assert.fail('this provider takes no mandates')
}

export function mandateOf(rig: Rig, rail: Rail) {
  const mandateId = newId('mdt')
  const request = {
    instituteId: rig.instituteId,
    mandateId,
    rail,
    capPaise: paiseOf(14_000_00),
    startOn: '2026-01-01',
    endOn: '2029-12-31',
    payer: PAYER,
    description: 'Fees for Kabir Rao',
    returnUrl: 'https://fees.example.in/return',
  }
  return request
}

/** Asks; also what debits are presented under, which may be told only once the payer has said yes. */
export async function mandateNow(
  rig: Rig,
  mandateId: string,
  providerRef: string,
): Promise<{ outcome: MandateOutcome; ref: string }> {
  const { instituteId } = rig
  const report = await mandatesOf(rig).status({ instituteId, mandateId, providerRef })
  assert.deepEqual([report.instituteId, report.mandateId], [instituteId, mandateId])
  return { outcome: report.outcome, ref: report.providerRef || providerRef }
}

/** A mandate that can be debited, and the provider's name for it. */
export async function activeMandate(rig: Rig, rail: Rail): Promise<{ mandateId: string; ref: string }> {
  const request = mandateOf(rig, rail)
  const { providerRef } = await mandatesOf(rig).register(request)
  await rig.payer.approve(request.mandateId)
  if (rail === 'enach') await rig.bank.confirm(request.mandateId)
  const { outcome, ref } = await mandateNow(rig, request.mandateId, providerRef)
  assert.equal(outcome.kind, 'active')
  return { mandateId: request.mandateId, ref }
}

export function debitOf(rig: Rig, rail: Rail, mandateRef: string): DebitRequest {
  return {
    instituteId: rig.instituteId,
    collectorCode: rig.collectorCode,
    paymentId: newId('pay'),
    mandateRef,
    amountPaise: paiseOf(4_000_00),
    rail,
    announcedRef: null,
    payer: PAYER,
    description: 'Fees for Kabir Rao',
  }
}

export async function itemsOf(
  rig: Rig,
  day: string,
): Promise<(SettlementItem & { instituteId: number; utr: string })[]> {
  const items = []
  for await (const { instituteId, utr, items: part } of rig.provider.settlements(day))
    items.push(...part.map(item => ({ ...item, instituteId, utr })))
  return items
}

/** An answer that settles nothing is `unavailable`, so that the caller asks again; never a refusal, never a success. */
export async function expectUnknown(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => assert.fail('a spoiled answer was taken for a good one'),
    (error: unknown) => error,
  )
  assert.ok(!(error instanceof ProviderRefused), 'a lost answer was taken for a refusal')
  assert.ok(error instanceof BursarError, String(error))
  assert.equal(error.code, 'SYE00001')
}
