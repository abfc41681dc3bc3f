import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { pay } from '../../payment-pages/support.ts'
import { registerStudent } from '../../students/support.ts'
import { AT, makeOrder } from '../orders/support.ts'
import { assertAnswer, createPerson } from '../support.ts'

/** Above an amount a second person approves what one person asks for in the console. */
const bursar = await startBursar({ after })
const { demo } = bursar
const MEERA = 'meera@school.example'
const HEAD = 'head@school.example'
const [meera, head, viewer] = await Promise.all([
  createPerson(bursar, { email: MEERA, institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: HEAD, institute: 'demo-school', role: 'owner' }),
  createPerson(bursar, { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' }),
])
const WHY = { reason: 'The family asked for it' }

const setLimit = (above: number | null): Promise<Answer> =>
  head.send('PUT', `${AT}/approval-limit`, { above, ...WHY })

before(async () => assertAnswer(await setLimit(5_000), '200'))

async function paidOrder(): Promise<string> {
  const id = await makeOrder(demo, 'orders')
  await pay(demo, id)
  return id
}

const refund = (id: string, body: Json = {}): Promise<Answer> =>
  meera.post(`${AT}/orders/${id}/refunds`, { ...WHY, ...body })

/** Asks for what is kept, and answers its id. */
async function kept(asking: Promise<Answer>): Promise<string> {
  const { status, body, text } = await asking
  assert.match(String(status), /^20[01]$/, text)
  assert.equal(body.data.status, 'waiting', text)
  return body.data.approval_id
}

const decide = (who: typeof meera, id: string, how: string, body: Json = {}): Promise<Answer> =>
  who.post(`${AT}/approvals/${id}/${how}`, body)

const refundsOf = (id: string): Promise<Json[]> =>
  bursar.sql('select amount_paise::int as paise from refunds where order_id = $1', [id])

const auditOf = async (about: string): Promise<[string, string][]> => {
  const rows = await bursar.sql<{ what: string; actor_name: string }>(
    'select what, actor_name from console_audit where about = $1 order by id',
    [about],
  )
  return rows.map(one => [one.what, one.actor_name])
}

const mails = async (to: string, about: string): Promise<string[]> =>
  (
    await bursar.sql<{ subject: string }>(
      'select subject from messages where recipient = $1 and about = $2 order by id',
      [to, about],
    )
  ).map(({ subject }) => subject)

test('a refund above the amount waits for somebody else than its maker, and then is made once', async () => {
  const id = await paidOrder()
  assertAnswer(await refund(id, { amount: 5_000 }), '201')
  assert.deepEqual(await refundsOf(id), [{ paise: 500_000 }])
  // Small parts of one order add up.
  const approval = await kept(refund(id, { amount: 10 }))
  assertAnswer(await refund(id, { amount: 20 }), '409 HUE00002')
  assert.equal((await refundsOf(id)).length, 1)
  assert.deepEqual(await mails(HEAD, approval), ['To approve: Refund to Asha Rao'])
  assert.deepEqual(await mails(MEERA, approval), [])
  assert.equal((await head.get(`${AT}/home`)).body.data.approvals_waiting, 1)
  const own = await decide(meera, approval, 'approve')
  assertAnswer(own, '409 HUE00002')
  assert.match(own.body.message, /asked for this yourself/)
  assertAnswer(await decide(viewer, approval, 'approve'), '403 AUE00001')
  assertAnswer(await decide(head, approval, 'approve', { note: 'As agreed' }), '200')
  assertAnswer(await decide(head, approval, 'approve'), '409 HUE00002')
  assert.deepEqual(await refundsOf(id), [{ paise: 500_000 }, { paise: 1_000 }])
  assert.deepEqual(await auditOf(id), [
    ['order.refunded', MEERA],
    ['approval.asked', MEERA],
    ['order.refunded', HEAD],
    ['approval.approved', HEAD],
  ])
  const { timeline } = (await head.get(`${AT}/orders/${id}`)).body.data
  const titles: string[] = timeline.map((one: Json) => one.title)
  assert.ok(titles.includes('Approval asked for') && titles.includes('Approved'), titles.join())
  assert.deepEqual(await mails(MEERA, approval), ['Approved: Refund to Asha Rao'])
})

test('many approvals at once make one refund, of the amount that was shown', async () => {
  const id = await paidOrder()
  const approval = await kept(refund(id))
  const other = await createPerson(bursar, {
    email: 'two@school.example',
    institute: 'demo-school',
    role: 'owner',
  })
  const answers = await Promise.all([head, other, head].map(who => decide(who, approval, 'approve')))
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409', '409'])
  assert.deepEqual(await refundsOf(id), [{ paise: 4_500_000 }])
})

test('a crash between the act and its approval leaves neither, and it can be approved again', async () => {
  const id = await paidOrder()
  const approval = await kept(refund(id, { amount: 6_000 }))
  await bursar.sql(
    `create function die() returns trigger language plpgsql as 'begin raise exception ''killed''; end'`,
  )
  await bursar.sql('create trigger die before update on approvals for each row execute function die()')
  assert.equal((await decide(head, approval, 'approve')).status, 500)
  assert.deepEqual(await refundsOf(id), [])
  await bursar.sql('drop trigger die on approvals')
  assertAnswer(await decide(head, approval, 'approve'), '200')
  assert.equal((await refundsOf(id)).length, 1)
})

test('what cannot be done any more is not done by an approval, and stays to be declined', async () => {
  const id = await paidOrder()
  const approval = await kept(refund(id))
  assertAnswer(await demo.post(`/api/v1/integrations/pay/orders/${id}/refunds`, { amount: 40_000 }), '201')
  assertAnswer(await decide(head, approval, 'approve'), '409 HUE00002')
  assertAnswer(await decide(head, approval, 'decline', {}), '400 HUE00000')
  assertAnswer(await decide(head, approval, 'decline', { reason: 'The ERP did it' }), '200')
  assert.equal((await refundsOf(id)).length, 1)
  assert.deepEqual(await mails(MEERA, approval), ['Declined: Refund to Asha Rao'])
})

test('a concession and a waiver above the amount wait too, and the counter waives no more than it', async () => {
  const late = { kind: 'per_day', amount_per_day: 10, max_amount: 900 }
  const rule = { component_type: 'TUITION_FEE', due_date: '2025-11-01', ...late }
  await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule] })
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }]
  const student = await registerStudent(demo, { identifier: 'APR-1' }, { fee_components: fees })
  const at = `${AT}/students/${student}`
  const summary = async (): Promise<Json> =>
    (await demo.get(`${ERP}/students/${student}`)).body.data.fee_summary
  const give = (amount: number): Promise<Answer> =>
    meera.post(`${at}/concessions`, {
      component_type: 'TUITION_FEE',
      discount_type: 'SIBLING',
      amount,
      ...WHY,
    })
  assertAnswer(await give(5_000), '200')
  const approval = await kept(give(9_000))
  assertAnswer(await give(70_000), '400 HUE00000')
  assert.equal((await summary()).outstanding, 55_000)
  assertAnswer(await decide(head, approval, 'approve'), '200')
  assert.equal((await summary()).outstanding, 51_000)
  assertAnswer(await give(8_000), '200')

  assertAnswer(await setLimit(500), '200')
  const whole = { component_type: 'TUITION_FEE', amount: 52_000 }
  const cash = { mode: 'cash', amount: 52_000, paid_at: '2026-02-01', transaction_id: 'CASH-APR-1' }
  const counter = await meera.post(`${at}/payments`, {
    ...cash,
    fee_components: [whole],
    waive_late_fee_reason: 'Kind',
  })
  assertAnswer(counter, '409 HUE00002')
  assert.match(counter.body.message, /second person/)
  const waiver = await kept(meera.post(`${at}/late-fee-waivers`, WHY))
  assertAnswer(await decide(head, waiver, 'approve'), '200')
  const [entry] = (await meera.get(at)).body.data.late_fee_entries
  assert.deepEqual([entry.amount, entry.actor], [900, 'Asha Rao'])
  await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] })
  assertAnswer(await setLimit(5_000), '200')
})

