import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { createPage, pay, submit } from '../../payment-pages/support.ts'
import { AT, GROUP_AT, makeOrder, read } from './support.ts'
import { assertAnswer, createPerson } from '../support.ts'

const bursar = await startBursar({ after })
const { demo, group } = bursar
const sql = bursar.sql.bind(bursar)
const [finance, viewer, stranger] = await Promise.all([
  createPerson(bursar, { email: 'finance@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' }),
  createPerson(bursar, { email: 'stranger@group.example', institute: 'demo-group', role: 'owner' }),
])

const WHY = { reason: 'The family asked for it' }
const ids = async (query: string): Promise<string[]> =>
  (await read(viewer, `${AT}/orders?${query}`)).map((row: Json) => row.id)
const detail = (id: string): Promise<Json> => read(viewer, `${AT}/orders/${id}`)

const order = await makeOrder(demo, 'orders', {
  name: 'Meera Iyer',
  identifier: 'ADM-1042',
  phone: '080 2222 1111',
})
const link = await makeOrder(demo, 'payment_links', { student_name: 'Kabir Rao', identifier: 'ADM/77' })
const page = await createPage(demo, { title: 'Science fair' })
const onPage = await submit(page.url, { name: "Zoya D'Souza" })
await demo.post(`${ERP}/users/parent-1/students`, {
  student: sampleStudent({ identifier: 'S-1' }),
  fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
})
const { body: students } = await demo.get(`${ERP}/students?identifier=S-1`)
const dues = await demo.post(`${PAY}/students/${students.data[0].service_student_id}/orders`, {})
const ofStudent: string = dues.body.data.order_id
const foreign = await makeOrder(group, 'orders', { collector_code: 'NORTH', name: 'Meera Iyer' })

test('one list has orders, links, and those of pages and students, newest first, page by page', async () => {
  const all = [ofStudent, onPage, link, order]
  assert.deepEqual(await ids(''), all)
  const first = await viewer.get(`${AT}/orders?limit=3`)
  assert.deepEqual([first.body.data.length, first.body.has_more], [3, true])
  assert.deepEqual(await ids(`limit=3&cursor=${first.body.next_cursor}`), [order])
  assertAnswer(await viewer.get(`${AT}/orders?cursor=${foreign}`), '400 HUE00000')
  const [row] = await read(viewer, `${AT}/orders?kind=link`)
  assert.deepEqual(
    [row.id, row.kind, row.status, row.amount, row.refunded_amount, row.student_name],
    [link, 'link', 'unpaid', 45000, undefined, 'Kabir Rao'],
  )
})

test('filters narrow the list: kind, status, day, page, student', async () => {
  assert.deepEqual(await ids('kind=page'), [onPage])
  assert.deepEqual(await ids(`page_id=${page.id}`), [onPage])
  assert.deepEqual(await ids(`service_student_id=${students.data[0].service_student_id}`), [ofStudent])
  assert.deepEqual(await ids('created_to=2020-01-01'), [])
  assert.equal((await ids('created_from=2020-01-01&status=unpaid')).length, 4)
  assert.deepEqual(await ids('status=paid'), [])
})

test('a search finds by id, words of names, identifier and phone, and nothing of another institute', async () => {
  for (const [typed, expected] of [
    [order, [order]],
    ['iyer', [order]],
    ['MEERA iy', [order]],
    ['kabir', [ofStudent, link]],
    ['adm-1042', [order]],
    ['1042', [order]],
    ['adm/77', [link]],
    ['080-2222 1111', [order]],
    ['+91 98765 43210', [ofStudent, onPage, link]],
    ["d'souza", [onPage]],
    ["zoya ' \\ | & ! :*", []],
    ['nobody', []],
  ] as const) {
    assert.deepEqual(await ids(`q=${encodeURIComponent(typed)}`), expected, typed)
  }
  assert.deepEqual(await ids(`q=${foreign}`), [])
})

test('whatever is typed is looked for and breaks nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), async typed => {
      const { status, text } = await viewer.get(`${AT}/orders?q=${encodeURIComponent(typed)}`)
      assert.ok(status === 200, `${status} ${text}`)
    }),
    { numRuns: 60 },
  )
})

