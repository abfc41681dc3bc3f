import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendReminders } from '../../src/flex/notices/notices.service.ts'
import { waitFor } from '../harness/wait.ts'
import { openWorld } from './support.ts'

const TUITION = [{ component_type: 'TUITION_FEE', amount: 60000 }]
const TRANSPORT = [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }]

test('an ERP that takes its time is asked once a reminder, however many workers look for what is due', async t => {
  const schedule = [
    { due_date: '2027-01-05', details: TUITION },
    // Seven days before this one it is three before the other: one fetch serves both.
    { due_date: '2027-01-09', details: TRANSPORT },
  ]
  const world = await openWorld(t, { schedule })
  const { bursar, erp } = world
  await bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-02T08:00:00+05:30' })
  const before = erp.requests.length
  const { promise: isAnswering, resolve: answer } = Promise.withResolvers<null>()
  erp.disturb(() => isAnswering)
  const moving = bursar.demo.post('/api/v1/sandbox/clock', { to: '2027-01-02T09:30:00+05:30' })
  await waitFor(async () => erp.requests.length > before, 'the ERP is asked')
  // Another worker comes by while the ERP is still thinking.
  assert.equal(await sendReminders(bursar.app.ctx, 100), 0)
  answer(null)
  assert.equal((await moving).status, 200)
  assert.equal(erp.requests.length, before + 1)
  const mails = (await world.mailbox()).filter(
    mail => mail.sent_at.startsWith('2027-01-02') && mail.channel === 'email',
  )
  assert.equal(mails.length, 1)
})
