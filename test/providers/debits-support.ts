import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { unpaidOrder, type Order, type OrderKind } from '../../src/orders/orders.rules.ts'
import { openDebits, sendDebit, type Debit } from '../../src/payments/debits/debits.service.ts'
import type { MandateReport, Rail } from '../../src/providers/port.ts'
import type { Payment } from '../../src/payments/payments.rules.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { PaymentHandler } from '../../src/payments/context.ts'
import type { SandboxBank } from '../../src/sandbox/bank/simulator.service.ts'
import { newId } from '../../src/platform/ids.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'

/** A Bursar with a purpose of the tests' own for what plans take, which writes down what it is told. */
export const bursar = await startBursar({ after })
export const { demo, app } = bursar
export const sql = bursar.sql.bind(bursar)
export const ctx = app.ctx
const found = ctx.accounts.installation.get('sandbox')
assert.ok(found?.mandates !== undefined)
export const bank = found as SandboxBank
export const port = bank.mandates
export const school = await getInstitute(ctx, 'demo-school')

export type ToldOf = { what: keyof PaymentHandler; paymentId: string; code?: string; orderState?: string }
const told: ToldOf[] = []
export const mandates: MandateReport[] = []

const handler: PaymentHandler = {
  async captured(_tx, { payment, order }) {
    told.push({ what: 'captured', paymentId: payment.id, orderState: order.state })
  },
  async settled(_tx, paid) {
    for (const { payment, order } of paid)
      told.push({ what: 'settled', paymentId: payment.id, orderState: order.state })
  },
  async failed(_tx, { payment, code }) {
    told.push({ what: 'failed', paymentId: payment.id, code })
  },
  async reversed(_tx, { payment, order, code }) {
    told.push({ what: 'reversed', paymentId: payment.id, code, orderState: order.state })
  },
}
// The context is read-only to services; this test stands in for Flex and puts its own handlers in.
Object.assign(ctx.paymentHandlers, { downpayment: handler, instalment: handler })
Object.assign(ctx, { onMandate: async (report: MandateReport) => void mandates.push(report) })

const student = await demo.post(`${ERP}/users/parent-1/students`, { student: sampleStudent() })
export const studentId: string = student.body.data.service_student_id

/** What a payment handler was called with, in order. */
export function toldOf({ id }: Pick<Payment, 'id'>): string[] {
  return told
    .filter(({ paymentId }) => paymentId === id)
    .map(({ what, code }) => (code === undefined ? what : `${what} ${code}`))
}

export function makeOrder(kind: OrderKind, paise: number): Order {
  return unpaidOrder({
    id: newId('order'),
    kind,
    studentId,
    collectorCode: 'MAIN',
    name: 'Asha Rao',
    phone: '9876543210',
    email: 'asha@example.in',
    identifier: 'ADM-1042',
    studentName: 'Kabir Rao',
    grade: '5',
    stream: null,
    academicYearStart: 2026,
    academicYearEnd: 2027,
    newAdmission: false,
    dateOfBirth: '2015-06-20',
    customIdentifier: null,
    notes: [{ key: 'plan', value: 'plan_1' }],
    callbackUrl: null,
    expiresAt: null,
    createdAt: ctx.clock.now(),
    lines: [
      { componentType: 'TUITION_FEE', amountPaise: paiseOf(paise - 100) },
      { componentType: 'BUS_FEE', amountPaise: paiseOf(100) },
    ],
  })
}

export function makeDebit(paise: number, mode: Rail = 'enach'): Debit {
  const order = makeOrder('instalment', paise)
  return {
    instituteId: school.id,
    order,
    provider: 'sandbox',
    accountId: 'sandbox',
    mode,
    at: ctx.clock.now(),
  }
}

export const open = (paise: number, rail?: Rail): Promise<Payment> =>
  ctx.db.transaction(async tx => {
    const [payment] = await openDebits(tx, [makeDebit(paise, rail)])
    assert.ok(payment !== undefined)
    return payment
  })

export const send = (payment: Payment, mandateRef: string): Promise<'sent' | 'over'> =>
  sendDebit(ctx, payment, {
    mandateRef,
    collectorCode: 'MAIN',
    payer: { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' },
    description: 'Instalment 1',
  })

/** Opened and handed to the bank. */
export async function present(paise: number, mandateRef: string, rail?: Rail): Promise<Payment> {
  const payment = await open(paise, rail)
  assert.equal(await send(payment, mandateRef), 'sent')
  return payment
}

export async function register(rail: Rail, changes: { startOn?: string; endOn?: string } = {}) {
  const mandateId = newId('mdt')
  const started = await port.register({
    instituteId: school.id,
    mandateId,
    rail,
    capPaise: paiseOf(20_000_00),
    startOn: '2020-01-01',
    endOn: '2099-12-31',
    payer: { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' },
    description: 'Fees of Kabir Rao',
    returnUrl: `${bursar.url}/healthz`,
    ...changes,
  })
  return { mandateId, ref: started.providerRef, page: started.redirectUrl }
}

export async function activeMandate(
  rail: Rail = 'enach',
  changes: { startOn?: string; endOn?: string } = {},
): Promise<string> {
  const { ref } = await register(rail, changes)
  for (const callback of await bank.actOnMandate({ instituteId: school.id, ref }, 'approve'))
    await bank.tell(callback)
  if (rail === 'enach') await advance('P5D')
  return ref
}

export async function advance(duration: string): Promise<Json> {
  const { body, status, text } = await demo.post('/api/v1/sandbox/clock', { advance: duration })
  assert.equal(status, 200, text)
  return body.data
}

export async function paymentNow({ id }: Pick<Payment, 'id'>): Promise<Json> {
  const [row] = await sql<Json>(
    `select p.state, p.failure_code, p.transaction_id, p.captured_at, p.settlement_id, p.provider_ref, o.state as order_state,
       r.cancelled_at, r.cancel_reason
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     left join receipts r on r.institute_id = p.institute_id and r.payment_id = p.id where p.id = $1`,
    [id],
  )
  return row
}

/** Whatever happened: the books agree, by the product's own reconciliation and by the tests' own questions. */
export async function expectSoundBooks(): Promise<void> {
  assert.deepEqual((await reconcile(ctx, school)).differences, [])
  assert.deepEqual(await findBroken(text => sql(text)), [])
}

/** Posts to the door that providers post to; the signature may be a forger's. */
export async function postCallback(report: unknown, signature?: string): Promise<number> {
  const text = JSON.stringify(report)
  const key = ctx.vault.deriveKey('sandbox bank callbacks')
  const right = createHmac('sha256', key).update(text).digest('hex')
  const headers = { 'x-sandbox-bank-signature': signature ?? right, authorization: '' }
  return (await demo.post('/callbacks/sandbox', text, headers)).status
}
