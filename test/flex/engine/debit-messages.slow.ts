import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { openWorld, SHORT_FIRST, stateOf, type World } from '../support.ts'

async function sentAbout(world: World, text: RegExp): Promise<Json[]> {
  const mails = (await world.mailbox()).filter(mail => text.test(mail.text))
  return mails.toReversed()
}

test('a debit at night is told by mail at once, with its receipt and a page, and to the phone in the school’s hours; its notice names every day of a try', async t => {
  const world = await openWorld(t, { withErp: false, schedule: SHORT_FIRST, rail: 'upi_autopay' })
  const { bursar } = world
  const clock = (to: string): Promise<Json> => bursar.demo.post('/api/v1/sandbox/clock', { to })
  await clock('2027-01-05T21:31:00+05:30')
  const announced = await sentAbout(world, /will (be debited on|debit ₹)/)
  assert.deepEqual(announced.map(({ channel, sent_at: at }) => `${channel} ${at.slice(0, 16)}`).toSorted(), [
    'email 2027-01-04T01:30',
    'sms 2027-01-04T01:30',
  ])
  for (const { text } of announced) assert.match(text, /5 January 2027[^]*at the latest on 6 January 2027/)

  const [row] = (await world.plan()).payment_schedule
  assert.equal(row.status, 'presented')
  const decided = await bursar.demo.post(`/api/v1/sandbox/flex/instalments/${row.id}/outcome`, {
    debited: true,
  })
  assert.equal(decided.status, 200, decided.text)
  assert.equal(stateOf(await world.plan()), 'debited')
  const ofDebit = /₹5,000\.81 .*under your mandate/
  await bursar.app.worker.runAllDue()
  await clock('2027-01-06T12:00:00+05:30')
  const told = await sentAbout(world, ofDebit)
  assert.deepEqual(
    told.map(({ channel, sent_at: at }) => `${channel} ${at.slice(0, 16)}`),
    ['email 2027-01-05T16:01', 'sms 2027-01-06T03:30'],
  )
  const [mail, sms] = told
  assert.match(mail?.subject ?? '', /₹5,000\.81 received for Kabir Rao, receipt 2026-27\/\d{6}/)
  assert.match(mail?.text ?? '', /\(Tuition fee\)/)
  assert.match(sms?.text ?? '', /Receipt 2026-27\/\d{6}: http/)
  const [attached] = await bursar.sql<Json>('select attachment from messages where id = $1', [mail?.id])
  assert.equal(attached?.['attachment'], decided.body.data.payment_id)

  const url = /http\S+/.exec(sms?.text ?? '')?.[0] ?? ''
  const page = await (await fetch(url)).text()
  assert.match(page, /₹5,000\.81/)
  assert.match(page, /Receipt 2026-27\//)
  assert.equal((await fetch(`${url}/receipt.pdf`)).headers.get('content-type'), 'application/pdf')

  const [{ id: paid }] = (await world.plan()).payment_schedule
  await bursar.demo.post(`/api/v1/sandbox/flex/instalments/${paid}/outcome`, { bounced: true })
  const after = await fetch(url)
  assert.equal(after.status, 200)
  assert.match(await after.text(), /Your bank has taken this debit back/)
})
