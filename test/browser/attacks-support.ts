import assert from 'node:assert/strict'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { must } from '../console/flex/support.ts'
import { AT, linksFile, uploadFile } from '../console/orders/support.ts'
import { createPerson, type Visitor } from '../console/support.ts'
import { createPage, pay, submit } from '../payment-pages/support.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Answer, Json } from '../harness/client.ts'
import { sampleRecord, type FakeErp } from '../harness/fakes/erp.ts'
import type { Receiver } from '../harness/receiver.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { setErp } from '../students/support.ts'
import { deliveryIn, subscribe, trigger } from '../webhooks/support.ts'
import { ROOMY_YEAR } from '../portal/parents-support.ts'

/** What strangers write where they can write: markup that would run, in as much of it as a field takes. */
const IMAGE = '"><img src=x onerror="window.__ran=1">'
const DENSE = '"><img/src=x/onerror=window.__ran=1>'

/** A text names the field it stands in, so that a page can be asked for it. */
export const text = (field: string): string => `${field}${IMAGE}<script>window.__ran=1</script>{{7*7}}`
export const code = (field: string): string => `${field}${IMAGE}`
export const mail = (field: string): string => `${field}${DENSE}@evil.example`
export const address = (field: string): string => `https://evil.example/${field}${DENSE}`
export const FILE = 'File <img src=x onerror=window.__ran=1>.csv'

const IDENTIFIER = text('Admission')
const CHILD = {
  fullname: text('Student'),
  identifier: IDENTIFIER,
  grade: code('Grade'),
  primary_contact_name: text('Contact'),
  primary_contact_email: mail('Contact'),
}
export const FEES = [
  { component_type: code('Fee'), fee_amount: 60_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12_000 },
]

/** Where it all stands. */
export type Planted = {
  owner: Visitor
  family: string
  student: string
  sibling: string
  plan: string
  /** On which its first instalment was to be presented. */
  day: string
  /** Paid, settled and partly given back. */
  order: string
  /** Failed at the bank, for a reason of its own. */
  failed: string
  cancelled: string
  page: { id: string; url: string }
  file: string
  settlement: string
  delivery: string
  loan: string
}

export async function plantAttacks(
  bursar: TestBursar,
  outside: { erp: FakeErp; receiver: Receiver },
): Promise<Planted> {
  const owner = await createPerson(bursar, {
    email: 'owner@school.example',
    name: text('Person'),
    operator: true,
    institute: 'demo-school',
  })
  const delivery = await plantDelivery(bursar, outside.receiver)
  const family = await plantFamily(bursar)
  const orders = await plantOrders(bursar, owner)
  const page = await plantPage(bursar)
  const file = await plantFiles(bursar, owner)
  const loan = await plantLoan(bursar, family.sibling)
  const plan = await plantPlan(bursar, outside.erp, owner, family.student)
  await plantTrouble(bursar)
  return { owner, delivery, ...family, ...orders, page, file, loan, ...plan }
}

async function data(answering: Promise<Answer>): Promise<Json> {
  return (await must(answering)).body.data
}

/** A receiver that answers with markup, and the mail that tells of it. */
async function plantDelivery({ demo }: TestBursar, receiver: Receiver): Promise<string> {
  receiver.answer(() => ({ status: 500, headers: { 'content-type': 'text/html' }, body: text('Receiver') }))
  await subscribe(demo, `${receiver.url}/Hook${DENSE}`, {
    failure_notification_email: `it@school.example,${mail('Watch')}`,
  })
  return (await deliveryIn(demo, await trigger(demo), 'exhausted')).id
}

