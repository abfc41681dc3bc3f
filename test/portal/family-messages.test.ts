import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { newFamily, visitAs } from './parents-support.ts'

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
