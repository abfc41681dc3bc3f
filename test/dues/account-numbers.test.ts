import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AT } from '../console/orders/support.ts'
import { createPerson } from '../console/support.ts'
import { printedCodeUrl } from '../../src/dues/printed-code.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Answer, Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertRefused, assertStatus } from '../http/support.ts'
import { newFamily, textOf, visitAs } from '../portal/parents-support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const SANDBOX = '/api/v1/sandbox'
const [finance, viewer] = await Promise.all(
  (['finance', 'viewer'] as const).map(role =>
    createPerson(bursar, { email: `${role}@school.example`, institute: 'demo-school', role }),
  ),
)
assert.ok(finance !== undefined && viewer !== undefined)

const accountOf = (id: string): string => `${PAY}/students/${id}/virtual_account`

async function newChild(fullname: string): Promise<{ user: string; id: string }> {
  const { user, students } = await newFamily(demo, { students: [{ fullname }] })
  return { user, id: students[0] ?? '' }
}

async function withAccount(fullname: string): Promise<{ user: string; id: string }> {
  const child = await newChild(fullname)
  assertStatus(await demo.post(accountOf(child.id), {}), 201)
  return child
}

const send = (id: string, amount: number): Promise<Answer> =>
  demo.post(`${SANDBOX}/pay/students/${id}/virtual_account/transfers`, { amount, remitter_name: 'Asha Rao' })

const cardOf = async (id: string): Promise<Json> => (await finance.get(`${AT}/students/${id}`)).body.data
const paymentsOf = async (id: string): Promise<Json[]> =>
  (await demo.get(`${PAY}/students/${id}/payments`)).body.data
const summaryOf = async (id: string): Promise<Json> =>
  (await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary
const waiting = async (): Promise<Json[]> =>
  (await finance.get(`${AT}/money/reconciliation/items?status=mismatched`)).body.data

async function settle(): Promise<void> {
  assertStatus(await demo.post(`${SANDBOX}/clock`, { advance: 'PT1H' }), 200)
  assertStatus(await demo.post(`${SANDBOX}/settlements/run`), 200)
}

async function assertBooksFit(): Promise<void> {
  assert.deepEqual(await findBroken(sql), [])
}

test('the office gives an account number once, and it stands on the student’s card and the family’s page in its language', async () => {
  const { user, id } = await newChild('Kabir Rao')
  const before = await cardOf(id)
  assert.deepEqual([before.virtual_account, before.can_have_account], [undefined, true])
  const path = `${AT}/students/${id}/virtual-account`
  assert.equal((await viewer.post(path, {})).status, 403)
  const parent = await visitAs(bursar, user)
  const page = `/parents/students/${id}`
  assert.doesNotMatch(textOf((await parent.get(page)).text), /bank transfer/)
  assert.deepEqual([(await finance.post(path, {})).status, (await finance.post(path, {})).status], [201, 200])
  const { virtual_account: account, can_have_account } = await cardOf(id)
  assert.deepEqual([account.status, can_have_account], ['active', false])
  const acts = await sql<Json>(`select what, after from console_audit where about = $1`, [id])
  assert.deepEqual(acts, [
    { what: 'student.account_number_given', after: { account_number: account.account_number } },
  ])
  const shown = textOf((await parent.get(page)).text)
  assert.match(shown, /Pay by bank transfer This account number belongs to Kabir Rao alone/)
  for (const fact of [account.account_number, account.ifsc, account.upi_id]) assert.ok(shown.includes(fact))
  for (const [language, words] of [
    ['hi', 'खाता नंबर'],
    ['kn', 'ಖಾತೆ ಸಂಖ್ಯೆ'],
    ['ta', 'கணக்கு எண்'],
  ] as const)
    assert.ok(textOf((await parent.get(`${page}?lang=${language}`)).text).includes(words), language)
})

test('an account number is closed with the student who leaves, and one who comes back gets another', async () => {
  const { user, id } = await withAccount('Anaya Rao')
  const first = (await demo.get(accountOf(id))).body.data
  assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  assert.deepEqual((await demo.get(accountOf(id))).body.data, { ...first, status: 'closed' })
  assertRefused(await demo.post(accountOf(id), {}), 'HUE00002')
  assert.equal((await cardOf(id)).virtual_account.status, 'closed')
  assert.equal((await cardOf(id)).can_have_account, false)
  const parent = await visitAs(bursar, user)
  assert.doesNotMatch(textOf((await parent.get(`/parents/students/${id}`)).text), /bank transfer/)
  const events = await sql<Json>(
    `select event_code, payload from events where resource_id = $1 and event_code like 'virtual%' order by sequence`,
    [id],
  )
  assert.deepEqual(
    events.map(event => [event.event_code, event.payload.virtual_account.status]),
    [
      ['virtual_account.created', 'active'],
      ['virtual_account.closed', 'closed'],
    ],
  )
  assertStatus(await demo.post(`${ERP}/students/${id}/activate`, {}), 200)
  const again = await demo.post(accountOf(id), {})
  assertStatus(again, 201)
  assert.notEqual(again.body.data.account_number, first.account_number)
  assert.deepEqual((await demo.get(accountOf(id))).body.data, again.body.data)
})

test('the pages of a child show its number with a code and a link that open a UPI app, until it has left', async () => {
  const { user, id } = await withAccount('Tanvi Rao')
  const { account_number, upi_id } = (await demo.get(accountOf(id))).body.data
  const parent = await visitAs(bursar, user)
  const code = new URL(printedCodeUrl(bursar.app.ctx, { code: 'demo-school' }, id)).pathname
  const pages = [`/parents/students/${id}`, code]
  for (const path of pages) {
    const { text: page } = await parent.get(path)
    assert.ok(page.includes(account_number), path)
    const [, link = ''] = /href="(upi:[^"]*)"/.exec(page) ?? []
    const { searchParams } = new URL(link.replaceAll('&amp;', '&'))
    assert.deepEqual([searchParams.get('pa'), searchParams.get('am')], [upi_id, null])
    assert.match(page, /<img src="data:image\/svg/)
  }
  assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  for (const path of pages) assert.ok(!(await parent.get(path)).text.includes(account_number), path)
})