test('those who handle money make links, and the audit log knows who did', async () => {
  const body = { kind: 'link', ...sampleOrder({ student_name: 'Tara Nair' }) }
  assertAnswer(await viewer.post(`${AT}/orders`, body), '403 AUE00001')
  assertAnswer(await finance.post(`${GROUP_AT}/orders`, body), '404 HUE00001')
  const bad = await finance.post(`${AT}/orders`, { ...body, phone: '12', expires_at: '2020-01-01T10:00' })
  assertAnswer(bad, '400 HUE00000')
  const key = { 'idempotency-key': 'one-press' }
  const made = await finance.post(`${AT}/orders`, body, key)
  assert.equal(made.status, 201, made.text)
  const again = await finance.post(`${AT}/orders`, body, key)
  assert.equal(again.text, made.text)
  const { order_id: id, redirect_url: url } = made.body.data
  assert.equal((await fetch(url)).status, 200)
  const told = await detail(id)
  assert.deepEqual(
    told.timeline.map((one: Json) => [one.title, one.by]),
    [['Created', 'finance@school.example']],
  )
  const rows = await sql(`select 1 from console_audit where about = $1`, [id])
  assert.equal(rows.length, 1)
})

test('the detail of an order shows every attempt, the payment, its settlement, receipt, refunds and events with their data', async () => {
  const id = await makeOrder(demo, 'payment_links', {
    student_name: 'Ravi Shah',
    notes: [{ key: 'book', value: 'B' }],
  })
  await pay(demo, id, 'failure')
  await pay(demo, id)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P4D' })
  const told = await detail(id)
  assert.deepEqual(
    [told.status, told.can_cancel, told.can_send, told.can_refund, told.refundable],
    ['paid', false, false, true, 45000],
  )
  assert.deepEqual(
    told.payments.map((one: Json) => one.status),
    ['failed', 'captured'],
  )
  assert.ok(told.payments[0].failure.length > 0)
  assert.match(told.payments[1].settlement_utr, /\w+/)
  assert.match(told.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  const titles: string[] = told.timeline.map((one: Json) => one.title)
  assert.match(titles[0] ?? '', /^Event (pay|payment_link)\.payment\.settled$/)
  assert.equal(titles.at(-1), 'Created')
  assert.ok(titles.includes('Event payment_link.payment.debited'))
  const failed = told.timeline.find((one: Json) => one.title.includes('failed'))
  assert.deepEqual([failed.tone, failed.raw.id], ['bad', told.payments[0].id])
  const pdf = await fetch(`${bursar.url}${AT}/orders/${id}/receipt`, {
    headers: { cookie: viewer.cookie ?? '' },
  })
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')
  assert.equal(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
    '%PDF-',
  )
})

test('an order of a student tells the events that were recorded of the student', async () => {
  await pay(demo, ofStudent)
  const told = await detail(ofStudent)
  assert.ok(told.timeline.some((one: Json) => one.title === 'Event pay.payment.debited'))
  assert.equal(told.kind, 'student')
})

test('a payment on a page and one of a student can be given back too', async () => {
  const paidPage = await submit(page.url)
  await pay(demo, paidPage)
  for (const id of [paidPage, ofStudent]) {
    const refund = await finance.post(`${AT}/orders/${id}/refunds`, { ...WHY, amount: 10 })
    assert.equal(refund.status, 201, refund.text)
  }
})

test('a link is cancelled and an order closed once, with a reason', async () => {
  for (const kind of ['orders', 'payment_links'] as const) {
    const id = await makeOrder(demo, kind)
    const path = `${AT}/orders/${id}`
    assertAnswer(await viewer.send('DELETE', path, WHY), '403 AUE00001')
    assertAnswer(await finance.send('DELETE', path, {}), '400 HUE00000')
    assertAnswer(await finance.send('DELETE', path, WHY), '200')
    assertAnswer(await finance.send('DELETE', path, WHY), '409 HUE00002')
    const told = await detail(id)
    assert.equal(told.status, 'cancelled')
    const act = told.timeline.find((one: Json) => one.by !== undefined)
    assert.deepEqual([act.title, act.why], [kind === 'orders' ? 'Closed' : 'Cancelled', WHY.reason])
    assert.ok((await ids('status=cancelled')).includes(id))
  }
})

test('a link is sent again by e-mail and SMS in the language asked for, and not for ever', async () => {
  const id = await makeOrder(demo, 'payment_links', {
    student_name: 'Kabir Rao',
    email: 'resend@example.in',
    phone: '98765 00001',
  })
  const path = `${AT}/orders/${id}/messages`
  assertAnswer(await viewer.post(path, { channels: ['email'] }), '403 AUE00001')
  assertAnswer(await finance.post(path, { channels: ['fax'] }), '400 HUE00000')
  assertAnswer(await finance.post(path, { channels: ['email', 'sms'] }), '201')
  assertAnswer(await finance.post(path, { channels: ['email', 'sms'], language: 'hi' }), '201')
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const mail = await demo.get('/api/v1/sandbox/mailbox?to=resend@example.in')
  const [hindi, english] = mail.body.data
  assert.match(english.text, /Demo School requests you to pay ₹45,000.00 for Kabir Rao \(Tuition fee\)/)
  assert.ok(english.text.includes(`/pay/demo-school/${id}`))
  assert.match(hindi.text, /अनुरोध/)
  assertAnswer(await finance.post(path, { channels: ['email', 'sms'] }), '201')
  const tooMuch = await finance.post(path, { channels: ['email'] })
  assertAnswer(tooMuch, '409 HUE00002')
  const landline = await makeOrder(demo, 'payment_links', { phone: '1234567' })
  assertAnswer(await finance.post(`${AT}/orders/${landline}/messages`, { channels: ['sms'] }), '400 HUE00000')
  const paid = await makeOrder(demo, 'payment_links')
  await pay(demo, paid)
  assertAnswer(await finance.post(`${AT}/orders/${paid}/messages`, { channels: ['email'] }), '409 HUE00002')
})

test('the QR code of a link is a picture of its address', async () => {
  const answer = await fetch(`${bursar.url}${AT}/orders/${link}/qr`, {
    headers: { cookie: viewer.cookie ?? '' },
  })
  assert.equal(answer.headers.get('content-type'), 'image/svg+xml')
  assert.match(await answer.text(), /^<svg /)
  const outside = await fetch(`${bursar.url}${AT}/orders/${link}/qr`)
  assert.equal(outside.status, 401)
})

test('an instalment of a plan is shown and cannot be changed by itself', async () => {
  await sql(`update orders set kind = 'downpayment' where id = $1`, [order])
  assert.equal((await detail(order)).kind, 'downpayment')
  assertAnswer(await finance.send('DELETE', `${AT}/orders/${order}`, WHY), '409 HUE00002')
  assertAnswer(await finance.post(`${AT}/orders/${order}/messages`, { channels: ['email'] }), '409 HUE00002')
})

test('an order of another institute is one that does not exist, whatever is done to it', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/qr', undefined],
    ['GET', '/receipt', undefined],
    ['DELETE', '', WHY],
    ['POST', '/messages', { channels: ['email'] }],
    ['POST', '/refunds', WHY],
  ] as const) {
    for (const id of [foreign, 'order_nobody'])
      assertAnswer(await finance.send(method, `${AT}/orders/${id}${path}`, body), '404 HUE00001')
    assertAnswer(await stranger.send(method, `${AT}/orders/${link}${path}`, body), '404 HUE00001')
  }
})

