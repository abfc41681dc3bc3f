import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { API, assertAnswer, createPerson, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { startFakeErp } from '../harness/fakes/erp.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { setErp } from '../students/support.ts'

const bursar = await startBursar({ after })
const office = await demoVisitor(bursar.url)
const PATH = `${API}/institutes/demo-school`
const TEXT = { subject: 'Fees are due', body: 'Please pay:\n\n{details}\n\nTotal {total}.' }
const MESSAGE = { ...TEXT, channels: ['email', 'sms'], scope: 'all' }

async function register(identifier: string, phone: string, changes: Record<string, unknown> = {}) {
  const answer = await bursar.demo.post(`${ERP}/users/parent-${phone}/students`, {
    student: sampleStudent({
      identifier,
      fullname: `Child ${identifier}`,
      primary_contact_number: phone,
      primary_contact_email: `p${phone}@example.in`,
      ...changes,
    }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }],
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id as string
}

async function moveTo(to: string): Promise<void> {
  const answer = await bursar.demo.post('/api/v1/sandbox/clock', { to })
  assert.equal(answer.status, 200, answer.text)
}

async function start(body: Record<string, unknown>): Promise<string> {
  const answer = await office.post(`${PATH}/reminder-runs`, { ...MESSAGE, ...body })
  assertAnswer(answer, '201')
  return answer.body.data.id
}

async function families(run: string): Promise<Json[]> {
  const answer = await office.get(`${PATH}/reminder-runs/${run}/families`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

async function mailsTo(email: string): Promise<Json[]> {
  return (await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${email}`)).body.data
}

await moveTo('2027-02-01T06:00:00+05:30')
const [kabir, meera, other] = [
  await register('A-1', '9800000001'),
  await register('A-2', '+91 98000 00001', { primary_contact_email: 'p9800000001@example.in' }),
  await register('B-1', '9800000002', { grade: '6' }),
]

test('a family gets one message for all its children, in the hours of the school, with a link for each', async () => {
  const run = await start({ student_ids: [kabir, meera, other] })
  assert.deepEqual(
    (await families(run)).map(row => row.state),
    ['waiting', 'waiting'],
  )
  assert.equal((await mailsTo('p9800000001@example.in')).length, 0)
  await moveTo('2027-02-01T09:05:00+05:30')
  const [mail, ...more] = await mailsTo('p9800000001@example.in')
  assert.equal(more.length, 0)
  assert.match(mail.text, /^Dear Asha Rao,[\s\S]*Child A-1[\s\S]*Child A-2[\s\S]*Total ₹2,000/)
  assert.equal([...mail.text.matchAll(/\/pay\/demo-school\/order_\w+/g)].length, 2)
  assert.match(mail.sent_at, /^2027-02-01T03:3/)
  const done = (await office.get(`${PATH}/reminder-runs/${run}`)).body.data
  assert.deepEqual([done.families, done.sent, done.waiting], [2, 2, 0])
})

test('a family is reminded once a day, unless somebody insists; the student shows who was told what', async () => {
  const again = await start({ student_ids: [kabir] })
  await moveTo('2027-02-01T10:00:00+05:30')
  assert.equal((await families(again))[0].reason, 'reminded_today')
  const forced = await start({ student_ids: [kabir], force: true })
  await moveTo('2027-02-01T10:05:00+05:30')
  assert.equal((await families(forced))[0].state, 'sent')
  const told = (await office.get(`${PATH}/students/${kabir}/reminders`)).body.data
  assert.deepEqual(
    told.map((row: Json) => [row.state, row.amount]),
    [
      ['sent', 1_000],
      ['withheld', undefined],
      ['sent', 2_000],
    ],
  )
})

test('who has paid meanwhile is not reminded, and what waits can be cancelled', async () => {
  await moveTo('2027-02-02T21:00:00+05:30')
  const run = await start({ list: 'students', owing: 'yes', grade: '6' })
  const cancelled = await start({ student_ids: [kabir] })
  assert.equal((await families(run)).length, 1)
  const { body } = await office.post(`${PATH}/students/${other}/orders`, {})
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  assertAnswer(await office.post(`${PATH}/reminder-runs/${cancelled}/cancel`), '200')
  await moveTo('2027-02-03T09:05:00+05:30')
  assert.equal((await families(run))[0].reason, 'nothing_due')
  assert.equal((await families(cancelled))[0].reason, 'cancelled')
  assertAnswer(await office.post(`${PATH}/reminder-runs/${cancelled}/cancel`), '409 HUE00002')
})

test('the preview shows a real family; a placeholder that stands for nothing is refused', async () => {
  const preview = await office.post(`${PATH}/reminder-runs/preview`, {
    ...MESSAGE,
    student_ids: [kabir, meera],
  })
  assertAnswer(preview, '200')
  assert.equal(preview.body.data.families, 1)
  assert.match(preview.body.data.sample.body, /^Dear Asha Rao,[\s\S]*Child A-1 \(A-1, 5\): ₹1,000/)
  const wrong = { ...MESSAGE, subject: '{amount} due', body: 'Pay!', student_ids: [kabir] }
  const refused = await office.post(`${PATH}/reminder-runs`, wrong)
  assertAnswer(refused, '400 HUE00000')
  assert.deepEqual(
    refused.body.errors.map(({ key }: Json) => key),
    ['subject', 'body'],
  )
})

test('the school words its text by language; only finance and owners remind', async () => {
  assertAnswer(await office.send('PUT', `${PATH}/reminder-texts`, { language: 'en', ...TEXT }), '200')
  const texts = (await office.get(`${PATH}/reminder-texts`)).body.data
  assert.deepEqual(
    texts.slice(0, 2).map((text: Json) => [text.language, text.is_ours]),
    [
      ['en', false],
      ['hi', true],
    ],
  )
  const viewer = await createPerson(bursar, {
    email: 'viewer@demo.example',
    institute: 'demo-school',
    role: 'viewer',
  })
  const refused = await viewer.post(`${PATH}/reminder-runs`, { ...MESSAGE, student_ids: [kabir] })
  assertAnswer(refused, '403 AUE00001')
})

test('demand notices are one page for each student of a class that owes', async () => {
  const file = await office.get(`${PATH}/demand-notices?list=students&grade=5`)
  assert.equal(file.status, 200, file.text)
  assert.equal([...file.text.matchAll(/\/Type \/Page\b/g)].length, 2)
  assertAnswer(await office.get(`${PATH}/demand-notices?list=students&grade=6`), '409 HUE00002')
})

test('the ERP is asked before a reminder: whom it refuses is not reminded, and it is noted why', async () => {
  const erp = await startFakeErp({ after })
  await setErp(bursar.demo, erp)
  erp.refuse('A-1', 'data_error', 'The record is being corrected.')
  erp.disturb(identifier => (identifier === 'A-2' ? { status: 500, body: '' } : null))
  await moveTo('2027-02-10T11:00:00+05:30')
  const refused = await start({ student_ids: [kabir] })
  await moveTo('2027-02-10T11:05:00+05:30')
  assert.equal((await families(refused))[0].reason, 'erp_refused')
  const silent = await start({ student_ids: [meera] })
  await moveTo('2027-02-10T11:10:00+05:30')
  assert.equal((await families(silent))[0].reason, 'erp_unavailable')
  assert.equal(erp.requests.length, 2)
})
