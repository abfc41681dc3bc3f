import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import type { Json } from '../../harness/client.ts'
import { sampleRecord, startFakeErp } from '../../harness/fakes/erp.ts'
import { ERP } from '../../harness/samples.ts'
import { setErp } from '../../students/support.ts'
import { SCHOOL, SIBLING, StudentDesk, STUDENTS, TUITION } from './support.ts'
import { API, assertAnswer, demoVisitor } from '../support.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo, group } = bursar

async function list(query: string): Promise<Json> {
  const answer = await viewer.get(`${STUDENTS}?${query}`)
  assertAnswer(answer, '200')
  return answer.body
}

const names = async (query: string): Promise<string[]> =>
  (await list(query)).data.map((row: Json) => row.fullname)

/** An answer without what differs between any two. */
const essence = (text: string, id: string): string =>
  text.replaceAll(id, '').replace(/"request_id":"\w+"/, '')

const FINDS = [
  ...'zor|AHLU|zoravar ahl|ahl zor|zx-7/44|4411|roll-998|99812|harl|zorawar|harleen.a@zor'.split('|'),
  ...'81234|+91 81234 5|08123456789|91 8123456789|balb|70123 45678|old'.split('|'),
]

test('a student is found by the beginning of any word of it or of its payer', async () => {
  await desk.register(
    {
      fullname: 'Zoravar Ahluwalia',
      identifier: 'ZX-7/4411',
      custom_identifier: 'ROLL-99812',
      primary_contact_name: 'Harleen Ahluwalia',
      primary_contact_number: '+91 81234 56789',
      primary_contact_email: 'harleen.a@zorawar.example',
    },
    { parent: 'zoravar-parent' },
  )
  await bursar.sql(
    `insert into users (institute_id, registration_id, id, name, phone, email, created_at)
     select institute_id, 'grandfather', 'user_grandfather', 'Balbir Dhillon', '7012345678', 'balbir@old.example', now()
     from users where registration_id = 'zoravar-parent'`,
  )
  await bursar.sql(
    `insert into student_users select institute_id, student_id, 'grandfather', now()
     from student_users where registration_id = 'zoravar-parent'`,
  )
  for (const typed of FINDS)
    assert.deepEqual(await names(`q=${encodeURIComponent(typed)}`), ['Zoravar Ahluwalia'], typed)
  for (const typed of ['oravar', 'zor xyz', "zor' | 'a", '\\\\', "''", ':*', '& |', '4411 9999'])
    assert.deepEqual(await names(`q=${encodeURIComponent(typed)}`), [], typed)
  assertAnswer(await viewer.get(`${STUDENTS}?q=z`), '400 HUE00000')
})

test('the list goes by name, page by page, and filters by branch, grade, status and what is owed', async () => {
  const groupOwner = await demoVisitor(bursar.url, 'bursar@demo-group.example')
  const at = `${API}/institutes/demo-group/students`
  const ids = new Map<string, string>()
  for (const [fullname, grade, collector_code] of [
    ['bala', '1', 'NORTH'],
    ['Amit', '2', 'SOUTH'],
    ['chitra', '2', 'SOUTH'],
    ['Amit', '1', 'NORTH'],
  ] as const)
    ids.set(
      `${fullname} ${grade}`,
      await desk.register({ fullname, grade, collector_code }, { client: group }),
    )
  const paid = { amount: 60_000, paid_at: '2026-06-01', mode: 'cash', transaction_id: 'ALL' }
  await group.post(`${ERP}/students/${ids.get('bala 1')}/payments`, {
    ...paid,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 60_000 }],
  })
  const dropped = { status: 'dropped', reason: 'Left' }
  assertAnswer(await groupOwner.post(`${at}/${ids.get('chitra 2')}/status`, dropped), '200')
  const rows = async (query: string): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const answer = await groupOwner.get(`${at}?limit=1&${query}${cursor && `&cursor=${cursor}`}`)
      assertAnswer(answer, '200')
      seen.push(...answer.body.data.map((row: Json) => `${row.fullname} ${row.grade}`))
      cursor = answer.body.next_cursor
    }
    return seen
  }
  const all = await rows('')
  assert.deepEqual(
    all.map(row => row.toLowerCase().slice(0, -2)),
    ['amit', 'amit', 'bala', 'chitra'],
  )
  assert.equal(new Set(all).size, 4)
  assert.deepEqual(await rows('collector_code=SOUTH'), ['Amit 2', 'chitra 2'])
  assert.deepEqual(await rows('grade=1&collector_code=NORTH&q=am'), ['Amit 1'])
  assert.deepEqual(await rows('owing=no'), ['bala 1'])
  assert.deepEqual((await rows('owing=yes')).toSorted(), ['Amit 1', 'Amit 2', 'chitra 2'])
  assert.deepEqual(await rows('status=dropped'), ['chitra 2'])
  assertAnswer(await groupOwner.get(`${at}?collector_code=MAIN`), '400 HUE00000')
  const choices = await groupOwner.get(`${API}/institutes/demo-group/choices`)
  assert.deepEqual(
    choices.body.data.branches.map((branch: Json) => branch.code),
    ['NORTH', 'SOUTH'],
  )
})

