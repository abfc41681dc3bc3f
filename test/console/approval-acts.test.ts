import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApprovalAct } from '../../src/console/approvals/approvals.rules.ts'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { findPayment } from '../../src/payments/payments.service.ts'
import { applyRefundReport, refundDuplicate } from '../../src/payments/refunds/refunds.service.ts'
import type { Answer, Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { credit } from '../banking/support.ts'
import { dayIn } from '../flex/support.ts'
import { pay } from '../payment-pages/support.ts'
import { instituteId, registerStudent } from '../students/support.ts'
import { must, openFlexSchool } from './flex/support.ts'
import { AT, makeOrder, uploadFile } from './orders/support.ts'
import { assertAnswer, createPerson } from './support.ts'

/**
 * Every act of the console that gives money away is weighed. A route that is added fails here until it has an example that
 * waits, or a reason why it gives nothing away.
 */
const { bursar, plans, planOf, advance } = await openFlexSchool({ after })
const { demo } = bursar
const [meera, head] = await Promise.all([
  createPerson(bursar, { email: 'meera@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'head@school.example', institute: 'demo-school', role: 'owner' }),
])
const WHY = { reason: 'The family asked for it' }
const clockDay = async (): Promise<string> =>
  (await must(demo.get('/api/v1/sandbox/clock'))).body.data.now.slice(0, 10)
const YEAR = '/fee-structures/:academic_year_start/:academic_year_end'
const year = (years: string): string => `${AT}/fee-structures/${years}`

/** Each of them would give away more than one person may. */
type Example = { route: string; ask(): Promise<Answer> }

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

async function checkedList(identifier: string, fee: number): Promise<string> {
  const text = `No,Pupil,Std,Cell,Library\r\n${identifier},Kabir Rao,5,9876543210,${fee}\r\n`
  const names = ['identifier', 'fullname', 'grade', 'primary_contact_number', 'fee:LIBRARY_FEE']
  const ofYear = { academic_year_start: '2026', academic_year_end: '2027' }
  const query = new URLSearchParams({ columns: JSON.stringify(names), ...ofYear }).toString()
  const sent = await uploadFile(meera, text, { name: 'list.csv', to: 'student-files', query })
  assertAnswer(sent, '201')
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id: sent.body.data.id })
  return sent.body.data.id
}

/** One for each act that can be kept: without it this does not compile. */
const WEIGHED: Record<ApprovalAct, Example> = {
  refund: {
    route: 'POST /orders/:order_id/refunds',
    async ask() {
      const order = await makeOrder(demo, 'orders')
      await pay(demo, order)
      return meera.post(`${AT}/orders/${order}/refunds`, WHY)
    },
  },
  refund_of_other_amount: {
    route: 'POST /money/reconciliation/items/:report_id/refund',
    async ask() {
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
    async ask() {
      const student = await child('ACT-WAIVER')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.post(`${AT}/students/${student}/late-fee-waivers`, WHY)
    },
  },
  payment_cancellation: {
    route: 'DELETE /students/:service_student_id/payments/:transaction_id',
    async ask() {
      const student = await child('ACT-CASH')
      const lines = { fee_components: [{ component_type: 'LIBRARY_FEE', amount: 6_000 }] }
      const cash = { mode: 'cash', amount: 6_000, paid_at: await clockDay(), transaction_id: 'ACT-CASH' }
      assertAnswer(await meera.post(`${AT}/students/${student}/payments`, { ...cash, ...lines }), '201')
      return meera.send('DELETE', `${AT}/students/${student}/payments/ACT-CASH`, WHY)
    },
  },
  payment_rules: {
    route: 'PUT /payment-rules',
    async ask() {
      await child('ACT-RULES')
      assertAnswer(await setRules([await late('LIBRARY_FEE', 10, 1_000)]), '200')
      return meera.send('PUT', `${AT}/payment-rules`, { late_fees: [], ...WHY })
    },
  },
  structure_change: {
    route: `PUT ${YEAR}`,
    async ask() {
      assertAnswer(await meera.send('PUT', year('2029/2030'), structure('11', 60_000)), '200')
      return meera.send('PUT', year('2029/2030'), structure('11', 50_000))
    },
  },
  structure_drop: {
    route: `DELETE ${YEAR}/branches/:collector_code`,
    async ask() {
      const own = `${year('2028/2029')}/branches/MAIN`
      assertAnswer(await meera.send('PUT', own, structure('11', 60_000)), '200')
      return meera.send('DELETE', own, WHY)
    },
  },
  fee_structure: {
    route: `POST ${YEAR}/apply`,
    async ask() {
      await child('ACT-APPLY', { grade: '11' })
      assertAnswer(await setRules([]), '200')
      assertAnswer(await meera.send('PUT', year('2026/2027'), structure('11', 50_000)), '200')
      return meera.post(`${year('2026/2027')}/apply`, { grade: '11', ...WHY })
    },
  },
  student_file: {
    route: 'POST /student-files/:roster_id/start',
    async ask() {
      await child('ACT-LIST')
      return meera.post(`${AT}/student-files/${await checkedList('ACT-LIST', 1)}/start`, WHY)
    },
  },
  rollover: {
    route: 'POST /rollovers',
    async ask() {
      await child('ACT-ROLL', { grade: '8' })
      return meera.post(`${AT}/rollovers`, {
        from_academic_year_start: 2026,
        from_academic_year_end: 2027,
        to_academic_year_start: 2027,
        to_academic_year_end: 2028,
        grades: [{ grade: '8', next_grade: '8' }],
        fees: [{ grade: '8', fee_components: [{ component_type: 'LIBRARY_FEE', fee_amount: 1 }] }],
        ...WHY,
      })
    },
  },
  class_change: {
    route: 'PATCH /students/:service_student_id',
    async ask() {
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
  plan_reschedule: {
    route: 'POST /flex/plans/:plan_id/instalments/:instalment_id/reschedule',
    async ask() {
      const readFirst = async (): Promise<Json> => (await planOf('Asha')).payment_schedule[0]
      const first = await readFirst()
      for (let days = 0; days < 15 && (await readFirst()).status !== 'presented'; days++) await advance('P1D')
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
  plan_resumption: {
    route: 'POST /flex/plans/:plan_id/resume',
    async ask() {
      assertAnswer(await setRules([await late('TUITION_FEE', 0, 10_000)]), '200')
      await advance('P1D')
      return meera.post(`${AT}/flex/plans/${plans.Dev}/resume`, WHY)
    },
  },
}

/** These waive a late fee in passing: beyond the limits they are refused, and it is asked for on the student's page. */
const REFUSED: Example[] = [
  {
    route: 'POST /students/:service_student_id/payments',
    async ask() {
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
    route: 'POST /bank/lines/:line_id/payment',
    async ask() {
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

/** Why a route gives nothing away, and the routes for which that is so. */
const GIVES_NOTHING: Record<string, readonly string[]> = {
  'is the same act for a branch': [
    `PUT ${YEAR}/branches/:collector_code`,
    `POST ${YEAR}/branches/:collector_code/apply`,
  ],
  'decides what was weighed, or sets what an owner alone sets': [
    'POST /approvals/:approval_id/approve',
    'POST /approvals/:approval_id/decline',
    'POST /approvals/:approval_id/withdraw',
    'PUT /approval-limit',
  ],
  'lets the ERP act, which is not held up': [
    'POST /students/:service_student_id/fetch',
    'PUT /erp',
    'DELETE /erp',
    'POST /erp/test',
    'POST /keys',
    'POST /keys/:key_id/rotate',
    'DELETE /keys/:key_id',
    'PUT /erp-lock',
  ],
  'asks families to pay, or stops asking while they owe the same': [
    'POST /orders',
    'DELETE /orders/:order_id',
    'POST /orders/cancellations',
    'POST /orders/:order_id/messages',
    'POST /orders/messages',
    'POST /students/:service_student_id/orders',
    'POST /students/payment-links',
    'POST /payment-pages',
    'PATCH /payment-pages/:page_id',
    'POST /link-batches/columns',
    'POST /link-batches',
    'POST /link-batches/:batch_id/start',
    'DELETE /link-batches/:batch_id',
    'PUT /reminder-texts',
    'POST /reminder-runs/preview',
    'POST /reminder-runs',
    'POST /reminder-runs/:run_id/cancel',
  ],
  'changes by which way what is owed is collected, and what a plan took no more is late': [
    'POST /flex/plans/:plan_id/hold',
    'POST /flex/plans/:plan_id/cancel',
    'PATCH /flex/settings',
    'PUT /lender',
    'POST /loans/:application_id/cancel',
    'POST /loans/:application_id/confirm',
  ],
  'says of money what the bank shows, and what it paid is due again': [
    'POST /loans/:application_id/return',
    'POST /counter/cheques/:payment_id/clear',
    'POST /counter/cheques/:payment_id/bounce',
    'POST /bank/statement-previews',
    'POST /bank/statements',
    'POST /bank/match',
    'POST /bank/lines/:line_id/match',
    'POST /bank/lines/:line_id/other',
    'POST /bank/lines/:line_id/undo',
    'POST /bank-accounts',
    'POST /counter/deposits',
    'DELETE /counter/deposits/:deposit_id',
    'POST /counter/closings',
    'POST /money/reconciliation/items/:report_id/resolve',
    'POST /money/reconciliation/items/:report_id/take',
  ],
  'counts money of the child for what it owes, late fees first': [
    'POST /students/:service_student_id/advance-uses',
  ],
  'is the paper about money, not the money': [
    'POST /money/receipts/:receipt_id/cancel',
    'POST /money/receipts/messages',
    'POST /money/report-mails',
    'DELETE /money/report-mails/:report_id',
    'PUT /money/tally-ledgers',
  ],
  'registers by the fees of the class, and what is owed stays owed': [
    'POST /students',
    'POST /students/:service_student_id/status',
    'POST /student-files/columns',
    'POST /student-files',
    'DELETE /student-files/:roster_id',
    'POST /rollover-files',
    'DELETE /rollovers/:rollover_id',
  ],
  'is about people, messages, accounts and the look of things': [
    'PATCH /team/members/:user_id',
    'DELETE /team/members/:user_id',
    'POST /team/invitations',
    'DELETE /team/invitations/:invitation_id',
    'POST /provider-accounts',
    'POST /provider-accounts/:account_id/check',
    'PATCH /provider-accounts/:account_id',
    'POST /provider-accounts/:account_id/rotate',
    'POST /provider-accounts/:account_id/pause',
    'POST /provider-accounts/:account_id/resume',
    'PUT /school',
    'POST /school/logo',
    'DELETE /school/logo',
    'PUT /family-pages',
    'POST /students/:service_student_id/family-page',
    'PUT /students/:service_student_id/family-language',
    'POST /views',
    'DELETE /views/:view_id',
    'POST /webhooks',
    'PATCH /webhooks/:webhook_id',
    'DELETE /webhooks/:webhook_id',
    'POST /webhooks/:webhook_id/test',
    'POST /webhooks/:webhook_id/recover',
    'POST /deliveries/:delivery_id/redeliver',
    'POST /messages/:message_id/retry',
    'POST /sandbox/clock',
    'POST /sandbox/events',
    'POST /sandbox/integration-check',
  ],
}

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