/** A payer with two children, fees, concessions, late fees and money paid at the counter. */
async function plantFamily({ demo }: TestBursar): Promise<Pick<Planted, 'family' | 'student' | 'sibling'>> {
  const user = { name: text('User'), phone: '9876543210', email: mail('User') }
  const { registration_id: family } = await data(demo.post(`${ERP}/users/register`, user))
  const rule = { component_type: code('Fee'), due_date: '2026-01-10', kind: 'per_day', amount_per_day: 10 }
  await must(demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [{ ...rule, max_amount: 900 }] }))
  const paid = {
    amount: 1_000,
    paid_at: '2026-06-01',
    mode: code('Mode'),
    transaction_id: text('Transaction'),
    settlement_utr: text('Utr'),
    notes: text('Remark'),
    fee_components: [{ component_type: code('Fee'), amount: 1_000 }],
  }
  const discounts = [{ discount_type: code('Discount'), value: 5_000 }]
  const body = {
    student: sampleStudent({ ...CHILD, custom_identifier: text('Second') }),
    fee_components: FEES.map((fee, no) => (no === 0 ? { ...fee, discounts } : fee)),
    payments: [paid],
  }
  const { service_student_id: student } = await data(demo.post(`${ERP}/users/${family}/students`, body))
  const named = { fullname: text('Sibling'), primary_contact_name: text('Contact'), ...ROOMY_YEAR }
  const other = { student: sampleStudent(named), fee_components: FEES }
  const { service_student_id: sibling } = await data(demo.post(`${ERP}/users/${family}/students`, other))
  // The same children belong to one whom the ERP knows by markup.
  await must(demo.post(`${ERP}/users/${encodeURIComponent(text('Registration'))}/students`, other))
  await must(
    demo.post(`${ERP}/students/${student}/late-fee-waivers`, { amount: 100, reason: text('Waiver') }),
  )
  return { family, student, sibling }
}

function attackedOrder(field: string): Json {
  return sampleOrder({
    name: text(`${field}Payer`),
    email: mail(field),
    student_name: text(`${field}Child`),
    identifier: text(`${field}Identifier`),
    grade: code(`${field}Grade`),
    stream: text(`${field}Stream`),
    custom_identifier: text(`${field}Second`),
    notes: [{ key: text(`${field}Key`), value: text(`${field}Note`) }],
    callback_url: address(`${field}Back`),
    details: [{ component_type: code(`${field}Fee`), amount: 45_000 }],
  })
}

/** What the bank says of a payment, and what it calls its transfer. */
async function plantOrders(
  bursar: TestBursar,
  owner: Visitor,
): Promise<Pick<Planted, 'order' | 'failed' | 'cancelled' | 'settlement'>> {
  const { demo } = bursar
  const wrong = await demo.post(`${PAY}/orders`, sampleOrder({ callback_url: 'javascript:window.__ran=1' }))
  assert.equal(wrong.status, 400, 'an address that is a script is no address to go back to')
  const make = async (kind: string, field: string): Promise<string> =>
    (await data(demo.post(`${PAY}/${kind}`, attackedOrder(field)))).order_id
  const order = await make('orders', 'Order')
  const failed = await make('payment_links', 'Link')
  const cancelled = await make('payment_links', 'Cancelled')
  for (const id of [order, failed]) await pay(demo, id, 'failure')
  await bursar.sql(`update payments set failure_code = $1, failure_message = $2 where state = 'failed'`, [
    code('Code'),
    text('Bank'),
  ])
  await pay(demo, order)
  await must(demo.post('/api/v1/sandbox/settlements/run'))
  const utr = text('Settled')
  const [settlement] = await bursar.sql<{ id: string }>('update settlements set utr = $1 returning id', [utr])
  await must(demo.post(`${PAY}/orders/${order}/refunds`, { amount: 500, reason: text('Refund') }))
  await must(owner.post(`${AT}/orders/${cancelled}/messages`, { channels: ['email', 'sms'] }))
  await must(owner.send('DELETE', `${AT}/orders/${cancelled}`, { reason: text('Cancel') }))
  return { order, failed, cancelled, settlement: settlement?.id ?? assert.fail('nothing was settled') }
}

/** A page of the institute, filled in by a stranger. */
async function plantPage({ demo }: TestBursar): Promise<Planted['page']> {
  const page = await createPage(demo, {
    title: text('Page'),
    slug: 'attacked',
    description: text('About'),
    success_message: text('Thanks'),
    callback_url: address('PageBack'),
    details: [{ component_type: code('Ticket'), label: text('Label'), amount: 250 }],
    fields: [
      ...['student_name', 'identifier', 'grade', 'stream', 'custom_identifier'].map(key => ({ key })),
      { key: 'house', label: text('House') },
      { key: 'size', label: 'Size', options: [code('Option'), 'M'] },
    ],
  })
  const order = await submit(page.url, {
    name: text('Guest'),
    email: mail('Guest'),
    'field.student_name': text('GuestChild'),
    'field.identifier': text('GuestNumber'),
    'field.grade': code('GuestGrade'),
    'field.stream': text('GuestStream'),
    'field.custom_identifier': text('GuestSecond'),
    'field.house': text('Answer'),
    'field.size': code('Option'),
  })
  await pay(demo, order)
  return page
}

