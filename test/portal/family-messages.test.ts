import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import type { Visitor } from '../harness/visitor.ts'
import { newFamily, textOf, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

test('a payment for two children is told by one line to the phone with the sum, and by a mail with each receipt', async () => {
  const primary_contact_number = '9876512345'
  const students = [
    { fullname: 'Kabir Rao', primary_contact_number },
    { fullname: 'Anaya Rao', primary_contact_number },
  ]
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]
  const { user, students: ids } = await newFamily(demo, { students, fees })
  const parent = await visitAs(bursar, user)
  const csrf = await parent.csrf('/parents/pay')
  const boxes = ids.map((id): [string, string] => ['fee', `${id}:TUITION_FEE`])
  const { location: checkout } = await parent.post('/parents/pay', [['csrf', csrf], ...boxes])
  const { location: bank } = await parent.post(`${checkout}/start`, { mode: 'upi' })
  await parent.post(new URL(bank ?? '').pathname, { outcome: 'success' })
  await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
  const toldBy = async (channel: string): Promise<string[]> => {
    const rows = await bursar.sql<Json>(
      `select coalesce(subject, body) as text from messages where channel = $1 and about in
         (select id from orders where student_id = any($2)) order by created_at, id`,
      [channel, ids],
    )
    return rows.map(({ text }) => text as string)
  }
  const [line, ...more] = await toldBy('sms')
  assert.deepEqual(more, [])
  assert.match(line ?? '', /received ₹2,000\.00 for \w+ Rao, \w+ Rao\. Receipt \S+\/\d{6}, \S+\/\d{6}: http/)
  const mails = (await toldBy('email')).filter(text => /₹1,000\.00 received for \w+ Rao, receipt/.test(text))
  assert.equal(mails.length, 2)
})

test('what goes back by itself is told after what came, on the page, by mail and to the phone, with the child and the reason', async () => {
  const primary_contact_number = '9876512346'
  const students = [
    { fullname: 'Asha Iyer', primary_contact_number },
    { fullname: 'Mohan Iyer', primary_contact_number },
  ]
  const fees = [
    { component_type: 'TUITION_FEE', fee_amount: 12000 },
    { component_type: 'BUS_FEE', fee_amount: 0.5 },
  ]
  const { user, students: ids } = await newFamily(demo, { students, fees })
  const parent = await visitAs(bursar, user)
  const csrf = await parent.csrf('/parents/pay')
  const boxes = ids.flatMap(id =>
    ['TUITION_FEE', 'BUS_FEE'].map((fee): [string, string] => ['fee', `${id}:${fee}`]),
  )
  const { location: checkout } = await parent.post('/parents/pay', [['csrf', csrf], ...boxes])
  const { location: bank } = await parent.post(`${checkout}/start`, { mode: 'upi' })
  const counter = await demo.post(`${ERP}/students/${ids[0]}/payments`, {
    amount: 12000.5,
    paid_at: bursar.app.ctx.clock.now().toISOString(),
    fee_components: fees.map(fee => ({ component_type: fee.component_type, amount: fee.fee_amount })),
  })
  assert.equal(counter.status, 201, counter.text)
  await parent.post(new URL(bank ?? '').pathname, { outcome: 'success' })
  await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
  const page = textOf((await parent.get(checkout ?? '')).text)
  const told =
    /₹12,000\.50 paid for Asha Iyer was refunded[^.]*\. These fees had been paid at the school meanwhile\./
  assert.match(page, told)
  assert.doesNotMatch(page, /paid for Mohan Iyer was refunded/)
  const rows = await bursar.sql<Json>(
    `select channel, body, sent_at from messages where about in
       (select id from orders where student_id = any($1)) order by sent_at, id`,
    [ids],
  )
  const mails = rows.filter(({ channel }) => channel === 'email').map(({ body }) => body as string)
  assert.equal(mails.length, 3)
  for (const mail of mails.slice(0, 2))
    assert.match(mail, /has received ₹12,000\.50 .*\(Tuition fee, Bus fee\)/)
  assert.match(
    mails[2] ?? '',
    /has refunded ₹12,000\.50 .* for Asha Iyer .*had been paid at the school meanwhile\./,
  )
  const [, line] = rows.filter(({ channel }) => channel === 'sms')
  assert.match(line?.['body'] as string, told)
  // A sandbox shows what is attached.
  const { text: mailbox } = await parent.get('/sandbox/mailbox')
  const [, attached = ''] = /href="(\/sandbox\/mailbox\/\d+\/msg_\w+\/attachment)"/.exec(mailbox) ?? []
  assert.equal((await fetch(`${bursar.url}${attached}`)).headers.get('content-type'), 'application/pdf')
  assert.equal((await parent.get('/sandbox/mailbox/1/msg_none/attachment')).status, 404)
})

