import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApprovalAct } from '../../../src/console/approvals/approvals.rules.ts'
import { findPayment } from '../../../src/payments/payments.service.ts'
import { applyRefundReport, refundDuplicate } from '../../../src/payments/refunds/refunds.service.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { credit } from '../../banking/support.ts'
import { dayIn } from '../../flex/support.ts'
import { pay } from '../../payment-pages/support.ts'
import { instituteId, registerStudent } from '../../students/support.ts'
import { must, openFlexSchool } from '../flex/support.ts'
import { GIVES_NOTHING, YEAR } from '../gives-nothing.ts'
import { AT, makeOrder, uploadFile } from '../orders/support.ts'
import { checkList } from '../student-list.ts'
import { assertAnswer, createPerson } from '../support.ts'

/**
 * Every act of the console that gives money away is weighed. A route that is added fails here until it has an example that
 * waits, or a reason why it gives nothing away.
 */
const flex = await openFlexSchool({ after })
const { bursar, plans } = flex
const { demo } = bursar
const [meera, head] = await Promise.all([
  createPerson(bursar, { email: 'meera@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'head@school.example', institute: 'demo-school', role: 'owner' }),
])
const WHY = { reason: 'The family asked for it' }
const clockDay = async (): Promise<string> =>
  (await must(demo.get('/api/v1/sandbox/clock'))).body.data.now.slice(0, 10)
const year = (years: string): string => `${AT}/fee-structures/${years}`

const firstOfAsha = async (): Promise<Json> => (await flex.planOf('Asha')).payment_schedule[0]

/** Each of them would give away more than one person may. */
type Example = { route: string; ask: () => Promise<Answer> }

const child = (identifier: string, more: Json = {}): Promise<string> =>
  registerStudent(
    demo,
    { identifier, ...more },
    {
      fee_components: ['LIBRARY_FEE', 'LAB_FEE'].map(type => ({ component_type: type, fee_amount: 60_000 })),
    },
  )

const structure = (grade: string, amount: number): Json => ({
  terms: [{ name: 'Year', due_date: '2031-06-10' }],
  fee_heads: ['LAB_FEE'],
  grades: ['11', '12'],
  amounts: [
    { grade, component_type: 'LAB_FEE', term: 1, amount },
    { grade: '12', component_type: 'LAB_FEE', term: 1, amount: 1_000 },
  ],
  concessions: [],
  ...WHY,
})

const setRules = (lateFees: Json[]): Promise<Answer> =>
  demo.send('PUT', `${ERP}/payment-rules`, { late_fees: lateFees })

const late = async (componentType: string, days: number, perDay: number): Promise<Json> => ({
  component_type: componentType,
  due_date: dayIn(-days, await clockDay()),
  kind: 'per_day',
  amount_per_day: perDay,
})

/** One for each act that can be kept: without it this does not compile. */
const WEIGHED: Record<ApprovalAct, Example> = {
  refund: {
    route: 'POST /orders/:order_id/refunds',
    ask: async () => {
      const order = await makeOrder(demo, 'orders')
      await pay(demo, order)
      return meera.post(`${AT}/orders/${order}/refunds`, WHY)
    },
  },
  refund_of_other_amount: {
    route: 'POST /money/reconciliation/items/:report_id/refund',
    ask: async () => {
      const order = await makeOrder(demo, 'orders')
      const { payment_id: id } = await pay(demo, order)
      const payment = await findPayment(bursar.app.ctx, await instituteId(bursar), id)
      assert.ok(payment !== null)
      await bursar.app.ctx.db.transaction(tx => refundDuplicate(tx, payment, bursar.app.ctx.clock.now()))
      const [refund] = await bursar.sql<{ id: string }>(
        `select id from refunds where order_id = $1 and kind = 'duplicate'`,
        [order],
      )
      await applyRefundReport(bursar.app.ctx, {
        about: 'refund',
        instituteId: await instituteId(bursar),
        refundId: refund?.id ?? '',
        providerRef: '',
        outcome: { kind: 'failed', message: 'The account is closed' },
      })
      const { data } = (await meera.get(`${AT}/money/reconciliation/items?status=mismatched`)).body
      return meera.post(`${AT}/money/reconciliation/items/${data[0].id}/refund`, WHY)
    },
  },
  advance_refund: {
    route: 'POST /students/:service_student_id/advance-refunds',
    ask: async () => {
      const student = await child('ACT-ADVANCE')
      const order = await must(
        demo.post(`/api/v1/integrations/pay/students/${student}/orders`, { amount: 6_000 }),
      )
      await pay(demo, order.body.data.order_id)
      const fee_components = ['LIBRARY_FEE', 'LAB_FEE'].map(type => ({ component_type: type, fee_amount: 0 }))
      await must(demo.send('PATCH', `${ERP}/students/${student}/fee`, { fee_components }))
      return meera.post(`${AT}/students/${student}/advance-refunds`, WHY)
    },
  },
  concession: {
    route: 'POST /students/:service_student_id/concessions',
    ask: async () =>
      meera.post(`${AT}/students/${await child('ACT-CONCESSION')}/concessions`, {
        component_type: 'LIBRARY_FEE',
        discount_type: 'HARDSHIP',
        amount: 6_000,
        ...WHY,
      }),
  },
  late_fee_waiver: {
    route: 'POST /students/:service_student_id/late-fee-waivers',
    ask: async () => {
      const student = await child('ACT-WAIVER')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.post(`${AT}/students/${student}/late-fee-waivers`, WHY)
    },
  },
  payment_cancellation: {
    route: 'DELETE /students/:service_student_id/payments/:transaction_id',
    ask: async () => {
      const student = await child('ACT-CASH')
      const lines = { fee_components: [{ component_type: 'LIBRARY_FEE', amount: 6_000 }] }
      const cash = { mode: 'cash', amount: 6_000, paid_at: await clockDay(), transaction_id: 'ACT-CASH' }
      assertAnswer(await meera.post(`${AT}/students/${student}/payments`, { ...cash, ...lines }), '201')
      return meera.send('DELETE', `${AT}/students/${student}/payments/ACT-CASH`, WHY)
    },
  },
  counter_refund: {
    route: 'POST /students/:service_student_id/payments/:transaction_id/refunds',
    ask: async () => {
      const student = await child('ACT-BACK')
      const lines = { fee_components: [{ component_type: 'LIBRARY_FEE', amount: 6_000 }] }
      const cash = { mode: 'cash', amount: 6_000, paid_at: await clockDay(), transaction_id: 'ACT-BACK' }
      assertAnswer(await meera.post(`${AT}/students/${student}/payments`, { ...cash, ...lines }), '201')
      return meera.post(`${AT}/students/${student}/payments/ACT-BACK/refunds`, { way: 'cash', ...WHY })
    },
  },
  payment_move: {
    route: 'POST /students/:service_student_id/payments/:transaction_id/move',
    ask: async () => {
      const [student, other] = [await child('ACT-FROM'), await child('ACT-TO')]
      const lines = { fee_components: [{ component_type: 'LIBRARY_FEE', amount: 6_000 }] }
      const cash = { mode: 'cash', amount: 6_000, paid_at: await clockDay(), transaction_id: 'ACT-MOVE' }
      assertAnswer(await meera.post(`${AT}/students/${student}/payments`, { ...cash, ...lines }), '201')
      const move = { to_service_student_id: other, ...WHY }
      return meera.post(`${AT}/students/${student}/payments/ACT-MOVE/move`, move)
    },
  },
  leaving: {
    route: 'POST /students/:service_student_id/leaving',
    ask: async () =>
      meera.post(`${AT}/students/${await child('ACT-LEAVING')}/leaving`, {
        left_on: await clockDay(),
        charges: [{ component_type: 'LIBRARY_FEE', charge: 'none' }],
        ...WHY,
      }),
  },
  payment_rules: {
    route: 'PUT /payment-rules',
    ask: async () => {
      await child('ACT-RULES')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.send('PUT', `${AT}/payment-rules`, { late_fees: [], ...WHY })
    },
  },
  structure_change: {
    route: `PUT ${YEAR}`,
    ask: async () => {
      assertAnswer(await meera.send('PUT', year('2029/2030'), structure('11', 60_000)), '200')
      return meera.send('PUT', year('2029/2030'), structure('11', 50_000))
    },
  },
  structure_drop: {
    route: `DELETE ${YEAR}/branches/:collector_code`,
    ask: async () => {
      const own = `${year('2028/2029')}/branches/MAIN`
      assertAnswer(await meera.send('PUT', own, structure('11', 60_000)), '200')
      return meera.send('DELETE', own, WHY)
    },
  },
  fee_structure: {
    route: `POST ${YEAR}/apply`,
    ask: async () => {
      await child('ACT-APPLY', { grade: '11' })
      assertAnswer(await setRules([]), '200')
      assertAnswer(await meera.send('PUT', year('2026/2027'), structure('11', 50_000)), '200')
      return meera.post(`${year('2026/2027')}/apply`, { grade: '11', ...WHY })
    },
  },
  student_file: {
    route: 'POST /student-files/:roster_id/start',
    ask: async () => {
      await child('ACT-LIST')
      const listed = { identifier: 'ACT-LIST', grade: '5', component: 'LIBRARY_FEE', fee: 1 }
      const { sent } = await checkList(bursar, meera, listed)
      return meera.post(`${AT}/student-files/${sent.body.data.id}/start`, WHY)
    },
  },
  rollover: {
    route: 'POST /rollovers',
    ask: async () => {
      await child('ACT-ROLL', { grade: '8' })
      return meera.post(`${AT}/rollovers`, {
        from_academic_year_start: 2026,
        from_academic_year_end: 2027,
        to_academic_year_start: 2027,
        to_academic_year_end: 2028,
        grades: [{ grade: '8', next_grade: '8' }],
        fees: [{ grade: '8', fee_components: [{ component_type: 'LIBRARY_FEE', fee_amount: 1 }] }],
        without_structure: true,
        ...WHY,
      })
    },
  },
  class_change: {
    route: 'PATCH /students/:service_student_id',
    ask: async () => {
      assertAnswer(await meera.send('PUT', year('2030/2031'), structure('11', 60_000)), '200')
      const added = await meera.post(
        `${AT}/students`,
        sampleStudent({
          identifier: 'ACT-MOVE',
          grade: '11',
          academic_year_start: 2030,
          academic_year_end: 2031,
        }),
      )
      assertAnswer(added, '201')
      return meera.send('PATCH', `${AT}/students/${added.body.data.service_student_id}`, {
        grade: '12',
        ...WHY,
      })
    },
  },
  optional_fee: {
    route: 'POST /optional-fees/:optional_fee_id/endings',
    ask: async () => {
      const student = await child('ACT-BUS')
      const sent = { academic_year_start: 2026, academic_year_end: 2027, kind: 'transport', name: 'Bus' }
      const options = [{ name: 'Route 1', amount: 60_000 }]
      const fee = { ...sent, component_type: 'BUS_FEE', rhythm: 'once', options }
      const made = await must(meera.post(`${AT}/optional-fees`, fee))
      const at = `${AT}/optional-fees/${made.body.data.optional_fee_id}`
      const [option] = (await meera.get(at)).body.data.options
      const student_ids = [student]
      await must(meera.post(`${at}/children`, { student_ids, option_id: option.option_id }))
      return meera.post(`${at}/endings`, { student_ids, take_back: true, ...WHY })
    },
  },
  plan_reschedule: {
    route: 'POST /flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    ask: async () => {
      const first = await firstOfAsha()
      for (let days = 0; days < 15 && (await firstOfAsha()).status !== 'presented'; days++)
        await flex.advance('P1D')
      // Stopped by the payer: a person decides what becomes of it.
      const path = `/api/v1/sandbox/flex/instalments/${first.id}/outcome`
      await must(demo.post(path, { outcome: 'bounced', code: '07' }))
      assertAnswer(await setRules([await late('TUITION_FEE', 1, 10_000)]), '200')
      return meera.post(`${AT}/flex/plans/${plans.Asha}/instalments/${first.id}/reschedule`, {
        new_due_date: dayIn(9, await clockDay()),
        ...WHY,
      })
    },
  },
  plan_charge_cancellation: {
    route: 'POST /flex/plans/:plan_id/charges/:instalment_id/cancel',
    ask: async () => {
      const path = `${AT}/flex/plans/${plans.Kabir}/charges`
      const picnic = { component_type: 'PICNIC_FEE', amount: 6_000, due_date: dayIn(20, await clockDay()) }
      const { id } = (await must(meera.post(path, { ...picnic, ...WHY }))).body.data.charge
      return meera.post(`${path}/${id}/cancel`, WHY)
    },
  },
  plan_resumption: {
    route: 'POST /flex/plans/:plan_id/resume',
    ask: async () => {
      assertAnswer(await setRules([await late('TUITION_FEE', 0, 10_000)]), '200')
      await flex.advance('P1D')
      return meera.post(`${AT}/flex/plans/${plans.Dev}/resume`, WHY)
    },
  },
}

/** These waive a late fee in passing: beyond the limits they are refused, and it is asked for on the student's page. */
const REFUSED: Example[] = [
  {
    route: 'POST /students/:service_student_id/payments',
    ask: async () => {
      const student = await child('ACT-COUNTER')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.post(`${AT}/students/${student}/payments`, {
        mode: 'cash',
        amount: 60_000,
        paid_at: await clockDay(),
        transaction_id: 'ACT-COUNTER',
        fee_components: [{ component_type: 'LIBRARY_FEE', amount: 60_000 }],
        waive_late_fee_reason: 'Kind',
      })
    },
  },
  {
    route: 'POST /counter/takings',
    ask: async () => {
      const student = await child('ACT-FAMILY')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.post(`${AT}/counter/takings`, {
        children: [
          {
            service_student_id: student,
            fee_components: [{ component_type: 'LIBRARY_FEE', amount: 60_000 }],
          },
        ],
        ways: [{ mode: 'cash', amount: 60_000 }],
        waive_late_fee_reason: 'Kind',
      })
    },
  },
  {
    route: 'POST /bank/lines/:line_id/payment',
    ask: async () => {
      const student = await child('ACT-BANK')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      const account = (await must(meera.post(`${AT}/bank-accounts`, { name: 'Main' }))).body.data.id
      const day = (await clockDay()).split('-').toReversed().join('/')
      const titles = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance'
      const file = ['ACME BANK', titles, credit(day, 'NEFT RAO', 'UTR000123456', 60_000)].join('\r\n')
      await must(uploadFile(meera, file, { to: 'bank/statements', query: `account_id=${account}` }))
      const [line] = (await meera.get(`${AT}/bank/lines?account_id=${account}`)).body.data
      return meera.post(`${AT}/bank/lines/${line.id}/payment`, {
        service_student_id: student,
        fee_components: [{ component_type: 'LIBRARY_FEE', amount: 60_000 }],
        waive_late_fee_reason: 'Kind',
      })
    },
  },
]

before(async () =>
  assertAnswer(await head.send('PUT', `${AT}/approval-limit`, { above: 5_000, ...WHY }), '200'),
)

test('every route by which people of a school change something is weighed, or gives nothing away for a reason', () => {
  const prefix = '/console/api/institutes/:institute_code'
  const served = bursar.app.routes
    .filter(({ method, url }) => method !== 'GET' && url.startsWith(`${prefix}/`))
    .map(({ method, url }) => `${method} ${url.slice(prefix.length)}`)
  const known = [
    ...Object.values(WEIGHED).map(example => example.route),
    ...REFUSED.map(example => example.route),
    ...Object.values(GIVES_NOTHING).flat(),
  ]
  assert.deepEqual(served.toSorted(), known.toSorted())
})

for (const [act, { route, ask }] of Object.entries(WEIGHED))
  test(`${act} beyond the limits waits for a second person: ${route}`, async () => {
    const { status, body, text } = await ask()
    assert.ok(status === 200 || status === 201, text)
    assert.deepEqual([body.data.status, body.data.act], ['waiting', act], text)
    assert.ok(body.data.amount > 5_000, text)
  })

for (const { route, ask } of REFUSED)
  test(`a late fee beyond the limits is not waived in passing: ${route}`, async () => {
    const answer = await ask()
    assertAnswer(answer, '409 HUE00002')
    assert.match(answer.body.message, /second person/)
  })