const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** A file of links with good and bad rows, and one of students that cannot be read. */
async function plantFiles(bursar: TestBursar, owner: Visitor): Promise<string> {
  const { demo, app } = bursar
  const header = `name,phone,email,component_type,amount,reference,collector_code,${cell(code('Column'))}`
  const row = (field: string, phone: string, branch = ''): string =>
    [text(field), phone, mail(field), code(`${field}Fee`), '100', text(`${field}Ref`), branch, text(field)]
      .map(cell)
      .join(',')
  const rows = [row('Row', '9876543210'), row('Bad', text('Phone')), row('Branch', '9876543210', code('B'))]
  const { id } = await data(uploadFile(owner, linksFile(rows, header), { name: FILE }))
  await must(owner.post(`${AT}/link-batches/${id}/start`, { channels: ['email'] }))
  await waitFor(async () => {
    await app.worker.runAllDue()
    return (await data(owner.get(`${AT}/link-batches/${id}`))).state === 'done'
  }, 'the links to be made')
  const students = `registration_id,${cell(code('Column'))}\n${cell(text('Import'))},x\n`
  const { id: imported } = await data(
    demo.send('POST', `${ERP}/imports?kind=students`, students, { 'content-type': 'text/csv' }),
  )
  await bursar.sql(`update imports set state = 'failed', message = $2 where id = $1`, [
    imported,
    text('Import'),
  ])
  return id
}

async function plantLoan({ demo }: TestBursar, student: string): Promise<string> {
  const path = `/api/v1/integrations/cred/students/${student}/applications`
  const { application_id: id } = await data(demo.post(path, { amount: 20_000 }))
  const perform = (verb: string, body?: object) =>
    must(demo.post(`/api/v1/sandbox/loans/${id}/${verb}`, body))
  await perform('fill')
  await perform('reject', { reason: text('Lender') })
  return id
}

/** An ERP that refuses a debit with markup, a plan that is held for such a reason. */
async function plantPlan(
  { demo, app, url }: TestBursar,
  erp: FakeErp,
  owner: Visitor,
  student: string,
): Promise<Pick<Planted, 'plan' | 'day'>> {
  await setErp(demo, erp)
  erp.put(sampleRecord(CHILD, { fee_components: FEES, user: { name: text('ErpUser'), phone: '9876543210' } }))
  const { plan_id: planId } = await data(demo.post(`/api/v1/integrations/flex/students/${student}/plans`))
  const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
  const mandate = { rail: 'upi_autopay', language: 'en', returnUrl: url } as const
  await startMandate(app.ctx, { instituteId, planId }, mandate)
  await must(demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`, {}))
  erp.refuse(IDENTIFIER, 'amount_mismatch', text('Refusal'))
  await must(demo.post('/api/v1/sandbox/clock', { advance: 'P40D' }))
  erp.refuse(IDENTIFIER, code('ErpCode'), text('Refusal'))
  await must(owner.post(`${AT}/students/${student}/fetch`))
  await must(owner.post(`${AT}/flex/plans/${planId}/hold`, { reason: text('Hold') }))
  const [first] = (await data(demo.get(`/api/v1/integrations/flex/plans/${planId}`))).payment_schedule
  return { plan: planId, day: first.present_on }
}

/** What banks and mail servers say when something is wrong. */
async function plantTrouble(bursar: TestBursar): Promise<void> {
  await bursar.sql(
    `insert into settlement_exceptions (institute_id, provider, account_id, utr, provider_ref, problem, reported_paise, known_paise, noticed_at)
     values (1, 'sandbox', 'sandbox', $1, $2, $3, 4490000, 4500000, now())`,
    [text('ProblemUtr'), text('ProblemRef'), text('Problem')],
  )
  await bursar.sql(
    `update messages set state = 'failed', next_try_at = null, sent_at = null, failure = $1
     where id = (select max(id) from messages where channel = 'email' and subject like 'Fees for%')`,
    [text('Smtp')],
  )
}
