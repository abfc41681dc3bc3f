import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { uploadFile } from './orders/support.ts'
import { payOrder } from './money/support.ts'
import { expectEveryOrder, LISTS, readAll } from './lists-support.ts'
import { assertAnswer } from './support.ts'
import { BankDesk, credit } from '../banking/support.ts'
import { SCHOOL, TUITION } from './students/support.ts'

const bank = await BankDesk.open(after)
const { desk } = bank
const { bursar, owner, finance, viewer } = desk

/** Pairs of equal values, so that what decides between equals shows at every edge of a page. */
const FEES = [9_000, 60_000, 500, 60_000, 9_000, 12_345.5, 500, 100_000, 9_000]
const GRADES = ['10', '2', 'LKG', '2', '10', '1', 'LKG', '12', '3']
for (const [index, fee] of FEES.entries()) {
  const id = await desk.register(
    { fullname: index % 2 === 0 ? `Same Name` : `चौथी ${index}`, grade: GRADES[index] },
    { fees: [{ ...TUITION, fee_amount: fee }] },
  )
  const amount = 100 + (index % 3)
  const paid = await finance.post(`${SCHOOL}/students/${id}/payments`, {
    amount,
    paid_at: '2026-04-01',
    ...(index < 3
      ? { mode: 'cash' }
      : {
          mode: 'cheque',
          instrument: { number: `00451${index % 4}`, bank: 'Canara Bank', date: '2026-04-01' },
        }),
    transaction_id: `CASH/${index}`,
    fee_components: [{ component_type: 'TUITION_FEE', amount }],
    issue_receipt: index % 2 === 0,
  })
  assert.equal(paid.status, 201, paid.text)
}
for (let index = 0; index < 5; index++)
  await payOrder(bursar, index % 2 === 0 ? {} : { identifier: `X-${index}` })
const account = await bank.newAccount()
await bank.add(
  account,
  FEES.map((fee, index) => credit(`2026-11-0${1 + (index % 3)}`, `UPI ${index % 2}`, `R${index}`, fee)),
)
for (const cheque of (await finance.get(`${SCHOOL}/counter/cheques`)).body.data.slice(0, 5)) {
  const cheques = [cheque.payment_id]
  assertAnswer(await finance.post(`${SCHOOL}/counter/deposits`, { account_id: account, cheques }), '201')
}
const [anybody] = (await viewer.get(`${SCHOOL}/students?limit=1`)).body.data
const cheques = FEES.map((amount, index) => ({
  number: `00${index}`,
  bank: 'Canara Bank',
  date: `2027-01-0${1 + (index % 3)}`,
  amount,
}))
assertAnswer(
  await finance.post(`${SCHOOL}/counter/post-dated-cheques`, {
    service_student_id: anybody.service_student_id,
    cheques,
  }),
  '201',
)
for (const index of FEES.keys()) {
  const file = `name,phone,email,component_type,amount\nAsha,9876543210,a@example.in,TUITION_FEE,${100 + index}`
  assertAnswer(await uploadFile(finance, file, { name: `file ${index % 4}.csv` }), '201')
}
const SCHOOL_ID = `(select id from institutes where code = 'demo-school')`
await bursar.sql(`insert into imports select (jsonb_populate_record(i,
    jsonb_build_object('id', 'imp' || substr(i.id, 6), 'kind', 'roster', 'total_rows', length(i.file_name)))).*
  from imports i where i.kind = 'links'`)
await bursar.sql(`insert into reminder_runs (institute_id, id, language, subject, body, channels, scope, is_forced, made_by,
    created_at)
  select ${SCHOOL_ID}, 'run_' || n, 'en', 'Fees ' || n % 3, 'x', '{email}', 'all', false, 'a@school.example',
    now() - n % 4 * interval '1 day' from generate_series(1, 6) n`)
await bursar.sql(`insert into messages (institute_id, id, channel, recipient, subject, body, about, state, failure, created_at)
  select ${SCHOOL_ID}, 'msg_' || n, 'email', 'a' || n % 2 || '@example.in', 'Receipt ' || n % 3, 'x', 'x', 'failed', 'mailbox full',
    now() - n % 4 * interval '1 day' from generate_series(1, 6) n`)
