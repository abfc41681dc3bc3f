import assert from 'node:assert/strict'
import { dayOf } from '../../../src/platform/calendar.ts'
import type { TestBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { assertAnswer, createPerson, demoVisitor, type Visitor } from '../support.ts'

export const MONEY = '/console/api/institutes/demo-school/money'

const DAY_MS = 86_400_000

/** A day so many days ago; in days to come when negative. */
export function daysAgo(days: number): string {
  return dayOf(new Date(sandboxNow() - days * DAY_MS))
}

export async function makeStudent(
  { demo }: TestBursar,
  changes: Record<string, unknown>,
  body: Record<string, unknown>,
): Promise<string> {
  const identifier = String(changes['identifier'])
  const answer = await demo.post(`${ERP}/users/parent-${identifier}/students`, {
    student: sampleStudent(changes),
    ...body,
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

/** An order that was paid; answers its id and the payment's. */
export async function payOrder(
  { demo }: TestBursar,
  changes: Record<string, unknown> = {},
): Promise<{ orderId: string; paymentId: string }> {
  const made = await demo.post(`${PAY}/orders`, sampleOrder(changes))
  assert.equal(made.status, 201, made.text)
  const orderId: string = made.body.data.order_id
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, {
    outcome: 'success',
    mode: 'upi',
  })
  assert.equal(paid.status, 200, paid.text)
  return { orderId, paymentId: paid.body.data.payment_id }
}

type School = {
  /** Owe tuition since 40 days and transport, which has no due day. */
  late: string
  /** Paid half of the tuition at the counter. */
  half: string
  settled: { orderId: string; paymentId: string }
  waiting: { orderId: string; paymentId: string }
  plan: { orderId: string; paymentId: string }
}

/** A school with everything that the money pages show, and who looks at it. */
export async function openMoney(bursar: TestBursar) {
  const person = (role: 'viewer' | 'finance') =>
    createPerson(bursar, { email: `${role}@school.example`, institute: 'demo-school', role })
  return {
    school: await setMoney(bursar),
    owner: await demoVisitor(bursar.url),
    viewer: await person('viewer'),
    finance: await person('finance'),
  }
}

export async function setMoney(bursar: TestBursar): Promise<School> {
  const { demo, app } = bursar
  const rule = { component_type: 'TUITION_FEE', due_date: daysAgo(40), kind: 'none' }
  const hostel = { component_type: 'HOSTEL', due_date: daysAgo(-10), kind: 'none' }
  const rules = await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule, hostel] })
  assert.equal(rules.status, 200, rules.text)
  const late = await makeStudent(
    bursar,
    { identifier: 'ADM-1', fullname: '=HYPERLINK("http://evil.example")', grade: '5' },
    {
      fee_components: [
        {
          component_type: 'TUITION_FEE',
          fee_amount: 40000,
          discounts: [{ discount_type: 'SIBLING', value: 1000 }],
        },
        { component_type: 'TRANSPORT', fee_amount: 5000 },
        { component_type: 'HOSTEL', fee_amount: 7000 },
      ],
    },
  )
  const cash = {
    amount: 10000,
    paid_at: daysAgo(3),
    mode: 'cash',
    transaction_id: 'CASH-1',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 10000 }],
  }
  const half = await makeStudent(
    bursar,
    { identifier: 'ADM-2', fullname: 'Meera Iyer', grade: '6', primary_contact_number: '+91 98765 00002' },
    { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 20000 }], payments: [cash] },
  )
  const settled = await payOrder(bursar, { student_name: 'Kabir & Rao <1>', identifier: 'ADM-9' })
  await demo.post(`${PAY}/orders/${settled.orderId}/refunds`, { amount: 500, reason: 'Moved away' })
  const plan = await payOrder(bursar, { details: [{ component_type: 'TRANSPORT', amount: 3000 }] })
  await bursar.sql(`update orders set kind = 'downpayment' where id = $1`, [plan.orderId])
  await app.worker.runAllDue()
  const run: { status: number; body: Json } = await demo.post('/api/v1/sandbox/settlements/run')
  assert.equal(run.status, 200)
  const waiting = await payOrder(bursar, { details: [{ component_type: 'LIBRARY', amount: 1200.5 }] })
  return { late, half, settled, waiting, plan }
}

type SavedFile = { status: number; bytes: Buffer; text: string }

/** What a person at the money pages reads and saves. */
export function deskOf(owner: Visitor): {
  read: (path: string) => Promise<Json>
  everyPage: (path: string) => Promise<Json[]>
  file: (path: string, visitor?: Visitor) => Promise<SavedFile>
} {
  return {
    async read(path) {
      const answer = await owner.get(MONEY + path)
      assertAnswer(answer, '200')
      return answer.body.data
    },
    /** One row a page. */
    async everyPage(path) {
      const rows: Json[] = []
      const glue = path.includes('?') ? '&' : '?'
      for (let cursor = ''; ;) {
        const { body } = await owner.get(`${MONEY}${path}${glue}limit=1${cursor}`)
        rows.push(...body.data)
        if (!body.has_more) return rows
        cursor = `&cursor=${body.next_cursor}`
      }
    },
    async file(path, visitor = owner) {
      const response = await fetch(owner.url + MONEY + path, { headers: { cookie: visitor.cookie ?? '' } })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, bytes, text: bytes.toString('utf8') }
    },
  }
}

export function ids(rows: readonly Json[], key = 'id'): string[] {
  return rows.map(row => row[key])
}
