import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { applyRefundReport } from '../../src/payments/refunds/refunds.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import type { PaymentContext } from '../../src/payments/context.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { repairBalances } from '../../src/fees/balances.service.ts'
import { AT } from '../console/orders/support.ts'
import { createPerson } from '../console/support.ts'
import { pay } from '../payment-pages/support.ts'
import { samplePayment } from '../http/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Answer } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY, sampleStudent } from '../harness/samples.ts'
import { csv, feeRow, importFile, paymentRow } from '../imports/support.ts'

const bursar = await startBursar({ after })
const { demo, app } = bursar
const sql = bursar.sql.bind(bursar)
const ctx = app.ctx as PaymentContext
const institute = await getInstitute(ctx, 'demo-school')
const finance = await createPerson(bursar, {
  email: 'finance@school.example',
  institute: 'demo-school',
  role: 'finance',
})

const COMPONENTS = ['TUITION_FEE', 'BUS_FEE', 'LAB_FEE'] as const
let number = 0

/** A student, and what of it can be acted on again. */
type World = { id: string; identifier: string; transactions: string[]; orders: string[] }

async function register(fees: readonly object[], payments: readonly object[] = []): Promise<World> {
  const identifier = `BAL-${++number}`
  const { status, body, text } = await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent({ identifier }),
    fee_components: fees,
    payments,
  })
  assert.equal(status, 201, text)
  return { id: body.data.service_student_id, identifier, transactions: [], orders: [] }
}

function allowed(answer: Answer, ...statuses: number[]): boolean {
  assert.ok(statuses.includes(answer.status), answer.text)
  return answer.status < 300
}

const payment = (component: string, amount: number): Record<string, unknown> =>
  samplePayment({ amount, fee_components: [{ component_type: component, amount }] })

type Step = { amount: number; component: (typeof COMPONENTS)[number]; pick: number }

/** Everything that changes what a student owes; one that has nothing to act on does nothing. */
const ACTS: Record<string, (world: World, step: Step) => Promise<void>> = {
  async changeFee({ id }, { component, amount, pick }) {
    const discounts = pick % 2 === 0 ? [{ discount_type: 'SIBLING', value: amount / 4 }] : []
    const fee = { component_type: component, fee_amount: amount * 3, discounts }
    allowed(await demo.patch(`${ERP}/students/${id}/fee`, { fee_components: [fee] }), 200)
  },
  async record(world, { component, amount }) {
    const sent = payment(component, amount)
    allowed(await demo.post(`${ERP}/students/${world.id}/payments`, sent), 201)
    world.transactions.push(String(sent['transaction_id']))
  },
  async correct({ id, transactions }, { component, amount, pick }) {
    const transaction = transactions[pick % transactions.length]
    if (transaction === undefined) return
    const change = { amount, fee_components: [{ component_type: component, amount }] }
    allowed(await demo.patch(`${ERP}/students/${id}/payments/${transaction}`, change), 200, 409)
  },
  async cancel({ id, transactions }, { pick }) {
    const transaction = transactions[pick % transactions.length]
    if (transaction === undefined) return
    allowed(await demo.delete(`${ERP}/students/${id}/payments/${transaction}`), 200)
  },
  async payAtCheckout(world, { amount, pick }) {
    const wanted = pick % 2 === 0 ? {} : { amount }
    const order = await demo.post(`${PAY}/students/${world.id}/orders`, wanted)
    // Nothing is due, or less than that.
    if (!allowed(order, 201, 400, 409)) return
    await pay(demo, order.body.data.order_id, pick % 5 === 0 ? 'failure' : 'success')
    world.orders.push(order.body.data.order_id)
  },
  async refund({ orders }, { amount, pick }) {
    const order = orders[pick % orders.length]
    if (order === undefined) return
    const asked = { reason: 'The family asked for it', amount: amount / 10 }
    allowed(await finance.post(`${AT}/orders/${order}/refunds`, asked), 201, 409)
  },
  async failRefund() {
    const [refund] = await sql<{ id: string }>(`select id from refunds where state = 'pending' limit 1`)
    if (refund === undefined) return
    const outcome = { kind: 'failed', message: 'the account is closed' } as const
    const report = { about: 'refund', instituteId: institute.id, refundId: refund.id } as const
    await applyRefundReport(ctx, { ...report, providerRef: '', outcome })
  },
  async importPayments({ identifier }, { component, amount, pick }) {
    const row = { identifier, transaction_id: `FILE-${pick}`, component_type: component, amount }
    await importFile(bursar, 'kind=payments&mode=good', csv([paymentRow(row)]))
  },
  async importFees({ identifier }, { component, amount }) {
    const row = { identifier, component_type: component, fee_amount: amount }
    await importFile(bursar, 'kind=fees&mode=good', csv([feeRow(row)]))
  },
}