await bursar.sql(`insert into approvals (institute_id, id, act, about, subject, title, amount_paise, request, reason, maker_id,
    maker_email, made_at, expires_at)
  select ${SCHOOL_ID}, 'apr_' || n, 'refund', 'x', 's' || n, 'Refund ' || n % 2, n % 3 * 100, '{}', 'x', 'm', 'm@school.example',
    now() - n % 4 * interval '1 day', now() + interval '9 days' from generate_series(1, 6) n`)
await bursar.sql(`insert into late_fee_rules (institute_id, id, position, due_on, kind)
  select id, 'rest', 1, date '2026-04-10', 'none' from institutes where code = 'demo-school'`)

const all = (path: string, limit: number): Promise<Json[]> => readAll(viewer, path, limit)
const cursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Those that the school here has rows of; `test/app/demo.slow.ts` looks at the rest. */
const FILLED = [
  'counter/post-dated-cheques',
  'students',
  'orders',
  'money/payments',
  'money/receipts',
  'money/defaulters',
  'money/ledger/transfers',
  'counter/cheques',
  'counter/deposits',
  'bank/lines',
  'reminder-runs',
  'approvals',
  'link-batches',
  'student-files',
  'events',
  'requests',
  'messages',
]

test('every list is the same rows in any order and any size of page, and the count says how many', async () => {
  // In turn, since a session may not send any number of requests a second.
  const people = [owner, finance, viewer]
  for (const [index, [list, columns]] of Object.entries(LISTS).entries()) {
    const reader = people[index % people.length] ?? viewer
    const own = await expectEveryOrder(reader, { path: `${SCHOOL}/${list}`, small: [4, 5] }, columns)
    assert.equal(own.length > 4, FILLED.includes(list), `${list} has ${own.length} rows`)
  }
})

test('the audit log is the same entries in any order, and its file has them as they are shown', async () => {
  const columns = ['at', 'actor', 'what', 'about']
  const own = await expectEveryOrder(owner, { path: `${SCHOOL}/audit`, small: [40, 50] }, columns)
  assert.ok(own.length > 4, `${own.length} entries`)
  const file = await owner.get(`${SCHOOL}/audit/export?format=csv&sort=-what`)
  assert.equal(file.status, 200, file.text)
  assert.match(file.text, /^\uFEFF?When \(IST\),Who,What,Record,Reason,Before,After,Request,From address/)
  assertAnswer(await viewer.get(`${SCHOOL}/audit/export?format=csv`), '403 AUE00001')
})

test('sorted students go by what is owed as a number, and by class as a school counts', async () => {
  const owed = (await all(`${SCHOOL}/students?sort=outstanding_amount`, 4)).map(row => row.outstanding_amount)
  assert.deepEqual(
    owed,
    owed.toSorted((one, other) => one - other),
  )
  const grades = (await all(`${SCHOOL}/students?sort=grade_name`, 4)).map(row => row.grade_name)
  assert.deepEqual([...new Set(grades)], ['LKG', '1', '2', '3', '10', '12'])
})

test('names stand in their order within a class, whichever class comes first', async () => {
  for (const sort of ['grade_name', '-grade_name']) {
    const rows = await all(`${SCHOOL}/students?sort=${sort}`, 3)
    for (const [grade, some] of Map.groupBy(rows, row => row.grade_name)) {
      const names = some.map(row => row.fullname.toLowerCase())
      assert.deepEqual(
        names,
        names.toSorted((one, other) => (one < other ? -1 : 1)),
        `${grade} by ${sort}`,
      )
    }
  }
})

const idOf = (row: Json): string =>
  row.id ?? row.payment_id ?? row.service_student_id ?? row.approval_id ?? row.event_id

