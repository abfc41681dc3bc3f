import assert from 'node:assert/strict'
import { subscribe as watchChannel } from 'node:diagnostics_channel'
import { after, test } from 'node:test'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { startBursar } from '../harness/bursar.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { subscribe, trigger } from '../webhooks/support.ts'

/** What a process does while nobody wants anything of it. */
const bursar = await startBursar({ after }, { BURSAR_ROLE: 'all' })
const sent: string[] = []
watchChannel(STATEMENTS, text => void sent.push(String(text)))

const ASKS = /^select pg_current_snapshot/
/** Of deliveries, of the sandbox's clock and of the schema. */
const LOOKS = /from webhook_queue|select value from instance_settings|from schema_migrations/
const asked = (): number => sent.filter(text => ASKS.test(text)).length

test('while nobody writes anything a process asks the database once for all that it waits for', async () => {
  const counts: number[] = []
  // A job that writes now and then falls between two of several times.
  while (counts.length < 10 && !counts.includes(0)) {
    sent.length = 0
    await waitFor(async () => asked() >= 3, 'three questions')
    counts.push(sent.filter(text => LOOKS.test(text)).length)
  }
  assert.ok(counts.includes(0), `looks of each time: ${counts.join(', ')}`)
})

test('a quiet process sends hardly a statement beside that question', async () => {
  const more: number[] = []
  // What is written in another database of the same server wakes the jobs too.
  while (more.length < 20 && !more.some(count => count <= 2)) {
    sent.length = 0
    await waitFor(async () => asked() >= 3, 'three questions')
    more.push(sent.length - asked())
  }
  assert.ok(Math.min(...more) <= 2, `statements beside three questions: ${more.join(', ')}`)
})

test('a quiet process finds what another one wrote, though nobody tells it', async t => {
  const receiver = await startReceiver(t)
  const webhookId = await subscribe(bursar.demo, receiver.url)
  await trigger(bursar.demo)
  await receiver.waitForRequests(1)
  sent.length = 0
  await waitFor(async () => asked() >= 3, 'it to be quiet again')
  // As a process would leave it that died between its commit and the notification.
  await bursar.sql(
    `with again as (select * from webhook_deliveries where webhook_id = $1)
     insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id)
     select institute_id, id, webhook_id, event_id from again`,
    [webhookId],
  )
  await receiver.waitForRequests(2)
  const offset = bursar.app.ctx.clock.now().getTime() - Date.now() + 3_600_000
  await bursar.sql(`update instance_settings set value = $1 where key = 'clock_offset_ms'`, [
    String(Math.round(offset)),
  ])
  await waitFor(
    async () => bursar.app.ctx.clock.now().getTime() - Date.now() > offset - 60_000,
    'the clock to be moved',
  )
})