test('after any sequence of fees, payments, refunds and imports what is kept is what the raw tables sum up to', async () => {
  const step = fc.record({
    act: fc.constantFrom(...Object.keys(ACTS)),
    amount: fc.integer({ min: 1, max: 500 }).map(hundreds => hundreds * 100),
    component: fc.constantFrom(...COMPONENTS),
    pick: fc.nat(9),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async steps => {
      const world = await register([
        { component_type: 'TUITION_FEE', fee_amount: 60_000 },
        { component_type: 'BUS_FEE', fee_amount: 5_000 },
      ])
      for (const { act, ...rest } of steps) {
        await ACTS[act]?.(world, rest)
        assert.deepEqual(await findBroken(sql), [], `${act} of ${JSON.stringify(steps)}`)
      }
      const { body } = await demo.get(`${ERP}/students/${world.id}`)
      const [kept] = await sql(
        `select sum(fee_paise)::bigint as fee, sum(discount_paise)::bigint as discount, sum(paid_paise)::bigint as paid,
           sum(outstanding_paise)::bigint as outstanding, sum(advance_paise)::bigint as advance
         from student_balances where student_id = $1`,
        [world.id],
      )
      const { total_fee, discount, paid, outstanding, advance } = body.data.fee_summary
      const paise = [total_fee, discount, paid, outstanding, advance].map(rupees => Math.round(rupees * 100))
      assert.deepEqual(Object.values(kept ?? {}), paise)
    }),
    { numRuns: 12 },
  )
})

test('payments of one student that come at once are all counted', async () => {
  const world = await register([{ component_type: 'TUITION_FEE', fee_amount: 60_000 }])
  const { body } = await demo.post(`${PAY}/students/${world.id}/orders`, { amount: 1_000 })
  await Promise.all([
    pay(demo, body.data.order_id),
    ...Array.from({ length: 6 }, () =>
      demo.post(`${ERP}/students/${world.id}/payments`, payment('TUITION_FEE', 100)),
    ),
    demo.patch(`${ERP}/students/${world.id}/fee`, {
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 70_000 }],
    }),
  ])
  await Promise.all(
    [10, 20, 30].map(amount =>
      finance.post(`${AT}/orders/${body.data.order_id}/refunds`, { reason: 'Asked for', amount }),
    ),
  )
  const rows = await sql(
    `select fee_paise as fee, paid_paise as paid from student_balances where student_id = $1`,
    [world.id],
  )
  assert.deepEqual(rows, [{ fee: 7_000_000, paid: 160_000 - 6_000 }])
})

test('a balance that is not what fees and payments say is reported by the reconciliation, and repaired when asked for', async () => {
  const { id } = await register([{ component_type: 'TUITION_FEE', fee_amount: 600 }])
  const { id: other } = await register([{ component_type: 'TUITION_FEE', fee_amount: 700 }])
  await sql('update student_balances set paid_paise = 10000 where student_id = $1', [id])
  await sql('delete from student_balances where student_id = $1', [other])
  const found = (await reconcile(ctx, institute)).differences
  assert.deepEqual(
    found.map(({ subject, detail }) => `${subject}: ${detail}`).toSorted(),
    [
      `${id} TUITION_FEE: paid 10000 instead of 0 paise`,
      `${other} TUITION_FEE: fee 0 instead of 70000 paise`,
    ].toSorted(),
  )
  assert.equal(await repairBalances(ctx, institute.id), 2)
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])
  assert.equal(await repairBalances(ctx, institute.id), 0)
})