test('a file holds the picked rows alone, of any list, in the order that is shown', async () => {
  for (const [list, [column]] of Object.entries(LISTS)) {
    const rows = await all(`${SCHOOL}/${list}?sort=${column}`, 200)
    const [first, , third] = rows
    if (third === undefined) continue
    const picked = [idOf(third), idOf(first ?? third), 'of_another_list'].join(',')
    const answer = await viewer.get(`${SCHOOL}/${list}/export?format=csv&sort=${column}&picked=${picked}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text.trim().split('\r\n').length, 3, `${list}: ${answer.text}`)
  }
  const tooMany = Array.from({ length: 201 }, (_, index) => `a${index}`).join(',')
  for (const picked of [tooMany, 'a,,b', "a'b"])
    assertAnswer(
      await viewer.get(`${SCHOOL}/students/export?format=csv&picked=${encodeURIComponent(picked)}`),
      '400 HUE00000',
    )
})

test('a file has the order that is shown, and filters narrow order and count alike', async () => {
  const csv = await viewer.get(`${SCHOOL}/students/export?format=csv&sort=-outstanding_amount&grade=2`)
  assert.equal(csv.status, 200, csv.text)
  const shown = await all(`${SCHOOL}/students?sort=-outstanding_amount&grade=2`, 200)
  const admissions = csv.text
    .trim()
    .split('\r\n')
    .slice(1)
    .map(line => line.split(',')[1])
  assert.deepEqual(
    admissions,
    shown.map(row => row.identifier),
  )
  const { body } = await viewer.get(`${SCHOOL}/students/count?grade=2`)
  assert.equal(body.data.count, 2)
})

test('a cursor of another order, a forged one and an unknown column are refused', async () => {
  const { body } = await viewer.get(`${SCHOOL}/students?sort=outstanding_amount&limit=1`)
  const refused = [
    `sort=fullname&cursor=${cursor([1, 2, 3])}`,
    `sort=outstanding_amount&cursor=${cursor(['x', '', 'y'])}`,
    `sort=outstanding_amount&cursor=${cursor(['9'.repeat(30), '', 'y'])}`,
    `sort=fullname&cursor=${cursor(['a\0b', '', 'y'])}`,
    `sort=fullname&cursor=AAAA`,
    `sort=fullname&cursor=${cursor(null)}`,
    `cursor=${body.next_cursor}${'A'.repeat(40)}`,
    'sort=password_hash',
    'sort=fullname;drop',
  ]
  for (const query of refused) assertAnswer(await viewer.get(`${SCHOOL}/students?${query}`), '400 HUE00000')
})

test('a saved view is its owner’s alone, is replaced by one of the same name, and can be removed', async () => {
  const save = (who: typeof owner, name: string, filters: string) =>
    who.post(`${SCHOOL}/views`, { list: 'students', name, filters })
  const first = await save(owner, 'Class 5, owing', 'grade=5&owing=yes')
  assertAnswer(first, '201')
  const second = await save(owner, 'class 5, OWING', 'grade=5&owing=yes&sort=-outstanding_amount')
  assert.equal(second.body.data.id, first.body.data.id)
  assertAnswer(await save(viewer, 'Mine', 'grade=6'), '201')
  const names = async (who: typeof owner): Promise<string[]> =>
    (await who.get(`${SCHOOL}/views?list=students`)).body.data.map((view: Json) => view.name)
  assert.deepEqual(await names(owner), ['class 5, OWING'])
  assert.deepEqual(await names(viewer), ['Mine'])
  assert.deepEqual((await owner.get(`${SCHOOL}/views?list=orders`)).body.data, [])
  const id = first.body.data.id
  assertAnswer(await viewer.send('DELETE', `${SCHOOL}/views/${id}`, {}), '404 HUE00001')
  assertAnswer(await owner.send('DELETE', `${SCHOOL}/views/${id}`, {}), '200')
  assert.deepEqual(await names(owner), [])
  assertAnswer(await save(owner, '', 'grade=5'), '400 HUE00000')
})

test('a list of more than 25,000 is counted so far and not sorted; narrowed it is', async () => {
  await bursar.sql(`insert into approvals (institute_id, id, act, about, subject, title, amount_paise, request, reason, state,
      maker_id, maker_email, made_at, expires_at, decider_id, decider_email, decided_at)
    select ${SCHOOL_ID}, 'apr_many_' || n, 'refund', 'x', 'many' || n, 'Refund', 100, '{}', 'x', 'approved', 'm', 'm@school.example',
      now(), now(), 'd', 'd@school.example', now() from generate_series(1, 25001) n`)
  const path = `${SCHOOL}/approvals`
  const counted = await viewer.get(`${path}/count`)
  assert.deepEqual(counted.body.data, { count: 25_000, is_more: true })
  const sorted = await viewer.get(`${path}?sort=amount`)
  assertAnswer(sorted, '400 HUE00000')
  assert.match(sorted.body.message, /at most 25,000 rows/)
  assert.equal((await viewer.get(`${path}?sort=amount&status=waiting`)).status, 200)
  assert.equal((await viewer.get(path)).status, 200)
})