test('a request can be withdrawn by its maker alone, and expires after a week', async () => {
  const id = await paidOrder()
  const first = await kept(refund(id))
  assertAnswer(await decide(head, first, 'withdraw'), '409 HUE00002')
  assertAnswer(await decide(meera, first, 'withdraw'), '200')
  const second = await kept(refund(id))
  await demo.post('/api/v1/sandbox/clock', { advance: 'P8D' })
  assertAnswer(await decide(head, second, 'approve'), '409 HUE00002')
  const { body } = await meera.get(`${AT}/approvals?status=expired`)
  assert.deepEqual(
    body.data.map((one: Json) => one.approval_id),
    [second],
  )
  assert.deepEqual(await mails(MEERA, second), ['Expired: Refund to Asha Rao'])
  assert.deepEqual(await refundsOf(id), [])
})

test('only an owner sets the amount, never where one person is alone, and a key of the ERP is not held up', async () => {
  assertAnswer(await meera.send('PUT', `${AT}/approval-limit`, { above: null, ...WHY }), '403 AUE00001')
  const alone = await createPerson(bursar, {
    email: 'alone@group.example',
    institute: 'demo-group',
    role: 'owner',
  })
  await bursar.sql(
    `update console_users set disabled_at = now() where id in (select user_id from console_memberships m
     join institutes i on i.id = m.institute_id where i.code = 'demo-group') and email <> 'alone@group.example'`,
  )
  const path = '/console/api/institutes/demo-group/approval-limit'
  const refused = await alone.send('PUT', path, { above: 1, ...WHY })
  assertAnswer(refused, '409 HUE00002')
  const id = await paidOrder()
  assertAnswer(await demo.post(`/api/v1/integrations/pay/orders/${id}/refunds`, {}), '201')
  assertAnswer(await setLimit(null), '200')
  const free = await paidOrder()
  assertAnswer(await refund(free), '201')
})

