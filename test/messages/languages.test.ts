import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API, assertAnswer, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { startFakeSmtp } from '../harness/fakes/smtp.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { newFamily, visitAs } from '../portal/parents-support.ts'
import { advance, SMS_ACCOUNT } from './support.ts'

const REGISTERED = {
  ...SMS_ACCOUNT,
  SMS_TEMPLATE_IDS:
    'payment_received_en=1107000000000000001,payment_received_kn=1107000000000000002,refund_made_en=1107000000000000003',
}
const KANNADA = /\p{Script=Kannada}/u
const TAMIL = /\p{Script=Tamil}/u
const languagePath = (studentId: string): string =>
  `${API}/institutes/demo-school/students/${studentId}/family-language`

test('a family is told of money in the language chosen for it: a mail with the PDF, and an SMS in a language that is registered', async t => {
  const smtp = await startFakeSmtp(t)
  const exotel = await startReceiver(t)
  exotel.answer(() => ({ status: 200, body: '{"SMSMessage":{"Sid":"e1","Status":"queued"}}' }))
  const settings = {
    ...REGISTERED,
    SMS_URL: exotel.origin,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'fees@school.example',
  }
  const bursar = await startBursar(t, settings)
  const { demo } = bursar
  await demo.post('/api/v1/sandbox/clock', { to: '2027-02-01T12:00:00+05:30' })
  const { students } = await newFamily(demo, { students: [{ fullname: 'ಕಬೀರ್ ರಾವ್' }] })
  const office = await demoVisitor(bursar.url)
  const path = languagePath(students[0] ?? '')
  assert.deepEqual((await office.get(path)).body.data, { written_in: 'en' })
  assertAnswer(await office.send('PUT', path, { language: 'xx' }), '400 HUE00000')
  assertAnswer(await office.send('PUT', path, { language: 'kn' }), '200')

  // The number is the family's, however it is written.
  const made = await demo.post(`${PAY}/orders`, sampleOrder({ phone: '09876543210' }))
  const orderId = made.body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  await advance(bursar)
  const refund = await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 500 })
  assert.equal(refund.status, 201, refund.text)
  await advance(bursar, 'PT1H')

  const [received, refunded, ...more] = smtp.mails
  assert.deepEqual(more, [])
  for (const mail of [received, refunded]) {
    assert.match(mail?.headers['subject'] ?? '', KANNADA)
    assert.match(mail?.text ?? '', /application\/pdf[\s\S]*JVBERi0/)
  }
  assert.match(refunded?.text ?? '', /filename="?refund-rfd_\w+\.pdf/)
  const sent = exotel.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  const [first, second] = sent.toSorted((one, other) =>
    (one['DltTemplateId'] ?? '') < (other['DltTemplateId'] ?? '') ? -1 : 1,
  )
  assert.equal(sent.length, 2)
  assert.equal(first?.['DltTemplateId'], '1107000000000000002')
  assert.match(first?.['Body'] ?? '', KANNADA)
  // Refunds are registered in English alone.
  assert.equal(second?.['DltTemplateId'], '1107000000000000003')
  assert.match(second?.['Body'] ?? '', /^Demo School: ₹500(\.00)? paid for Asha Rao was refunded/)
})

test('a parent who chooses a language on the pages is written to in it, and the office sees who chose', async t => {
  const bursar = await startBursar(t)
  const { demo } = bursar
  await demo.post('/api/v1/sandbox/clock', { to: '2027-02-01T12:00:00+05:30' })
  const { user, students } = await newFamily(demo)
  const visitor = await visitAs(bursar, user)
  assert.equal((await visitor.get('/parents?lang=ta')).status, 200)
  const office = await demoVisitor(bursar.url)
  const path = languagePath(students[0] ?? '')
  const chosen = { language: 'ta', chosen_by: 'family', written_in: 'ta' }
  assert.deepEqual((await office.get(path)).body.data, chosen)
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  await advance(bursar)
  const mailbox = (await demo.get('/api/v1/sandbox/mailbox')).body.data
  assert.equal(mailbox.length, 2)
  for (const { text } of mailbox) assert.match(text, TAMIL)
  const letter = mailbox.find(({ channel }: { channel: string }) => channel === 'email')
  assert.match(letter.text, /^வணக்கம் Asha Rao,[\s\S]*கல்விக் கட்டணம்[\s\S]*Demo School$/)
  // Another institute's student is nobody here.
  const group = `${API}/institutes/demo-group/students/${students[0]}/family-language`
  assert.equal((await office.get(group)).status, 404)
  assertAnswer(await office.send('PUT', path, {}), '200')
  assert.deepEqual((await office.get(path)).body.data, { written_in: 'en' })
})