async function press(visitor: Visitor, path: string): Promise<string> {
  const seen = await visitor.post(`${path}/pay`, { csrf: await visitor.csrf(path) })
  assert.equal(seen.status, 409)
  return textOf(seen.text)
}

test('a payment for all that is at the bank is named whole, with every child of the parent who asks and no other', async () => {
  const students = [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao' }]
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 1500.01 }]
  const { user, students: ids } = await newFamily(demo, { students, fees })
  const parent = await visitAs(bursar, user)
  const csrf = await parent.csrf('/parents/pay')
  const boxes = ids.map((id): [string, string] => ['fee', `${id}:TUITION_FEE`])
  const { location: checkout } = await parent.post('/parents/pay', [['csrf', csrf], ...boxes])
  await parent.post(`${checkout}/start`, { mode: 'upi' })
  const path = `/parents/students/${ids[0]}`
  const own = await press(parent, path)
  assert.match(
    own,
    /You started a payment of ₹3,000\.02 .* It is one payment for (Kabir Rao, Anaya|Anaya Rao, Kabir) Rao\./,
  )
  const all = await parent.post('/parents/pay', [['csrf', csrf], ...boxes])
  assert.match(textOf(all.text), /₹3,000\.02 .* one payment for/)

  // Who is linked to one of them alone learns the sum that is in the way, and no other child's name.
  const uncle = `uncle-${ids[0]}`
  const { body } = await demo.get(`${ERP}/students/${ids[0]}`)
  const linked = await demo.post(`${ERP}/users/${uncle}/students`, { student: body.data })
  assert.ok(linked.status < 300, linked.text)
  const other = await press(await visitAs(bursar, uncle), path)
  assert.match(other, /started a payment of ₹3,000\.02 .* It is one payment for several children\./)
  assert.doesNotMatch(other, /Anaya/)
})

test('the page with the total of what is ticked can be read in another language, and names no other family’s child', async () => {
  const { user, students: ids } = await newFamily(demo)
  const parent = await visitAs(bursar, user)
  const total = async (boxes: readonly string[]): Promise<string> => {
    const csrf = await parent.csrf('/parents/pay')
    const ticked = boxes.map((box): [string, string] => ['fee', box])
    return (await parent.post('/parents/pay', [['csrf', csrf], ['act', 'total'], ...ticked])).location ?? ''
  }
  const counted = await parent.get(await total([`${ids[0]}:TRANSPORT_FEE`]))
  assert.match(textOf(counted.text), /Chosen in all: ₹12,000\.50/)
  const [, hindi = ''] = /href="(\?[^"]*lang=hi)"/.exec(counted.text) ?? []
  const inHindi = await parent.get(`/parents/pay${hindi.replaceAll('&amp;', '&')}`)
  assert.match(inHindi.text, new RegExp(`value="${ids[0]}:TRANSPORT_FEE"[^>]* checked`))
  assert.doesNotMatch(inHindi.text, new RegExp(`value="${ids[0]}:TUITION_FEE"[^>]* checked`))
  await parent.get('/parents/pay?lang=en')
  assert.match(textOf((await parent.get(await total([]))).text), /Chosen in all: ₹0\.00/)
  assert.equal((await parent.get('/parents/pay?fee=student_x:TUITION_FEE')).status, 404)
})