test('a student’s page says who it is, who pays, what the family owes and what can still be paid', async () => {
  const parent = desk.nextParent()
  const fees = [{ ...TUITION, discounts: [SIBLING] }]
  const id = await desk.register({ fullname: 'Kabir Rao' }, { parent, fees })
  const sister = await desk.register({ fullname: 'Anaya Rao' }, { parent })
  const page = await desk.page(id)
  assert.equal(page.fullname, 'Kabir Rao')
  assert.equal(page.users[0].registration_id, parent)
  assert.deepEqual(
    page.family.children.slice(1).map((one: Json) => [one.service_student_id, one.total_amount]),
    [[sister, 60_000]],
  )
  assert.equal(page.family.total_amount, 115_000)
  assert.equal(page.dues.total_amount, 55_000)
  assert.deepEqual(page.discounts, [
    { component_type: 'TUITION_FEE', discount_type: 'SIBLING', amount: 5_000 },
  ])
  assert.equal(page.has_erp, false)
  assert.deepEqual(page.open_orders, [])
})

test('everything that happened is told once, newest first, with who did it and why', async () => {
  const id = await desk.register()
  await finance.post(`${STUDENTS}/${id}/concessions`, {
    component_type: 'TUITION_FEE',
    discount_type: 'MERIT',
    amount: 100,
    reason: 'Topper',
  })
  const order = (await finance.post(`${STUDENTS}/${id}/orders`, { amount: 100 })).body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  await demo.patch(`${ERP}/students/${id}`, { grade: '6' })
  await finance.post(`${STUDENTS}/${id}/status`, { status: 'dropped', reason: 'Moved away' })
  const path = `${STUDENTS}/${id}/timeline`
  const whole = (await viewer.get(path)).body.data
  const told = whole.map((entry: Json) => `${entry.kind} ${entry.what}`)
  for (const expected of [
    'event masterdata.student.registered',
    'event masterdata.student.dropped',
    'event pay.payment.debited',
    'act concession.changed',
    'act order.made',
    'act student.dropped',
    'profile update',
    'fee TUITION_FEE',
  ])
    assert.ok(told.includes(expected), `${expected} is not among ${told}`)
  const dropped = whole.find((entry: Json) => entry.what === 'student.dropped')
  assert.deepEqual([dropped.by, dropped.why], ['Asha Rao', 'Moved away'])
  const acts = (await viewer.get(`${path}?kind=act`)).body.data
  assert.deepEqual(
    acts,
    whole.filter((entry: Json) => entry.kind === 'act'),
  )
  const fee = whole.find((entry: Json) => entry.kind === 'fee')
  assert.deepEqual(fee.raw.after, {
    fee_amount: 60_000,
    discounts: [{ discount_type: 'MERIT', amount: 100 }],
  })
  const paged: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { body } = await viewer.get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`)
    paged.push(...body.data.map((entry: Json) => entry.id))
    cursor = body.next_cursor
  }
  assert.deepEqual(
    paged,
    whole.map((entry: Json) => entry.id),
  )
  assertAnswer(await viewer.get(`${path}?cursor=nonsense`), '400 HUE00000')
})

test('a plan says of every instalment what was decided and why', async t => {
  const id = await desk.register({ identifier: 'PLAN-1' })
  const erp = await startFakeErp(t)
  await setErp(demo, erp)
  erp.put(sampleRecord({ identifier: 'PLAN-1' }))
  const flex = '/api/v1/integrations/flex'
  const plan = (await demo.post(`${flex}/students/${id}/plans`)).body.data.plan_id
  const { app, url } = bursar
  const { id: instituteId } = await getInstitute(app.ctx, 'demo-school')
  await startMandate(app.ctx, { instituteId, planId: plan }, { rail: 'upi_autopay', returnUrl: url })
  await demo.post(`/api/v1/sandbox/flex/plans/${plan}/authorise`, {})
  erp.refuse('PLAN-1', 'amount_mismatch', 'The fee is being corrected.')
  await demo.post('/api/v1/sandbox/clock', { advance: 'P40D' })
  const plans = await viewer.get(`${STUDENTS}/${id}/plans`)
  assert.deepEqual(
    plans.body.data.map((one: Json) => one.plan_id),
    [plan],
  )
  const { body } = await viewer.get(`${STUDENTS}/${id}/plans/${plan}`)
  const skipped = body.data.payment_schedule.find((row: Json) => row.status === 'skipped')
  assert.ok(skipped, JSON.stringify(body.data.payment_schedule))
  const reasons = body.data.decisions.filter((one: Json) => one.instalment_id === skipped.id)
  assert.ok(reasons.some((one: Json) => /The fee is being corrected/.test(one.why)))
  const stranger = await desk.register()
  assertAnswer(await viewer.get(`${STUDENTS}/${stranger}/plans/${plan}`), '404 HUE00001')
  await bursar.sql('delete from erp_settings')
})

test('another institute’s student is answered as one that does not exist', async () => {
  const theirs = await desk.register({}, { client: group })
  const nobody = `${theirs.slice(0, -1)}${theirs.endsWith('0') ? '1' : '0'}`
  const reason = 'x'
  const payment = {
    amount: 1,
    paid_at: '2026-11-01',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1 }],
    reason,
  }
  const acts = [
    ['GET', ''],
    ['GET', '/payments'],
    ['GET', '/timeline'],
    ['GET', '/plans'],
    ['POST', '/fetch', {}],
    ['POST', '/payments', payment],
    ['DELETE', '/payments/CASH-1', { reason }],
    ['POST', '/concessions', { component_type: 'A', discount_type: 'B', amount: 1, reason }],
    ['POST', '/late-fee-waivers', { reason }],
    ['POST', '/status', { status: 'dropped', reason }],
    ['POST', '/orders', {}],
  ] as const
  const before = await bursar.sql('select count(*) from events')
  for (const [method, path, body] of acts) {
    const answers = await Promise.all(
      [theirs, nobody].map(id => owner.send(method, `${STUDENTS}/${id}${path}`, body)),
    )
    assert.deepEqual(
      answers.map(answer => answer.status),
      [404, 404],
      `${method} ${path}: ${answers[0]?.text}`,
    )
    assert.equal(essence(answers[0]?.text ?? '', theirs), essence(answers[1]?.text ?? '', nobody))
  }
  assert.deepEqual(await bursar.sql('select count(*) from events'), before)
  const named = await owner.get(`${STUDENTS}?cursor=${theirs}`)
  const unnamed = await owner.get(`${STUDENTS}?cursor=${nobody}`)
  assert.equal(essence(named.text, theirs), essence(unnamed.text, nobody))
})

test('an owner lets parents sign in with a code, and then a family is sent its page, at most four times a day', async () => {
  const id = await desk.register()
  const send = (channels: string[], who = finance) => who.post(`${STUDENTS}/${id}/family-page`, { channels })
  assertAnswer(await send(['sms']), '409 HUE00002')
  const settings = `${SCHOOL}/family-pages`
  assertAnswer(await finance.send('PUT', settings, { sign_in: true }), '403 AUE00001')
  assertAnswer(await owner.send('PUT', settings, { language: 'hi', sign_in: true }), '200')
  const { body } = await viewer.get(settings)
  assert.deepEqual([body.data.language, body.data.sign_in], ['hi', true])
  assert.match(body.data.url, /\/school\/demo-school$/)
  assert.match((await viewer.get(`${settings}/qr`)).text, /^<svg /)

  assertAnswer(await send(['sms'], viewer), '403 AUE00001')
  const sent = await send(['email', 'sms'])
  assertAnswer(sent, '201')
  assert.equal(sent.body.data.recipients.length, 2)
  assert.equal((await desk.lastAct(id)).what, 'family_page.sent')
  assertAnswer(await send(['email', 'sms']), '201')
  assertAnswer(await send(['sms']), '409 HUE00002')
  const texts = await bursar.sql<{ body: string }>('select body from messages where about = $1', [id])
  assert.ok(texts.every(text => text.body.includes(body.data.url) && text.body.includes('फ़ीस')))
  assertAnswer(await owner.send('PUT', settings, { sign_in: false }), '200')
})
