import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { startFakeSmtp } from '../harness/fakes/smtp.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { kill, startWorker } from '../harness/processes/worker-process.ts'
import { queue, rows, SMS_ACCOUNT } from './support.ts'

/** Workers are killed after a message has left and before that is written down. */
const DATABASE_URL = await cloneDatabase({ after })
const bursar = await startBursar({ after }, { DATABASE_URL })

/** As if a minute had gone by. */
const expireLeases = () => bursar.sql(`update messages set held_until = now() - interval '1 second'`)

async function stateOf(recipient: string): Promise<string | undefined> {
  return (await rows(bursar)).find(row => row.recipient === recipient)?.state
}

test('a phone gets one SMS though the worker was killed while it was sent; the office sees that it may have arrived', async t => {
  const exotel = await startReceiver(t)
  exotel.answer(() => 'hang')
  const sms = { ...SMS_ACCOUNT, SMS_URL: exotel.origin }
  await queue(bursar, { channel: 'sms', recipient: '9876543210', subject: undefined, once: 'refund 1' })
  const first = startWorker(DATABASE_URL, sms)
  await exotel.waitForRequests(1, 30_000)
  await kill(first)
  assert.equal(await stateOf('9876543210'), 'queued')
  await expireLeases()
  exotel.answer(() => ({ status: 200, body: '{"SMSMessage":{"Sid":"e1","Status":"queued"}}' }))
  const second = startWorker(DATABASE_URL, sms)
  t.after(() => kill(second))
  await waitFor(async () => (await stateOf('9876543210')) === 'failed', 'the other worker looks at it')
  assert.equal(exotel.requests.length, 1)
  const row = (await rows(bursar)).find(({ recipient }) => recipient === '9876543210')
  assert.match(row?.failure ?? '', /it may have arrived/)
  // The one that was not under way leaves.
  await queue(bursar, { channel: 'sms', recipient: '9876543211', subject: undefined })
  await waitFor(async () => (await stateOf('9876543211')) === 'sent', 'the next one')
})

test('a mail that may have arrived is sent again under the same Message-ID, by which its reader shows it once', async t => {
  const smtp = await startFakeSmtp(t)
  smtp.behave('hold')
  await queue(bursar, { recipient: 'asha@example.in' })
  const first = startWorker(DATABASE_URL, { SMTP_URL: smtp.url, MAIL_FROM: 'fees@school.example' })
  await smtp.waitForMails(1)
  await kill(first)
  await expireLeases()
  smtp.behave('accept')
  const second = startWorker(DATABASE_URL, { SMTP_URL: smtp.url, MAIL_FROM: 'fees@school.example' })
  t.after(() => kill(second))
  await waitFor(async () => (await stateOf('asha@example.in')) === 'sent', 'the other worker sends it')
  const ids = smtp.mails.map(({ headers }) => headers['message-id'])
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
})
