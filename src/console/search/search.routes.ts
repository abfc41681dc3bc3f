import type { FastifyInstance } from 'fastify'
import { addConsoleRead } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { LONGEST_SEARCH, SHORTEST_SEARCH } from './search.rules.ts'
import { search, type SearchResults } from './search.service.ts'
import { one } from '../../http/reply.ts'
import { field, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { stateAt } from '../../orders/orders.rules.ts'
import type { Context } from '../../platform/context.ts'

const searchQuery = query({
  q: field.text(
    'Beginnings of words for students; ids, admission numbers, receipt numbers, bank references and UTRs for the rest.',
    'kabir',
    LONGEST_SEARCH,
    SHORTEST_SEARCH,
  ),
})

/** A few of each kind that fit what was typed. Reading an order's state takes the time. */
const WHEN = '2026-11-15T04:32:10.000Z'
const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'
const ORDER_ID = 'order_01k9zq4m0ve8sbn6yt2hw3c5da'

type SearchResult<Kind extends keyof SearchResults> = SearchResults[Kind][number]

const student = outputOf<SearchResult<'students'>, Date>()
const studentOutput = student.object({
  service_student_id: student.text('Id of the student.', STUDENT_ID, ({ id }) => id),
  fullname: student.text('Full name.', 'Kabir Rao'),
  identifier: student.text('Admission number.', 'ADM-1042'),
  grade: student.text('Grade code.', '5'),
  academic_year_start: student.integer('Start year.', 2026),
  academic_year_end: student.integer('End year.', 2027),
  status: student.oneOf(['active', 'dropped'], 'Whether the student is at school.'),
})

const order = outputOf<SearchResult<'orders'>, Date>()
const orderOutput = order.object({
  order_id: order.text('Id of the order.', ORDER_ID, ({ id }) => id),
  kind: order.text('Such as order, link or student.', 'link'),
  status: order.text('Where it stands now.', 'paid', (row, now) => stateAt(row, now)),
  name: order.text('The student, or the payer.', 'Kabir Rao', row => row.studentName ?? row.name),
  amount: order.amount('Rupees.', 1500),
  created_at: order.moment('Made, UTC.', WHEN),
})

const plan = outputOf<SearchResult<'plans'>, Date>()
const planOutput = plan.object({
  plan_id: plan.text('Id of the plan.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da', ({ id }) => id),
  service_student_id: plan.text('Id of the student.', STUDENT_ID, ({ studentId }) => studentId),
  fullname: plan.text('Whose it is.', 'Kabir Rao', ({ studentName }) => studentName),
  status: plan.text('Where it stands.', 'active'),
})

/** Where a hit leads: an order, or else a student. */
const target = outputOf<{ orderId: string | null; studentId: string | null }, Date>()
const targetFields = {
  order_id: target.optional.text('Id of the order.', ORDER_ID),
  service_student_id: target.optional.text('Id of the student.', STUDENT_ID, ({ studentId }) => studentId),
}

const payment = outputOf<SearchResult<'payments'>, Date>()
const paymentOutput = payment.object({
  payment_id: payment.text('Id of the payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da', ({ id }) => id),
  kind: payment.oneOf(['online', 'direct'], 'Through here, or taken by the institute.'),
  status: payment.text('Where it stands.', 'captured', ({ state }) => state),
  transaction_id: payment.optional.text("The bank's or the counter's reference.", '412345678901'),
  amount: payment.amount('Rupees.', 1500),
  at: payment.moment('When, UTC.', WHEN),
  ...targetFields,
})

const utr = outputOf<SearchResult<'utrs'>, Date>()
const utrOutput = utr.object({
  id: utr.text('Id of what it stands on.', 'setl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  kind: utr.oneOf(
    ['settlement', 'refund', 'direct'],
    'Paid out to the institute, given back, or paid to its account.',
  ),
  utr: utr.text('The reference.', 'HDFCR52026111500042'),
  amount: utr.signedAmount('Rupees; less than 0 where more was given back than came in.', 1500),
  at: utr.optional.moment('When, UTC.', WHEN),
  ...targetFields,
})

const request = outputOf<SearchResult<'requests'>, Date>()
const requestOutput = request.object({
  request_id: request.text('Id of the request.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
  what: request.text('What it did.', 'order.refunded'),
  about: request.text('To what.', ORDER_ID),
  by: request.text('Who.', 'asha@example.in'),
  at: request.moment('When, UTC.', WHEN),
})

const asked = outputOf<SearchResult<'erpRequests'>, Date>()
const erpRequestOutput = asked.object({
  request_id: asked.text('Id of the request.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da', ({ id }) => id),
  method: asked.text('Such as POST.', 'POST'),
  route: asked.text('The pattern of its address.', '/api/v1/integrations/pay/orders'),
  status: asked.integer('What it was answered with.', 201),
  at: asked.moment('When, in real time, UTC.', WHEN),
})

const out = outputOf<SearchResults, Date>()
const foundOutput = out.object({
  students: out.list('By name.', studentOutput),
  orders: out.list('Orders and links, newest first.', orderOutput),
  plans: out.list('Instalment plans.', planOutput),
  payments: out.list('Payments.', paymentOutput),
  utrs: out.list('Bank references.', utrOutput),
  requests: out.list('What people did, for those who may read the audit log.', requestOutput),
  erp_requests: out.list('What the ERP asked within the last month.', erpRequestOutput),
})

export type SearchAnswer = Shown<typeof foundOutput>

export function searchRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/search',
    roles: EVERYONE,
    query: searchQuery,
    output: one(foundOutput, () => ctx.clock.now()),
    answer: ({ institute, role, query }) => search(ctx, { institute, role }, query.q),
  })
}
