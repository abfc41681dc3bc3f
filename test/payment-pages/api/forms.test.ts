import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { CONTACT, createPage, FAIR, openForm, orderIn, PAGES, pay, post, submit } from '../support.ts'

/** What payers do on a page, and what becomes of their money. */
const bursar = await startBursar({ after }, { TRUST_PROXY: '127.0.0.1' })
const { demo, app } = bursar
const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]> =>
  bursar.sql<Row>(text, values)
const SANDBOX = '/api/v1/sandbox'

const countOrders = async (pageId: string): Promise<number> =>
  (await sql('select 1 from orders where page_id = $1', [pageId])).length

async function paymentOf(pageId: string, orderId: string): Promise<Json> {
  const { status, body, text } = await demo.get(`${PAGES}/${pageId}/payments/${orderId}`)
  assert.equal(status, 200, text)
  return body.data
}

async function statusOf(pageId: string): Promise<string> {
  return (await demo.get(`${PAGES}/${pageId}`)).body.data.status
}

async function later(advance: string): Promise<void> {
  assert.equal((await demo.post(`${SANDBOX}/clock`, { advance })).status, 200)
}

async function eventsOf(id: string): Promise<{ event_code: string; payload: Json }[]> {
  return sql('select event_code, payload from events where resource_id = $1 order by sequence', [id])
}

test('a link to a page that is sent to families is shown with its title', async () => {
  const { url } = await createPage(demo, FAIR)
  const [, title] = /<title>(.*)<\/title>/.exec(await (await fetch(url)).text()) ?? []
  assert.match(await (await fetch(url)).text(), new RegExp(`og:title" content="${title}"`))
})

test('a filled-in form is an order with what was chosen and typed', async () => {
  const { id, url } = await createPage(demo, FAIR)
  const orderId = await submit(url, {
    name: '  Asha\u0000\tRao ',
    'line.TICKET': '3',
    'line.LUNCH': '1',
    'line.GIFT': '₹ 1,500.50/-',
    'field.student_name': 'Kabir Rao',
    'field.grade': '5',
    'field.date_of_birth': '20/06/2015',
    'field.house': 'Ganga',
    'line.ENTRY': '0',
    'field.identifier': 'nobody asked for this',
  })
  assert.deepEqual(await paymentOf(id, orderId), {
    id: orderId,
    kind: 'page',
    page_id: id,
    collector_code: 'MAIN',
    ...CONTACT,
    student_name: 'Kabir Rao',
    grade: '5',
    date_of_birth: '2015-06-20',
    new_admission: false,
    status: 'unpaid',
    details: [
      { component_type: 'ENTRY', amount: 100 },
      { component_type: 'TICKET', amount: 751.5 },
      { component_type: 'LUNCH', amount: 80 },
      { component_type: 'GIFT', amount: 1500.5 },
    ],
    notes: [
      { key: 'house', value: 'Ganga' },
      { key: 'quantity.TICKET', value: '3' },
    ],
  })
})

test('what is missing or wrong comes back beside its field, with everything that was typed', async () => {
  const { id, url } = await createPage(demo, FAIR)
  const typed = {
    token: await openForm(url),
    name: '',
    phone: '12',
    email: 'asha@',
    'line.TICKET': '6',
    'line.GIFT': '49.99',
    'field.grade': '7',
    'field.date_of_birth': '2999-01-01',
    'field.house': '<b>Ganga</b>',
  }
  const { status, text } = await post(url, typed)
  assert.equal(status, 422)
  for (const words of [
    'Enter your name',
    'Phone number needs 7 to 15 digits',
    'E-mail address needs to look like',
    'Ticket: enter a whole number from 1 to 5',
    'Gift needs to be at least ₹50.00',
    'Fill in: Name of the student',
    'Class: choose one from the list',
    'Date of birth of the student cannot be in the future',
    'value="12"',
    'value="asha@"',
    'value="49.99"',
    'value="&lt;b&gt;Ganga&lt;/b&gt;"',
    `value="${typed.token}"`,
  ])
    assert.ok(text.includes(words), words)
  const hindi = await post(url, typed, { cookie: 'lang=hi' })
  assert.match(hindi.text, /अपना नाम लिखें/)
  assert.equal(await countOrders(id), 0)
})

