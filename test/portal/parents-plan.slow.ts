import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import { setFlexSettings } from '../../src/flex/settings/settings.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { Visitor } from '../harness/visitor.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { instituteId } from '../students/support.ts'
import { API, demoVisitor } from '../console/support.ts'
import { newFamily, ROOMY_YEAR, startPaying, submit, textOf, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const FLEX = '/api/v1/integrations/flex'

type OnPlan = { visitor: Visitor; path: string; planId: string; studentId: string }

/** A parent whose child has a plan that runs. */
async function onPlan(fees?: Json[], rows?: Json[]): Promise<OnPlan> {
  const { user, students } = await newFamily(demo, {
    students: [ROOMY_YEAR],
    ...(fees === undefined ? {} : { fees }),
  })
  const [studentId = ''] = students
  if (rows !== undefined)
    await must(demo.post(`${FLEX}/students/${studentId}/plans`, { payment_schedule: rows }))
  const visitor = await visitAs(bursar, user)
  const path = `/parents/students/${studentId}/plan`
  const started = await submit(visitor, path, `${path}/start`)
  const planId = /^\/flex\/demo-school\/(\w+)$/.exec(started.location ?? '')?.[1] ?? assert.fail(started.text)
  const key = { instituteId: await instituteId(bursar), planId }
  const returnUrl = `${bursar.url}/`
  await startMandate(bursar.app.ctx, key, { rail: 'upi_autopay', language: 'en', returnUrl })
  await must(demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`))
  return { visitor, path, planId, studentId }
}

function dayIn(days: number): string {
  const now = Temporal.Instant.fromEpochMilliseconds(bursar.app.ctx.clock.now().getTime())
  return now.toZonedDateTimeISO('Asia/Kolkata').toPlainDate().add({ days }).toString()
}

function row(days: number, amount: number): Json {
  return { due_date: dayIn(days), details: [{ component_type: 'TUITION_FEE', amount }] }
}

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

const planOf = (planId: string): Promise<Json> => must(demo.get(`${FLEX}/plans/${planId}`))

async function seen(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.get(path)
  assert.equal(status, 200, text)
  return textOf(text)
}

/** Confirms what the page asks. */
async function confirm(visitor: Visitor, path: string, act: string, planId: string) {
  return submit(visitor, `${path}/${act}`, `${path}/${act}`, { plan_id: planId })
}

test('a parent begins instalments from the page of a child, and beginning twice is one plan', async () => {
  const { user, students } = await newFamily(demo)
  const path = `/parents/students/${students[0]}/plan`
  const visitor = await visitAs(bursar, user)
  assert.match(await seen(visitor, path), /No instalments You can have these fees debited/)
  const first = await submit(visitor, path, `${path}/start`)
  const second = await submit(visitor, path, `${path}/start`)
  assert.equal(second.location, first.location)
  assert.match(await seen(visitor, path), /To set up The instalments are worked out and not set up yet/)
  assert.equal((await visitor.get(first.location ?? '')).status, 200)
})

test('a parent chooses a length that the school offers and that ends inside the academic year, until something has begun', async t => {
  const { ctx } = bursar.app
  const institute = await getInstitute(ctx, 'demo-school')
  await setFlexSettings(ctx, institute, { offered: [36, 3] })
  t.after(() => setFlexSettings(ctx, institute, { offered: [] }))
  // From 13 to 24 months are left of it, so 36 would end after it.
  const student = ROOMY_YEAR
  const { user, students } = await newFamily(demo, { students: [student] })
  const visitor = await visitAs(bursar, user)
  const path = `/parents/students/${students[0]}/plan`
  const setup = (await submit(visitor, path, `${path}/start`)).location ?? assert.fail('no plan')
  const page = await seen(visitor, setup)
  assert.match(page, /How long do you want to pay\? 3 instalments of ₹22,000\.16 a month From 5/)
  assert.match(page, /10 instalments of ₹6,600\.05 a month/)
  assert.doesNotMatch(page, /36 instalments/)
  const countOf = async (): Promise<number> =>
    (await planOf(setup.split('/').at(-1) ?? '')).payment_schedule.length
  assert.equal(await countOf(), 10)
  for (const instalments of ['36', '4', '0', '-3', '3x', '99999999999', '']) {
    assert.equal((await visitor.post(`${setup}/length`, { instalments })).location, setup)
    assert.equal(await countOf(), 10, instalments)
  }
  // Above the limit of a debit by UPI, so that way is offered no more.
  assert.equal((await visitor.post(`${setup}/length`, { instalments: '3' })).location, setup)
  assert.equal(await countOf(), 3)
  const chosen = await visitor.get(setup)
  assert.match(chosen.text, /value="3" checked/)
  assert.doesNotMatch(chosen.text, /value="upi_autopay"/)
  await visitor.post(`${setup}/length`, { instalments: '10' })
  const key = { instituteId: institute.id, planId: setup.split('/').at(-1) ?? '' }
  await startMandate(ctx, key, { rail: 'upi_autopay', language: 'en', returnUrl: `${bursar.url}/` })
  await visitor.post(`${setup}/length`, { instalments: '3' })
  assert.equal(await countOf(), 10)
  // What an ERP scheduled is not the parent's to change.
  const other = await newFamily(demo, { students: [student] })
  const rows = [{ due_date: dayIn(30), details: [{ component_type: 'TUITION_FEE', amount: 54000 }] }]
  const rest = [{ due_date: dayIn(60), details: [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }] }]
  const made = await must(
    demo.post(`${FLEX}/students/${other.students[0]}/plans`, { payment_schedule: [...rows, ...rest] }),
  )
  assert.doesNotMatch(await seen(visitor, `/flex/demo-school/${made.plan_id}`), /How long do you want to pay/)
})

test('what the instalments will take is neither late nor charged a late fee, on any page or by API', async t => {
  const rules = '/api/v1/integrations/erp/payment-rules'
  t.after(() => demo.send('PUT', rules, { late_fees: [] }))
  const late = { component_type: 'TUITION_FEE', due_date: dayIn(-40), kind: 'per_day', amount_per_day: 10 }
  const { visitor, path, studentId, planId } = await onPlan()
  const dues = `/api/v1/integrations/erp/students/${studentId}/dues`
  const total: number = (await must(demo.get(dues))).total_amount
  await must(demo.send('PUT', rules, { late_fees: [late] }))
  const onTime = await must(demo.get(dues))
  assert.deepEqual(
    [onTime.overdue_amount, onTime.late_fee_amount, onTime.instalments_amount, onTime.total_amount],
    [0, 0, total, total],
  )
  const staff = await demoVisitor(bursar.url)
  const school = `${API}/institutes/demo-school`
  const lateAtSchool = async (): Promise<Json> => {
    const home = (await staff.get(`${school}/home`)).body.data.outstanding
    const ageing = (await staff.get(`${school}/money/ageing?by=component`)).body.data.total
    const defaulters = (await staff.get(`${school}/money/defaulters?bucket=late&limit=200`)).body.data
    const isListed = defaulters.some((one: Json) => one.service_student_id === studentId)
    return { overdue: home.overdue_amount, aged: ageing.days_31_60, isListed }
  }
  const before = await lateAtSchool()
  assert.equal(before.isListed, false)
  const page = await seen(visitor, path.replace('/plan', ''))
  assert.match(page, /is debited by instalments/)
  assert.doesNotMatch(page, /overdue|Late/)
  await must(demo.post(`${FLEX}/plans/${planId}/cancel`))
  const cancelled = await must(demo.get(dues))
  assert.equal(cancelled.instalments_amount, 0)
  const afterwards = await lateAtSchool()
  assert.equal(afterwards.isListed, true)
  assert.ok(afterwards.overdue > before.overdue && afterwards.aged > before.aged, JSON.stringify(afterwards))
  assert.ok(cancelled.overdue_amount > 0 && cancelled.late_fee_amount === 400, JSON.stringify(cancelled))
})

test('an instalment that came back stands first, with what follows and the sum to pay now, and nothing that a debit takes is offered', async () => {
  // The sandbox bank returns what ends in 81 paise: not enough money.
  const rows = [row(10, 4000.19), row(11, 3999.81), row(300, 4000)]
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 12000 }]
  const { visitor, path, planId, studentId } = await onPlan(fees, rows)
  const child = `/parents/students/${studentId}`
  const before = await seen(visitor, child)
  assert.match(before, /₹12,000\.00 still to pay for the year .* what they take need not be paid by hand/)
  assert.doesNotMatch(before, /Pay ₹|Pay a part|Fee loan/)
  assert.match(await seen(visitor, `${child}/cred`), /so there is nothing to borrow/)
  assert.match(await seen(visitor, `${child}/choose`), /There is nothing to pay now/)
  assert.equal((await submit(visitor, path, `${child}/pay`)).status, 400)
  assert.match(
    await seen(visitor, path),
    /Set up .* Next debit: ₹4,000\.19 on .* To come .* ₹4,000\.19 .* ₹3,999\.81/,
  )
  const statuses = async (): Promise<string> =>
    (await planOf(planId)).payment_schedule.map((one: Json) => one.status).join(' ')
  let page = ''
  await must(demo.post('/api/v1/sandbox/clock', { advance: 'P9D' }))
  for (let days = 9; days < 40 && (await statuses()) !== 'settled bounced scheduled'; days++) {
    page ||= (await seen(visitor, path)).match(/An instalment came back .*Tried before: [^.]+\./)?.[0] ?? ''
    await must(demo.post('/api/v1/sandbox/clock', { advance: 'P1D' }))
  }
  assert.equal(await statuses(), 'settled bounced scheduled')
  assert.match(
    page,
    /^An instalment came back ₹3,999\.81 of .* could not be debited\. The account did not have enough money\. It is debited again on .*Tried before: The account did not have enough money\.$/,
  )
  assert.match(
    await seen(visitor, path),
    /To come .* ₹4,000\.00 Past .* could not be debited, due The account did not have enough money\. .*₹3,999\.81 .* paid .*₹4,000\.19 Your mandate Way UPI Autopay UPI reference \S+@sandbox/,
  )
  assert.match(
    await seen(visitor, path),
    /An instalment came back ₹3,999\.81 of .* please pay it now\. ₹3,999\.81 to pay now Pay ₹3,999\.81 now/,
  )
  assert.match(await seen(visitor, child), /Pay ₹3,999\.81/)
  const boxes = { student: studentId, fee: `${studentId}:TUITION_FEE`, act: 'pay' }
  const paying = await submit(visitor, path, '/parents/pay', boxes)
  assert.match(await seen(visitor, paying.location ?? ''), /Pay ₹3,999\.81/)
  const history = await seen(visitor, '/parents/history')
  assert.match(history, /instalment Tuition fee Reference \S+ Receipt 20\d\d-\d\d\/\d{6} \(PDF\) ₹4,000\.19/)
})

test('a pause asks once, stops debits, and is ended by who made it', async () => {
  const { visitor, path, planId } = await onPlan()
  assert.match(await seen(visitor, `${path}/hold`), /Pause the debits\? Nothing is debited until you go on/)
  assert.equal((await planOf(planId)).is_held, false, 'to be asked is not to have said yes')
  assert.equal((await confirm(visitor, path, 'hold', 'plan_other')).location, path)
  assert.equal((await planOf(planId)).is_held, false, 'another plan was confirmed')
  assert.equal((await confirm(visitor, path, 'hold', planId)).location, path)
  const held = await planOf(planId)
  assert.equal(held.is_held, true)
  assert.match(JSON.stringify(held.decisions), /by the payer/)
  assert.match(await seen(visitor, path), /Paused You have paused the debits\. .* Go on with the debits/)
  await confirm(visitor, path, 'resume', planId)
  assert.equal((await planOf(planId)).is_held, false)

  await must(demo.post(`${FLEX}/plans/${planId}/hold`))
  const page = await seen(visitor, path)
  assert.match(page, /Paused .* Stop the instalments/)
  assert.doesNotMatch(page, /Go on with the debits/)
  assert.equal((await visitor.get(`${path}/resume`)).location, path)
  assert.equal((await submit(visitor, path, `${path}/resume`, { plan_id: planId })).location, path)
  assert.equal((await planOf(planId)).is_held, true, "the institute's pause is not a parent's to end")
})

test('a stop ends plan and mandate for good; what is open can be paid, and new instalments begun', async () => {
  const { visitor, path, planId, studentId } = await onPlan()
  assert.match(
    await seen(visitor, `${path}/cancel`),
    /Stop the instalments for good\? .* ₹66,000\.50 stay open/,
  )
  await confirm(visitor, path, 'cancel', planId)
  const plan = await planOf(planId)
  assert.deepEqual([plan.status, plan.mandate.status], ['cancelled', 'cancelled'])
  assert.match(await seen(visitor, path), /Cancelled These instalments were stopped .* See new instalments/)
  assert.match(await seen(visitor, `/parents/students/${studentId}`), /₹66,000\.50 still to pay/)
  const repeat = await submit(visitor, path, `${path}/cancel`, { plan_id: planId })
  assert.equal(repeat.location, path)
  const anew = await submit(visitor, path, `${path}/start`)
  assert.doesNotMatch(anew.location ?? '', new RegExp(planId))
})

test('a field that is longer than any of a form, or no text, is refused, as are too many fields', async () => {
  const { user, students } = await newFamily(demo)
  const visitor = await visitAs(bursar, user)
  const path = `/parents/students/${students[0] ?? ''}`
  for (const amount of ['1'.repeat(501), ' '.repeat(200_000), '1\u0000']) {
    for (const action of [`${path}/pay`, `${path}/cred/start`])
      assert.equal((await submit(visitor, path, action, { amount })).status, 400, action)
  }
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, no) => [`field_${no}`, '']))
  assert.equal((await submit(visitor, path, `${path}/pay`, many)).status, 400)
  assert.equal((await submit(visitor, path, `${path}/pay`, { amount: 'x'.repeat(300_000) })).status, 413)
})

test('after a part the page says what was received, what is left and by when, and of no other child', async t => {
  const rules = '/api/v1/integrations/erp/payment-rules'
  t.after(() => demo.send('PUT', rules, { late_fees: [] }))
  await must(
    demo.send('PUT', rules, {
      late_fees: [
        { component_type: 'TUITION_FEE', due_date: '2020-04-10', kind: 'none' },
        { component_type: 'TRANSPORT_FEE', due_date: '2098-04-10', kind: 'none' },
      ],
    }),
  )
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  const before = await seen(visitor, `/parents/students/${id}`)
  assert.match(before, /₹66,000\.50 still to pay for the year/)
  assert.match(before, /₹\S+ overdue/)
  const overdue = Number((/₹(\S+) overdue/.exec(before)?.[1] ?? '').replaceAll(',', ''))
  const order = await startPaying(visitor, id, String(overdue))
  await must(demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' }))
  const left = await seen(visitor, `/parents/students/${id}?paid=${order}`)
  assert.match(left, /We have received .* is left to pay for this year, ₹\S+ of it by 10 April 2098\./)
  assert.doesNotMatch(left, /overdue/)
  const other = await newFamily(demo)
  const page = await seen(
    await visitAs(bursar, other.user),
    `/parents/students/${other.students[0]}?paid=${order}`,
  )
  assert.doesNotMatch(page, /We have received/)
})

test('what the counter took stands in the history, and a cancelled payment does not', async () => {
  const { user, students } = await newFamily(demo)
  const payments = `${ERP}/students/${students[0]}/payments`
  for (const transaction_id of ['COUNTER-A', 'COUNTER-B']) {
    const fee_components = [{ component_type: 'TUITION_FEE', amount: 500 }]
    await must(demo.post(payments, { amount: 500, paid_at: '2026-06-01', transaction_id, fee_components }))
  }
  await must(demo.delete(`${payments}/COUNTER-B`))
  const history = await seen(await visitAs(bursar, user), '/parents/history')
  assert.match(history, /COUNTER-A/)
  assert.doesNotMatch(history, /COUNTER-B/)
})

test('the page of a link names admission number and class, and says what was refunded', async () => {
  const asked = { student_name: 'Kabir Rao', identifier: 'ADM-77', grade: '5' }
  const link = await must(demo.post(`${PAY}/payment_links`, sampleOrder(asked)))
  const path = `/pay/demo-school/${link.order_id}`
  const visitor = new Visitor(bursar.url)
  assert.match(await seen(visitor, path), /Fees for Kabir Rao Admission no\. ADM-77 · Class 5/)
  await must(demo.post(`/api/v1/sandbox/pay/orders/${link.order_id}/pay`, { outcome: 'success' }))
  await must(demo.post(`${PAY}/payment_links/${link.order_id}/refunds`, { amount: 500 }))
  assert.match(await seen(visitor, path), /₹500\.00 paid for .* (was refunded on|is on its way back)/)
})