test('a fee structure that lets a class off more than the amount waits, and is applied once it is approved', async () => {
  assertAnswer(await setLimit(5_000), '200')
  const YEAR = `${AT}/fee-structures/2026/2027`
  const student = await registerStudent(demo, { identifier: 'STRUCT-1', grade: '7' })
  const owed = async (): Promise<number> =>
    (await demo.get(`${ERP}/students/${student}`)).body.data.fee_summary.outstanding
  const save = (amount: number): Promise<Answer> =>
    meera.send('PUT', YEAR, {
      ...WHY,
      terms: [{ name: 'Year', due_date: '2026-06-10' }],
      fee_heads: ['TUITION_FEE'],
      grades: ['7'],
      amounts: [{ grade: '7', component_type: 'TUITION_FEE', term: 1, amount }],
      concessions: [],
    })
  const apply = (preview = false, reason = ''): Promise<Answer> =>
    meera.post(`${YEAR}/apply`, { grade: '7', preview, ...(reason === '' ? {} : { reason }) })
  assertAnswer(await save(60_000), '200')
  assertAnswer(await apply(), '200')
  assertAnswer(await save(56_000), '200')
  assertAnswer(await apply(), '200')
  // A child that is added to the class from now on would pay less: parts of that add up too.
  assertAnswer(await decide(head, await kept(save(50_000)), 'approve'), '200')
  assertAnswer(await apply(true), '200')
  // Who decides reads why, how many children it is about and what they have to pay before and after.
  const bare = await apply()
  assertAnswer(bare, '400 HUE00000')
  assert.equal(bare.body.errors[0].key, 'reason')
  const id = await kept(apply(false, 'As the board decided'))
  const { students, before_amount, after_amount, reason } = (await head.get(`${AT}/approvals`)).body.data[0]
  assert.deepEqual(
    [students, before_amount, after_amount, reason],
    [1, 56_000, 50_000, 'As the board decided'],
  )
  assert.equal(await owed(), 56_000)
  assertAnswer(await decide(meera, id, 'approve'), '409 HUE00002')
  assertAnswer(await decide(head, id, 'approve'), '200')
  assert.equal(await owed(), 50_000)
  // What makes nothing cheaper never waits.
  assertAnswer(await save(90_000), '200')
  assertAnswer(await apply(), '200')
  assert.equal(await owed(), 90_000)
})