test('payment pages are made, changed and taken off with a reason; another institute has none of them', async () => {
  const body = { title: 'Sports day', details: [{ component_type: 'EVENT_FEE', amount: 100 }] }
  assertAnswer(await viewer.post(`${AT}/payment-pages`, body), '403 AUE00001')
  const made = await finance.post(`${AT}/payment-pages`, body)
  assert.equal(made.status, 201, made.text)
  const path = `${AT}/payment-pages/${made.body.data.page_id}`
  assertAnswer(await finance.send('PATCH', path, { title: 'Sports day 2027', max_payments: 5 }), '200')
  assertAnswer(await finance.send('PATCH', path, { is_published: false }), '400 HUE00000')
  assertAnswer(await finance.send('PATCH', path, { is_published: false, ...WHY }), '200')
  const shown = await read(viewer, path)
  assert.deepEqual([shown.title, shown.status, shown.max_payments], ['Sports day 2027', 'unpublished', 5])
  const [latest] = await read(viewer, `${AT}/payment-pages?status=unpublished`)
  assert.equal(latest.page_id, shown.page_id)
  assertAnswer(await stranger.get(`${GROUP_AT}/payment-pages/${shown.page_id}`), '404 HUE00001')
  assertAnswer(await stranger.send('PATCH', `${GROUP_AT}/payment-pages/${shown.page_id}`, {}), '404 HUE00001')
  const [entry] = await sql<{ why: string; before: Json; after: Json }>(
    `select why, before, after from console_audit where about = $1 order by id desc limit 1`,
    [shown.page_id],
  )
  assert.deepEqual(
    [entry?.why, entry?.before.is_published, entry?.after.is_published],
    [WHY.reason, true, false],
  )
})
