import assert from 'node:assert/strict'
import { downpaymentOrder } from '../../../src/flex/plans/open-setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { dayIn } from '../../flex/support.ts'
import type { TestBursar } from '../../harness/bursar.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { assertStatus, newStudent } from '../../http/support.ts'
import { createPage, submit } from '../../payment-pages/support.ts'

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1_000 },
  { component_type: 'BUS_FEE', fee_amount: 500.01 },
]
const DETAILS = FEES.map(({ component_type, fee_amount: amount }) => ({ component_type, amount }))

/** An order that somebody can pay and dispute, where it is read, and whose fees it pays. */
export type Disputable = { orderId: string; url: string; studentId?: string }

/** One of each kind that a payer pays; all of a student's fees where it is a student's. */
export const KINDS: Record<string, (bursar: TestBursar) => Promise<Disputable>> = {
  order: async ({ demo }) => {
    const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
    return { orderId: body.data.order_id, url: `${PAY}/orders/${body.data.order_id}` }
  },
  link: async ({ demo }) => {
    const { body } = await demo.post(`${PAY}/payment_links`, sampleOrder())
    return { orderId: body.data.order_id, url: `${PAY}/payment_links/${body.data.order_id}` }
  },
  'link for a student’s fees': async ({ demo }) => {
    const studentId = await newStudent(demo, { fee_components: FEES })
    const asked = sampleOrder({ service_student_id: studentId, details: DETAILS })
    const { body } = await demo.post(`${PAY}/payment_links`, asked)
    return { orderId: body.data.order_id, url: `${PAY}/payment_links/${body.data.order_id}`, studentId }
  },
  'dues order': async ({ demo }) => {
    const studentId = await newStudent(demo, { fee_components: FEES })
    const { body } = await demo.post(`${PAY}/students/${studentId}/orders`, {})
    return { orderId: body.data.order_id, url: `${PAY}/orders/${body.data.order_id}`, studentId }
  },
  'public page': async ({ demo }) => {
    const orderId = await submit((await createPage(demo)).url)
    return { orderId, url: `${PAY}/orders/${orderId}` }
  },
  'down payment': async ({ demo, app, url }) => {
    const studentId = await newStudent(demo, { fee_components: FEES })
    const [down, later] = DETAILS
    const payment_schedule = [
      { due_date: dayIn(1), is_downpayment: true, details: [down] },
      { due_date: dayIn(40), details: [later] },
    ]
    const plans = `/api/v1/integrations/flex/students/${studentId}/plans`
    const made = await demo.post(plans, { payment_schedule })
    assertStatus(made, 201)
    const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
    const key = { instituteId, planId: made.body.data.plan_id }
    const orderId = (await downpaymentOrder(app.ctx, key, `${url}/`)) ?? assert.fail('no down payment')
    return { orderId, url: `${PAY}/orders/${orderId}`, studentId }
  },
}
