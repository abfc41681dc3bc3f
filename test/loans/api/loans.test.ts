import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventCode } from '../../../src/events/define-event.ts'
import { CATALOGUE } from '../../../src/webhooks/events.docs.ts'
import { assertFits } from '../../harness/openapi/schema.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { assertRefused, assertStatus, eventsOf, newStudent, openContract } from '../../http/support.ts'

/** Education loans: every operation, and every event with exactly the payload of the catalogue. */
const contract = await openContract()
const { demo, group, url, sql } = contract
const CRED = '/api/v1/integrations/cred'
const LOANS = '/api/v1/sandbox/loans'
const OWED = 60_000

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 50_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 10_000 },
]

const student = (fees: Json[] = FEES): Promise<string> => newStudent(demo, { fee_components: fees })
const applicationsOf = (studentId: string): string => `${CRED}/students/${studentId}/applications`

async function start(studentId: string, body?: Json): Promise<string> {
  const answer = await demo.post(applicationsOf(studentId), body)
  assertStatus(answer, 201)
  return answer.body.data.application_id
}

async function must(answering: Promise<Answer>): Promise<Json> {
  const answer = await answering
  assertStatus(answer, 200)
  return answer.body.data
}

const act = (id: string, verb: string, body?: Json): Promise<Json> =>
  must(demo.post(`${LOANS}/${id}/${verb}`, body))
const read = (id: string): Promise<Json> => must(demo.get(`${CRED}/applications/${id}`))
const settle = (): Promise<Json> => must(demo.post('/api/v1/sandbox/settlements/run'))
const owedBy = async (studentId: string): Promise<Json> =>
  (await must(demo.get(`${ERP}/students/${studentId}`))).fee_summary

/** Each event of the loan by its code, exactly as the catalogue has it. */
async function told(id: string): Promise<{ code: string; payload: Json }[]> {
  const events = await eventsOf(contract, id)
  for (const { event_code: code, payload } of events) {
    assertFits(CATALOGUE[code as EventCode].payload.schema, payload, code)
  }
  return events.map(({ event_code: code, payload }) => ({ code, payload }))
}

const codesOf = async (id: string): Promise<string[]> =>
  (await told(id)).map(({ code }) => code.replace('cred.', ''))

test('a loan goes from the start to the last tranche, and every step is told with its payload', async () => {
  const studentId = await student()
  const answer = await demo.post(applicationsOf(studentId))
  assertStatus(answer, 201)
  const { application_id: id, redirect_url: redirectUrl, ...rest } = answer.body.data
  assert.deepEqual(rest, {})
  assert.match(id, /^loan_/)
  assert.ok(redirectUrl.startsWith(`${url}/cred/demo-school/${id}?key=`))
  const started = await read(id)
  assert.deepEqual(
    [started.status, started.amount, started.requested_amount, started.lender, started.service_student_id],
    ['started', OWED, OWED, 'Sandbox Lender', studentId],
  )
  assert.deepEqual([started.disbursements, started.emis], [[], []])

  assert.equal((await act(id, 'fill')).status, 'filled')
  const approved = await act(id, 'approve', { amount: 55_000 })
  assert.deepEqual(
    [approved.status, approved.amount, approved.requested_amount],
    ['final_approved', 55_000, OWED],
  )
  const signed = await act(id, 'sign', {
    tranches: [
      { date: '2027-06-01', amount: 15_000 },
      { date: '2026-12-01', amount: '40000.00' },
    ],
  })
  assert.equal(signed.status, 'agreement_signed')
  assert.deepEqual(
    signed.disbursements.map((one: Json) => [one.date, one.amount, one.is_disbursed, one.status]),
    [
      ['2026-12-01', 40_000, false, 'planned'],
      ['2027-06-01', 15_000, false, 'planned'],
    ],
  )

  const paidOut = await act(id, 'disburse', { date: '2026-12-02' })
  assert.equal(paidOut.status, 'agreement_signed')
  const [first] = paidOut.disbursements
  assert.deepEqual([first.status, first.is_disbursed, first.date], ['received', false, '2026-12-02'])
  assert.ok(!(await codesOf(id)).includes('loan.disbursed'), 'not before it reached the institute')
  assert.equal((await owedBy(studentId)).outstanding, 20_000)
  await settle()
  const [reached, planned] = await must(demo.get(`${CRED}/applications/${id}/disbursements`))
  assert.deepEqual(
    [reached.status, reached.is_disbursed, reached.disbursed_amount, planned.status],
    ['disbursed', true, 40_000, 'planned'],
  )
  assert.match(reached.settlement_utr, /^SBX/)

  await act(id, 'disburse')
  await settle()
  const after = await act(id, 'emi', { amount: 4_886.58 })
  assert.equal(after.status, 'disbursed')
  assert.deepEqual(
    after.emis.map((emi: Json) => emi.amount),
    [4_886.58],
  )
  assert.deepEqual(await owedBy(studentId), {
    total_fee: OWED,
    discount: 0,
    paid: 55_000,
    outstanding: 5_000,
    on_the_way_amount: 0,
    advance: 0,
  })

  const events = await told(id)
  assert.deepEqual(
    events.map(({ code }) => code),
    [
      'cred.loan.application_started',
      'cred.loan.application_filled',
      'cred.loan.final_approved',
      'cred.loan.agreement_signed',
      'cred.loan.disbursed',
      'cred.loan.disbursed',
      'cred.emi.debited',
    ],
  )
  for (const { payload } of events) {
    assert.equal(payload.service_student_id, studentId)
    assert.equal(payload.application.id, id)
    assert.equal(payload.application.lender, 'Sandbox Lender')
  }
  const [, , finalApproved, agreement, tranche, last, emi] = events.map(({ payload }) => payload)
  assert.deepEqual(finalApproved.application, {
    id,
    status: 'final_approved',
    amount: 55_000,
    lender: 'Sandbox Lender',
  })
  assert.equal(finalApproved.student.fullname, 'Kabir Rao')
  assert.deepEqual(
    agreement.disbursements.map((one: Json) => [one.amount, one.is_disbursed]),
    [
      [40_000, false],
      [15_000, false],
    ],
  )
  assert.equal(agreement.application.agreement_signed_at, signed.agreement_signed_at)
  const { status, payment_id: _payment, ...block } = reached
  assert.equal(status, 'disbursed')
  assert.deepEqual(tranche.disbursement, block)
  assert.deepEqual([tranche.application.status, last.application.status], ['agreement_signed', 'disbursed'])
  assert.deepEqual(emi.payment, after.emis[0])
})