test('on a page of optional lines something has to be chosen', async () => {
  const { url } = await createPage(demo, {
    details: [
      { component_type: 'LUNCH', amount: 80, is_optional: true },
      { component_type: 'GIFT', is_optional: true },
    ],
  })
  const nothing = await post(url, { ...CONTACT, 'line.GIFT': '0' })
  assert.equal(nothing.status, 422)
  assert.match(nothing.text, /Choose at least one thing to pay for/)
  await submit(url, { 'line.LUNCH': '1' })
})

test('a form that is sent twice, or twenty times at once, is one order; changed, it takes the place of the first', async () => {
  const { id, url } = await createPage(demo, { max_payments: 1 })
  const form = { ...CONTACT, token: await openForm(url) }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, form)))
  const orders = new Set(answers.map(answer => orderIn(answer.location)))
  assert.equal(orders.size, 1)
  assert.equal(await countOrders(id), 1)

  const [first] = orders
  const changed = orderIn((await post(url, { ...form, name: 'Meera Iyer' })).location)
  assert.notEqual(changed, first)
  assert.ok((await paymentOf(id, first ?? '')).closed_at, 'the first takes no payment any more')
  await pay(demo, changed)
  const again = await post(url, { ...form, name: 'Meera Iyer' })
  assert.equal(orderIn(again.location), changed, 'a paid form sent again shows what was paid')
})

test('of forms that come at once on a page with a limit exactly as many get in as there are places', async () => {
  const { id, url } = await createPage(demo, { max_payments: 3 })
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => post(url, CONTACT, { 'x-forwarded-for': '10.0.0.1' })),
  )
  assert.equal(answers.filter(answer => answer.status === 303).length, 3)
  const refused = answers.find(answer => answer.status !== 303)
  assert.equal(refused?.status, 200)
  assert.match(refused?.text ?? '', /All places are taken[\s\S]*No money has been taken/)
  assert.equal(await countOrders(id), 3)
  assert.equal(await statusOf(id), 'full')
})

test('a place that nobody pays for in half an hour is free again; one that is paid or being paid is not', async () => {
  const { id, url } = await createPage(demo, { max_payments: 3 })
  const [paid, paying, idle] = [await submit(url), await submit(url), await submit(url)]
  await pay(demo, paid)
  const { payment_id: payment } = await pay(demo, paying, 'pending')
  assert.equal(await statusOf(id), 'full')
  await later('PT31M')
  assert.equal(await statusOf(id), 'open')
  await submit(url)
  assert.equal(await statusOf(id), 'full')
  const late = await demo.post(`${SANDBOX}/pay/orders/${idle}/pay`, { outcome: 'success' })
  assert.equal(late.status, 409)
  assert.ok((await paymentOf(id, idle)).closed_at)
  // Money wins: it was on its way when the time was over.
  assert.equal((await demo.post(`${SANDBOX}/payments/${payment}/capture`)).status, 200)
  assert.equal((await paymentOf(id, paying)).status, 'paid')
  assert.equal(await statusOf(id), 'full')
})

test('a closed page says so, and nobody pays past its time', async () => {
  const { now } = (await demo.get(`${SANDBOX}/clock`)).body.data
  const closes_at = new Date(Date.parse(now) + 600_000).toISOString()
  const { id, url } = await createPage(demo, { closes_at })
  const orderId = await submit(url)
  await later('PT10M')
  assert.equal(await statusOf(id), 'closed')
  const shown = await fetch(url)
  assert.equal(shown.status, 200)
  assert.match(await shown.text(), /Closed[\s\S]*took payments until[\s\S]*No money has been taken/)
  assert.match((await post(url, CONTACT)).text, /took payments until/)
  assert.equal((await demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome: 'success' })).status, 409)
  assert.equal((await demo.patch(`${PAGES}/${id}`, { closes_at: null })).body.data.status, 'open')
  await submit(url)
})

test('an unpublished page tells nothing of itself and takes no payment, also of those at the checkout', async () => {
  const { id, url } = await createPage(demo, { title: 'A secret plan' })
  const orderId = await submit(url)
  assert.equal((await demo.patch(`${PAGES}/${id}`, { is_published: false })).body.data.status, 'unpublished')
  const shown = await fetch(url)
  const text = await shown.text()
  assert.equal(shown.status, 404)
  assert.match(text, /Demo School does not take payments on this page/)
  assert.doesNotMatch(text, /secret/)
  assert.equal((await post(url, CONTACT)).status, 404)
  assert.equal((await demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome: 'success' })).status, 409)
  await demo.patch(`${PAGES}/${id}`, { is_published: true })
  await submit(url)
})

