import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { assertAnswer, createPerson } from '../console/support.ts'
import { SCHOOL, StudentDesk } from '../console/students/support.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const REGISTER = `${SCHOOL}/counter/post-dated-cheques`

const moveTo = async (to: string): Promise<void> =>
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { to }), '200')
const today = async (): Promise<string> => (await viewer.get(`${SCHOOL}/counter/day`)).body.data.day
const inDays = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()
const owed = async (id: string): Promise<number> =>
  (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
const hand = (service_student_id: string, ...cheques: Json[]): Promise<Answer> =>
  finance.post(REGISTER, { service_student_id, cheques })
const cheque = (number: string, date: string, changes: Json = {}): Json => ({
  number,
  bank: 'Canara Bank',
  date,
  amount: 20_000,
  ...changes,
})
const one = async (id: string): Promise<Json> => {
  const rows: Json[] = (await viewer.get(`${REGISTER}?limit=200`)).body.data
  return rows.find(row => row.id === id)
}

test('a post-dated cheque pays nothing until its day; then it is a cheque in the office, with a receipt, once', async () => {
  const id = await desk.register()
  const day = inDays(await today(), 5)
  const handed = await hand(id, cheque('000101', day), cheque('000102', inDays(day, 30)))
  assertAnswer(handed, '201')
  const [first, second] = handed.body.data
  assert.equal(first.state, 'held')
  assert.equal(await owed(id), 60_000)
  assertAnswer(await finance.post(`${REGISTER}/bank`, { ids: [first.id] }), '409 HUE00002')
  await moveTo(`${day}T10:00:00+05:30`)
  assert.equal((await viewer.get(`${SCHOOL}/home`)).body.data.cheques_to_bank, 1)
  const due = await viewer.get(`${REGISTER}?state=held&deposit_to=${day}`)
  assert.deepEqual(
    due.body.data.map((row: Json) => row.number),
    ['000101'],
  )
  assertAnswer(await finance.post(`${REGISTER}/bank`, { ids: [first.id, second.id] }), '409 HUE00002')
  const banked = await finance.post(`${REGISTER}/bank`, { ids: [first.id] })
  assertAnswer(banked, '200')
  assert.equal(banked.body.data[0].state, 'taken')
  assert.equal(await owed(id), 40_000)
  assertAnswer(await finance.post(`${REGISTER}/bank`, { ids: [first.id] }), '409 HUE00002')
  const [inOffice] = (await viewer.get(`${SCHOOL}/counter/cheques?number=000101`)).body.data
  assert.equal(inOffice.state, 'in_hand')
  const bounced = await finance.post(`${SCHOOL}/counter/cheques/${inOffice.payment_id}/bounce`, {
    reason: 'Funds insufficient',
    charge_amount: 300,
  })
  assertAnswer(bounced, '200')
  assert.equal(await owed(id), 60_300)
  assert.equal((await one(first.id)).bounce_reason, 'Funds insufficient')
  const replaced = await finance.post(`${REGISTER}/${first.id}/replace`, {
    ...cheque('000109', inDays(day, 7), { amount: 20_300 }),
    reason: 'It bounced',
  })
  assertAnswer(replaced, '201')
  assert.equal(replaced.body.data.replaces_id, first.id)
  assert.equal((await one(first.id)).state, 'replaced')
  assert.equal((await desk.lastAct(id)).what, 'post_dated_cheque.replaced')
})

test('the family is reminded once, three days before, between nine and eight, in its language; never of one that is gone', async () => {
  const contact = { primary_contact_number: '9876500001', primary_contact_email: 'pdc@example.in' }
  const id = await desk.register(contact)
  assertAnswer(await viewer.get(`${SCHOOL}/students/${id}`), '200')
  const language = await finance.send('PUT', `${SCHOOL}/students/${id}/family-language`, { language: 'hi' })
  assertAnswer(language, '200')
  const day = inDays(await today(), 10)
  const handed = await hand(id, cheque('000201', day), cheque('000202', day))
  const [, other] = handed.body.data
  const given = await finance.post(`${REGISTER}/${other.id}/give-back`, { reason: 'Paid online' })
  assertAnswer(given, '200')
  assert.equal(given.body.data.state, 'given_back')
  const told = (): Promise<Json[]> =>
    bursar.sql<Json>(
      `select channel, body, template, sent_at from messages where recipient = any($1) and about = any($2) order by channel`,
      [
        [contact.primary_contact_email, contact.primary_contact_number],
        handed.body.data.map((row: Json) => row.id),
      ],
    )
  await moveTo(`${inDays(day, -3)}T08:59:00+05:30`)
  assert.equal((await told()).length, 0)
  await moveTo(`${inDays(day, -3)}T09:01:00+05:30`)
  const messages = await told()
  assert.deepEqual(
    messages.map(({ channel }) => channel),
    ['email', 'sms'],
  )
  for (const { body } of messages) assert.match(body, /चेक 000201/)
  await moveTo(`${inDays(day, 1)}T12:00:00+05:30`)
  assert.equal((await told()).length, 2)
})

test('a cheque that no bank would take is refused with what to do instead, and none of those handed over with it is kept', async () => {
  const id = await desk.register()
  const now = await today()
  const soon = inDays(now, 9)
  assertAnswer(await hand(id, cheque('000301', soon), cheque('000302', now)), '400 HUE00000')
  assertAnswer(await hand(id, cheque('000303', soon, { deposit_on: inDays(soon, -1) })), '400 HUE00000')
  assertAnswer(await hand(id, cheque('000304', soon, { deposit_on: inDays(soon, 100) })), '400 HUE00000')
  assertAnswer(await hand(id, cheque('000305', soon), cheque('000305', inDays(soon, 1))), '409 HUE00002')
  assertAnswer(await hand(id, cheque('000301', soon)), '201')
  assertAnswer(await hand(id, cheque('000301', soon)), '409 HUE00002')
  const { body } = await viewer.get(`${REGISTER}?service_student_id=${id}`)
  assert.equal(body.data.length, 1)
  await moveTo(`${inDays(soon, 100)}T10:00:00+05:30`)
  const stale = await finance.post(`${REGISTER}/bank`, { ids: [body.data[0].id] })
  assertAnswer(stale, '409 HUE00002')
  assert.match(stale.body.message, /months old/)
})

test('a cashier registers cheques and banks none; another school’s cheque does not exist', async () => {
  const id = await desk.register()
  const who = { email: 'pdc-cashier@school.example', institute: 'demo-school', role: 'cashier' as const }
  const cashier = await createPerson(bursar, who)
  const sent = { service_student_id: id, cheques: [cheque('000401', inDays(await today(), 3))] }
  const handed = await cashier.post(REGISTER, sent)
  assertAnswer(handed, '201')
  const ids = [handed.body.data[0].id]
  assertAnswer(await cashier.post(`${REGISTER}/bank`, { ids }), '403 AUE00001')
  const group = { email: 'pdc@other.example', institute: 'demo-group', role: 'finance' as const }
  const stranger = await createPerson(bursar, group)
  const elsewhere = REGISTER.replace('demo-school', 'demo-group')
  assertAnswer(await stranger.post(`${elsewhere}/bank`, { ids }), '404 HUE00001')
  assertAnswer(await stranger.post(`${elsewhere}/${ids[0]}/give-back`, { reason: 'Mine' }), '404 HUE00001')
  assertAnswer(await stranger.post(elsewhere, sent), '404 HUE00001')
})