test('rejected, canceled and expired applications end, and leave the student free for another', async () => {
  const studentId = await student()
  const rejected = await start(studentId)
  await act(rejected, 'fill')
  const refused = await act(rejected, 'reject', { reason: 'The income could not be verified.' })
  assert.deepEqual([refused.status, refused.reason], ['rejected', 'The income could not be verified.'])
  const expired = await start(studentId)
  assert.equal((await act(expired, 'expire')).status, 'expired')
  const atLender = await start(studentId)
  await act(atLender, 'fill')
  await act(atLender, 'approve')
  assert.equal((await act(atLender, 'cancel')).status, 'canceled')
  const here = await start(studentId)
  assert.equal((await must(demo.post(`${CRED}/applications/${here}/cancel`))).status, 'canceled')
  assert.deepEqual(await Promise.all([rejected, expired, atLender, here].map(codesOf)), [
    ['loan.application_started', 'loan.application_filled', 'loan.rejected'],
    ['loan.application_started', 'loan.application_expired'],
    ['loan.application_started', 'loan.application_filled', 'loan.final_approved', 'loan.canceled'],
    ['loan.application_started', 'loan.canceled'],
  ])
  assert.deepEqual(
    (await must(demo.get(applicationsOf(studentId)))).map((one: Json) => one.application_id),
    [here, atLender, expired, rejected],
  )
})

test('a student has one application at a time, and none that is dropped, unknown or owes nothing', async () => {
  const studentId = await student()
  const id = await start(studentId)
  const second = await demo.post(applicationsOf(studentId))
  assertRefused(second, 'HUE00002')
  assert.equal(second.body.data.application_id, id)
  assertRefused(await demo.post(applicationsOf('student_none')), 'HUE00001')
  assertRefused(await demo.get(applicationsOf('student_none')), 'HUE00001')
  assertRefused(await demo.post(applicationsOf(await student([]))), 'HUE00002')
  const little = [{ component_type: 'TUITION_FEE', fee_amount: 900 }]
  assertRefused(await demo.post(applicationsOf(await student(little))), 'HUE00002')
  const dropped = await student()
  await sql(`update students set status = 'dropped' where id = $1`, [dropped])
  assertRefused(await demo.post(applicationsOf(dropped)), 'HUE00002')
  assertRefused(await group.get(`${CRED}/applications/${id}`), 'HUE00001')
})

test('an amount lies within what is outstanding and what the lender lends', async () => {
  const studentId = await student()
  for (const amount of [0, -1, OWED + 0.01, 999.99, 'much', 10.001])
    assertRefused(await demo.post(applicationsOf(studentId), { amount }), 'HUE00000', 'amount')
  assert.equal((await read(await start(studentId, { amount: '1000.00' }))).amount, 1_000)
})