test('each payment is told once as pay.payment and once as page.payment, and settled so; refunds carry order_id', async () => {
  const { id, url } = await createPage(demo, FAIR)
  const orderId = await submit(url, { 'line.TICKET': '2', 'field.student_name': 'Kabir Rao' })
  const { payment_id: payment } = await pay(demo, orderId)
  await demo.post(`${SANDBOX}/settlements/run`)
  await demo.post(`${SANDBOX}/settlements/run`)
  const refunds = `${PAGES}/${id}/payments/${orderId}/refunds`
  assert.equal((await demo.post(refunds, { amount: 601.01 })).status, 409)
  const part = await demo.post(refunds, { amount: 100, reason: 'no lunch' })
  assert.equal(part.status, 201, part.text)
  assert.equal((await demo.post(refunds)).body.data.amount, 501)
  assert.equal((await demo.post(refunds)).status, 409)
  await app.worker.runAllDue()
  const told = await eventsOf(orderId)
  assert.deepEqual(told.map(event => event.event_code).toSorted(), [
    'page.payment.debited',
    'page.payment.settled',
    'pay.payment.debited',
    'pay.payment.settled',
    'refund.processed',
    'refund.processed',
  ])
  for (const { event_code: code, payload } of told) {
    assert.equal(payload.order_id, orderId)
    assert.equal(payload.payment.id, payment)
    assert.equal(payload.payment.product, 'pay')
    assert.equal(payload.page_id, code.startsWith('page.') ? id : undefined)
    if (code.startsWith('refund.')) continue
    assert.equal(payload.order.student_name, 'Kabir Rao')
    assert.equal(payload.payment.amount, 601)
    for (const line of payload.order.details)
      assert.equal(line.settlement_utr !== undefined, code.endsWith('.settled'), code)
  }
  const list = await demo.get(refunds)
  assert.deepEqual(
    list.body.data.map((refund: Json) => `${refund.amount} ${refund.status}`),
    ['100 processed', '501 processed'],
  )
})

test('a receipt is there once it is paid, for the institute and for the payer', async () => {
  const { id, url } = await createPage(demo)
  const orderId = await submit(url)
  const receipt = `${PAGES}/${id}/payments/${orderId}/receipt`
  assert.equal((await demo.get(receipt)).status, 404)
  await pay(demo, orderId)
  const answer = await demo.get(receipt)
  assert.equal(answer.headers.get('content-type'), 'application/pdf')
  assert.match(answer.text, /^%PDF/)
  assert.equal((await fetch(`${bursar.url}/pay/demo-school/${orderId}/receipt.pdf`)).status, 200)
})

test('the payer returns to callback_url, signed, once it is paid', async () => {
  const { url } = await createPage(demo, { callback_url: 'https://school.example.in/done' })
  const orderId = await submit(url)
  const back = `${bursar.url}/pay/demo-school/${orderId}/return`
  const before = await fetch(back, { redirect: 'manual' })
  assert.equal(before.headers.get('location'), `/pay/demo-school/${orderId}`)
  await pay(demo, orderId)
  const after = await fetch(back, { redirect: 'manual' })
  assert.match(
    after.headers.get('location') ?? '',
    /^https:\/\/school\.example\.in\/done\?order_id=\w+&status=paid&signature=/,
  )
})

test('one address cannot send forms without end, and others are not held up by it', async () => {
  const { id, url } = await createPage(demo)
  const send = (ip: string) => post(url, { ...CONTACT, 'field.x': 'y' }, { 'x-forwarded-for': ip })
  const answers = await Promise.all(Array.from({ length: 70 }, () => send('203.0.113.9')))
  const refused = answers.filter(answer => answer.status === 429)
  // Some tokens come back while they are sent.
  assert.ok(refused.length >= 5 && refused.length <= 10, `${refused.length} refused`)
  assert.equal(refused[0]?.headers.get('retry-after'), '60')
  assert.match(refused[0]?.text ?? '', /wait a minute, then send it again/)
  assert.match(refused[0]?.text ?? '', /value="Asha Rao"/)
  assert.equal(await countOrders(id), 70 - refused.length)
  assert.equal((await send('203.0.113.10')).status, 303)
  const house64 = await Promise.all(Array.from({ length: 70 }, (_, n) => send(`2001:db8:1:2::${n + 1}`)))
  assert.ok(
    house64.some(answer => answer.status === 429),
    'a network of IPv6 addresses is one visitor',
  )
})

test('books, bank and events agree after all of this', async () => {
  assert.deepEqual(await findBroken(sql), [])
  const institute = await getInstitute(app.ctx, 'demo-school')
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
})
