import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notifyPayers } from '../../src/payments/notices/notices.service.ts'
import type { Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { payOrder } from './money/support.ts'
import { assertAnswer } from './support.ts'
import { SCHOOL, StudentDesk } from './students/support.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk

async function makeLink(changes: Record<string, unknown> = {}): Promise<string> {
  const made = await bursar.demo.post(`${PAY}/payment_links`, sampleOrder(changes))
  assert.equal(made.status, 201, made.text)
  return made.body.data.order_id
}

const statusOf = async (id: string): Promise<string> =>
  (await viewer.get(`${SCHOOL}/orders/${id}`)).body.data.status
const leftOut = ({ body }: { body: Json }): Json =>
  Object.fromEntries(body.data.left_out.map((one: Json) => [one.id, one.why]))

test('several links are cancelled together; what cannot be is left out with its reason, and repeating changes nothing', async () => {
  const [one, other] = [await makeLink(), await makeLink()]
  const { orderId: paid } = await payOrder(bursar)
  const body = { order_ids: [one, other, paid, one, 'order_of_nobody'], reason: 'The trip is called off' }
  const done = await finance.post(`${SCHOOL}/orders/cancellations`, body)
  assertAnswer(done, '200')
  assert.equal(done.body.data.done, 2)
  assert.deepEqual(Object.keys(leftOut(done)).sort(), [paid, 'order_of_nobody'].sort())
  assert.match(leftOut(done)[paid], /paid already/)
  assert.deepEqual(
    [await statusOf(one), await statusOf(other), await statusOf(paid)],
    ['cancelled', 'cancelled', 'paid'],
  )
  for (const id of [one, other]) {
    const { body: log } = await owner.get(`${SCHOOL}/audit?about=${id}`)
    assert.deepEqual(
      log.data.map((entry: Json) => [entry.what, entry.why]),
      [['order.cancelled', body.reason]],
    )
  }
  const again = await finance.post(`${SCHOOL}/orders/cancellations`, body)
  assert.deepEqual([again.body.data.done, Object.keys(leftOut(again)).length], [0, 4])
  const events = await bursar.sql<{ count: number }>(
    `select count(*)::int as count from events where event_code = 'payment_link.payment.cancelled' and resource_id in ('${one}', '${other}')`,
  )
  assert.equal(events[0]?.count, 2)
})

const send = (order_ids: string[], more: Json = {}) =>
  finance.post(`${SCHOOL}/orders/messages`, { order_ids, channels: ['email', 'sms'], ...more })
const told = (id: string) =>
  bursar.sql<{ channel: string; waits: boolean }>(
    `select channel, in_waking_hours as waits from messages where about = '${id}' order by channel`,
  )

test('several links are sent once more, to nobody twice within a day unless somebody insists', async () => {
  const [mailed, other] = [await makeLink(), await makeLink({ phone: '+911234567890' })]
  const first = await send([mailed, other])
  assertAnswer(first, '200')
  assert.deepEqual([first.body.data.done, first.body.data.left_out], [2, []])
  const once = await makeLink()
  await send([once], { channels: ['sms', 'sms'] })
  const [entry] = await bursar.sql<{ after: Json }>(
    `select after from console_audit where about = $1 and what = 'order.sent'`,
    [once],
  )
  assert.deepEqual(entry?.after.channels, ['sms'])
  // A phone does not ring at night for a click that is meant for many.
  assert.deepEqual(await told(mailed), [
    { channel: 'email', waits: false },
    { channel: 'sms', waits: true },
  ])
  // A number that takes no messages keeps nobody from the mail.
  assert.deepEqual(
    (await told(other)).map(one => one.channel),
    ['email'],
  )
  const again = await send([mailed, other])
  assert.equal(again.body.data.done, 0)
  assert.match(leftOut(again)[mailed], /told of it within the last day/)
  assert.equal((await send([mailed], { is_forced: true })).body.data.done, 1)
  await send([mailed], { is_forced: true })
  const sixMore = await send([mailed], { is_forced: true })
  assert.match(leftOut(sixMore)[mailed], /6 messages about it left within a day/)
  assert.equal((await told(mailed)).length, 6)
})

test('the keys of all that fit are those of the list, for acts on each of them', async () => {
  const listed = await viewer.get(`${SCHOOL}/orders?status=cancelled&limit=200`)
  const { body } = await viewer.get(`${SCHOOL}/orders/keys?status=cancelled`)
  assert.deepEqual(
    body.data.keys,
    listed.body.data.map((row: Json) => row.id),
  )
  const receipts = await viewer.get(`${SCHOOL}/money/receipts?limit=200`)
  assert.deepEqual(
    (await viewer.get(`${SCHOOL}/money/receipts/keys`)).body.data.keys,
    receipts.body.data.map((row: Json) => row.id),
  )
})

test('receipts are mailed once more with their PDF, cancelled ones and those of today are left out', async () => {
  const ids: string[] = []
  for (let index = 0; index < 2; index++) {
    const { paymentId } = await payOrder(bursar)
    const [row] = await bursar.sql<{ id: string }>(
      `select financial_year || '-' || lpad(number::text, 6, '0') as id from receipts where payment_id = '${paymentId}'`,
    )
    ids.push(row?.id ?? '')
  }
  const [standing = '', cancelled = ''] = ids
  assertAnswer(await finance.post(`${SCHOOL}/money/receipts/${cancelled}/cancel`, { reason: 'Wrong' }), '200')
  const mail = () =>
    finance.post(`${SCHOOL}/money/receipts/messages`, {
      receipt_ids: [standing, cancelled, '2020-21-000001'],
    })
  await notifyPayers(bursar.app.ctx, 100)
  const today = await mail()
  assert.equal(today.body.data.done, 0, today.text)
  assert.match(leftOut(today)[standing], /within the last day/)
  await bursar.sql(`update messages set created_at = created_at - interval '2 days'`)
  const done = await mail()
  assertAnswer(done, '200')
  assert.equal(done.body.data.done, 1)
  assert.match(leftOut(done)[cancelled], /cancelled/)
  const mails = await bursar.sql(
    `select 1 from messages m join receipts c on c.institute_id = m.institute_id and c.payment_id = m.attachment
     where m.channel = 'email' and c.financial_year || '-' || lpad(c.number::text, 6, '0') = '${standing}'`,
  )
  assert.equal(mails.length, 2, 'the first mail and this one')
  assert.equal((await mail()).body.data.done, 0)
})

test('the picked receipts come as one PDF, each from a page of its own on', async () => {
  const { body } = await viewer.get(`${SCHOOL}/money/receipts?limit=3`)
  const picked = body.data.map((row: Json) => row.id)
  const pages = async (query: string): Promise<number> => {
    const answer = await viewer.get(`${SCHOOL}/money/receipts/pdf?${query}`)
    assert.equal(answer.status, 200, answer.text.slice(0, 200))
    assert.equal(answer.headers.get('content-type'), 'application/pdf')
    return answer.text.match(/\/Type \/Page\b/g)?.length ?? 0
  }
  assert.equal(await pages(`picked=${picked.join(',')}`), 3)
  assert.equal(await pages(`picked=${picked[0]}&paper=a5`), 1)
  assert.equal(await pages('status=cancelled'), 1)
  assertAnswer(await viewer.get(`${SCHOOL}/money/receipts/pdf?picked=2020-21-000001`), '409 HUE00002')
  const { body: log } = await owner.get(`${SCHOOL}/audit?about=receipts&limit=1`)
  assert.deepEqual(log.data[0].after, { report: 'receipts', format: 'pdf', rows: 1 })
})