/** One who left with an account number, to which money has come since. */
async function leaverPaid(
  fullname: string,
  amount: number,
): Promise<{ id: string; acts: string; item: Json }> {
  const { id } = await withAccount(fullname)
  assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  assertStatus(await send(id, amount), 200)
  const item = (await waiting()).find(one => one.utr === undefined && one.reported === amount)
  assert.ok(item !== undefined)
  assert.equal(item.problem, 'came to an account number that is closed')
  return { id, item, acts: `${AT}/money/reconciliation/items/${item.id}` }
}

const REASON = { reason: 'The family says so' }

test('money to a closed account number pays nothing until the office takes it, once, as a payment of the student', async () => {
  const { id, acts, item } = await leaverPaid('Ishaan Rao', 701)
  assert.deepEqual([item.can_refund, item.can_take], [true, true])
  const before = await summaryOf(id)
  assert.deepEqual([await paymentsOf(id), before.paid], [[], 0])
  assert.equal((await viewer.post(`${acts}/take`, REASON)).status, 403)
  const answers = await Promise.all([1, 2].map(() => finance.post(`${acts}/take`, REASON)))
  assert.deepEqual(answers.map(one => String(one.status)).toSorted(), ['200', '409'])
  const [payment, ...more] = await paymentsOf(id)
  assert.deepEqual(
    [payment?.mode, payment?.amount, payment?.status, more],
    ['bank_transfer', 701, 'captured', []],
  )
  assert.equal((await summaryOf(id)).outstanding, before.outstanding - 701)
  await settle()
  assert.equal((await paymentsOf(id))[0]?.status, 'settled')
  await assertBooksFit()
})

test('money to a closed account number goes back whole when the office says so, and no event or receipt tells of it', async () => {
  const { id, acts } = await leaverPaid('Zoya Khan', 702)
  const answers = await Promise.all([1, 2].map(() => finance.post(`${acts}/refund`, REASON)))
  assert.deepEqual(answers.map(one => String(one.status)).toSorted(), ['200', '409'])
  await demo.post(`${SANDBOX}/clock`, { advance: 'PT1H' })
  const refunds = await sql<Json>(
    `select r.state, r.amount_paise::int as paise, r.kind from refunds r join orders o on o.institute_id = r.institute_id
     and o.id = r.order_id where o.student_id = $1`,
    [id],
  )
  assert.deepEqual(refunds, [{ state: 'processed', paise: 70_200, kind: 'duplicate' }])
  const told = await sql(
    `select from events where resource_id = $1 and (event_code like 'pay.%' or event_code like 'refund.%')`,
    [id],
  )
  assert.deepEqual(told, [])
  assert.equal((await summaryOf(id)).paid, 0)
  await settle()
  await assertBooksFit()
})