test('the same Idempotency-Key starts one application and answers it again', async () => {
  const studentId = await student()
  const key = { 'idempotency-key': 'loan-once' }
  const first = await demo.post(applicationsOf(studentId), { amount: 5_000 }, key)
  const again = await demo.post(applicationsOf(studentId), { amount: 5_000 }, key)
  assertStatus(again, 201)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assertRefused(await demo.post(applicationsOf(studentId), { amount: 6_000 }, key), 'IDE00000')
  const { application_id: id } = first.body.data
  const cancelKey = { 'idempotency-key': 'loan-cancel-once' }
  const canceled = await demo.post(`${CRED}/applications/${id}/cancel`, undefined, cancelKey)
  const repeated = await demo.post(`${CRED}/applications/${id}/cancel`, undefined, cancelKey)
  assert.deepEqual([canceled.status, repeated.text], [200, canceled.text])
})

test('an act in the wrong state is 409 and changes nothing', async () => {
  const id = await start(await student())
  const refuse = async (...verbs: string[]): Promise<void> => {
    const before = await read(id)
    for (const verb of verbs) assertRefused(await demo.post(`${LOANS}/${id}/${verb}`), 'HUE00002')
    assert.deepEqual(await read(id), before)
  }
  await refuse('approve', 'sign', 'disburse', 'emi')
  await act(id, 'fill')
  await refuse('fill', 'sign', 'disburse', 'emi')
  assertRefused(await demo.post(`${LOANS}/${id}/approve`, { amount: OWED + 1 }), 'HUE00000', 'amount')
  await act(id, 'approve')
  await refuse('fill', 'approve', 'reject', 'disburse', 'emi')
  const short = { tranches: [{ date: '2026-12-01', amount: 1 }] }
  assertRefused(await demo.post(`${LOANS}/${id}/sign`, short), 'HUE00000', 'tranches')
  await act(id, 'sign')
  await refuse('fill', 'approve', 'reject', 'sign', 'emi', 'expire')
  assertRefused(await demo.post(`${CRED}/applications/${id}/cancel`), 'HUE00002')
  assertRefused(await demo.post(`${LOANS}/${id}/disburse`, { amount: OWED + 1 }), 'HUE00000', 'amount')
  await act(id, 'disburse', { amount: 20_000 })
  await refuse('cancel')
  await act(id, 'disburse')
  await refuse('disburse', 'cancel', 'expire')
  assertRefused(await demo.post(`${LOANS}/loan_none/fill`), 'HUE00001')
})

test('a part of a tranche leaves a tranche of the rest', async () => {
  const studentId = await student()
  const id = await start(studentId)
  for (const verb of ['fill', 'approve', 'sign']) await act(id, verb)
  const part = await act(id, 'disburse', { amount: 20_000.5 })
  assert.deepEqual(
    part.disbursements.map((one: Json) => [one.amount, one.status]),
    [
      [20_000.5, 'received'],
      [39_999.5, 'planned'],
    ],
  )
  await act(id, 'disburse')
  await settle()
  const whole = await read(id)
  assert.deepEqual([whole.status, whole.disbursements.length], ['disbursed', 2])
  assert.equal((await owedBy(studentId)).outstanding, 0)
  assert.equal((await codesOf(id)).filter(code => code === 'loan.disbursed').length, 2)
})

test('lists are filtered and paged', async () => {
  const all: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await demo.get(`${CRED}/applications?limit=3${cursor && `&cursor=${cursor}`}`)
    all.push(...body.data.map((one: Json) => one.application_id))
    if (!body.has_more) break
    cursor = body.next_cursor
  }
  assert.deepEqual(all, all.toSorted().toReversed())
  const [{ count } = { count: 0 }] = await sql<{ count: number }>(
    'select count(*)::int from cred_applications',
  )
  assert.equal(new Set(all).size, count)
  const rejected = await must(demo.get(`${CRED}/applications?status=rejected&collector_code=MAIN`))
  assert.deepEqual(
    rejected.map((one: Json) => one.status),
    ['rejected'],
  )
  assert.deepEqual(await must(demo.get(`${CRED}/applications?created_to=2020-01-01`)), [])
  assertRefused(await demo.get(`${CRED}/applications?status=open`), 'HUE00000', 'status')
  assertRefused(await demo.get(`${CRED}/applications?cursor=loan_none`), 'HUE00000', 'cursor')
  assert.deepEqual(await must(group.get(`${CRED}/applications`)), [])
})