test('where a school wants to know who pays, money of somebody new waits for the office, and theirs is booked at once after that', async t => {
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const { id } = await withAccount('Kabir Nair')
  assertStatus(await send(id, 710), 200)
  assertStatus(await demo.send('PUT', `${ERP}/payment-rules`, { hold_unknown_remitters: true }), 200)
  assertStatus(await send(id, 711), 200)
  const path = `${SANDBOX}/pay/students/${id}/virtual_account/transfers`
  const held = async (amount: number): Promise<string> => {
    assertStatus(await demo.post(path, { amount, remitter_name: 'Vikram Shah' }), 200)
    const item = (await waiting()).find(one => one.reported === amount)
    assert.equal(item?.problem, 'came from somebody who never sent money for this student')
    return `${AT}/money/reconciliation/items/${item.id}`
  }
  const [taken, back] = [await held(712), await held(713)]
  assert.equal((await summaryOf(id)).paid, 710 + 711)
  assertStatus(await finance.post(`${taken}/take`, REASON), 200)
  assertStatus(await finance.post(`${back}/refund`, REASON), 200)
  assertStatus(await demo.post(path, { amount: 714, remitter_name: 'Vikram Shah' }), 200)
  assert.equal((await summaryOf(id)).paid, 710 + 711 + 712 + 714)
  await settle()
  await assertBooksFit()
})

const about703 = async (): Promise<Json[]> => (await waiting()).filter(one => one.reported === 703)

test('money that was paid out before the office decided is settled once it has', async () => {
  const { id, acts } = await leaverPaid('Meera Nair', 703)
  await settle()
  assert.equal((await about703()).length, 2, 'the transfer and the pay-out that nobody could match')
  assertStatus(await finance.post(`${acts}/take`, REASON), 200)
  assert.equal((await paymentsOf(id))[0]?.status, 'settled')
  assert.deepEqual(await about703(), [])
  await assertBooksFit()
})

test('a number that the bank gave while the student left is nobody’s', async () => {
  const { id } = await withAccount('Dev Shah')
  await sql(
    `update virtual_accounts set state = 'opening', provider_ref = null, account_number = null, ifsc = null, upi_id = null,
       opened_at = null where student_id = $1`,
    [id],
  )
  assertStatus(await demo.post(`${ERP}/students/${id}/drop`, {}), 200)
  assert.deepEqual(await sql('select from virtual_accounts where student_id = $1', [id]), [])
  assertRefused(await demo.get(accountOf(id)), 'HUE00001')
})

test('account numbers for many students are asked for in one request and given in the background; who is left out is named', async () => {
  const [one, other, gone, leaver] = [
    await newChild('Ravi Menon'),
    await newChild('Tara Menon'),
    await newChild('Om Das'),
    await newChild('Leela Das'),
  ]
  const known = await withAccount('Uma Iyer')
  assertStatus(await demo.post(`${ERP}/students/${gone.id}/drop`, {}), 200)
  const student_ids = [one.id, other.id, gone.id, known.id, leaver.id, 'student_nobody', one.id]
  const path = `${AT}/students/virtual-accounts`
  assert.equal((await viewer.post(path, { student_ids })).status, 403)
  const before = (await finance.get(path)).body.data
  const { status, body } = await finance.post(path, { student_ids })
  assert.deepEqual([status, body.data.done], [200, 3])
  const { account_number } = (await demo.get(accountOf(known.id))).body.data
  assert.deepEqual(
    new Map(body.data.left_out.map((left: Json) => [left.name, left.why])),
    new Map([
      ['Om Das', 'This student has left and gets no account number.'],
      ['Uma Iyer', `It has the number ${account_number}.`],
      ['student_nobody', 'This student was not found. Check its id.'],
    ]),
  )
  assert.deepEqual((await finance.get(path)).body.data, { ...before, waiting: 3 })
  assertRefused(await demo.get(accountOf(one.id)), 'HUE00001')
  assertStatus(await demo.post(`${ERP}/students/${leaver.id}/drop`, {}), 200)
  assertStatus(await demo.post(`${SANDBOX}/clock`, { advance: 'PT1M' }), 200)
  for (const { id } of [one, other]) assert.equal((await cardOf(id)).virtual_account.status, 'active')
  assertRefused(await demo.get(accountOf(leaver.id)), 'HUE00001')
  assert.deepEqual((await finance.get(path)).body.data, { ...before, given: before.given + 2 })
  const again = await finance.post(path, { student_ids: [one.id, other.id] })
  assert.deepEqual([again.body.data.done, again.body.data.left_out.length], [0, 2])
  assert.equal((await finance.get(`${AT}/choices`)).body.data.gives_account_numbers, true)
})
