import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import readExcelFile from 'read-excel-file/node'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'
import { daysAgo, deskOf, ids, MONEY, openMoney } from './support.ts'
import { assertAnswer, type Visitor } from '../support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const { school, owner, viewer, finance } = await openMoney(bursar)
const { read, file, everyPage } = deskOf(owner)

test('dues are aged by the due day of their component, and what has none stands by itself', async () => {
  const { groups, total } = await read('/ageing')
  const tuition = groups.find((group: Json) => group.key === 'TUITION_FEE')
  assert.deepEqual([tuition.days_31_60, tuition.students], [49000, 2])
  assert.deepEqual(
    [total.not_due, total.days_31_60, total.no_due_day, total.total],
    [7000, 49000, 5000, 61000],
  )
  assert.equal(total.students, 2)
  const byGrade = await read('/ageing?by=grade')
  assert.deepEqual(
    byGrade.groups.map((group: Json) => [group.key, group.total]),
    [
      ['5', 51000],
      ['6', 10000],
    ],
  )
  assert.deepEqual((await read('/ageing?grade=6')).total.total, 10000)
})

/** Of tuition, or of every component without a rule of its own. */
async function setDueDay(days: number, componentType: string | null): Promise<void> {
  await sql(
    `update late_fee_rules set due_on = $1, component_type = $2 where institute_id = 1
       and (component_type = 'TUITION_FEE' or component_type is null)`,
    [daysAgo(days), componentType],
  )
}

test('a due day moves a due through every bucket, and the rule for all others covers what has none', async () => {
  for (const [days, bucket] of [
    [0, 'not_due'],
    [1, 'days_0_30'],
    [30, 'days_0_30'],
    [31, 'days_31_60'],
    [60, 'days_31_60'],
    [61, 'days_61_90'],
    [90, 'days_61_90'],
    [91, 'days_over_90'],
  ] as const) {
    await setDueDay(days, 'TUITION_FEE')
    const { groups } = await read('/ageing')
    const tuition = groups.find((group: Json) => group.key === 'TUITION_FEE')
    assert.equal(tuition[bucket], 49000, `${days} days`)
  }
  await setDueDay(40, null)
  const { total } = await read('/ageing')
  assert.deepEqual([total.days_31_60, total.no_due_day, total.not_due], [54000, 0, 7000])
  await setDueDay(40, 'TUITION_FEE')
})

test('the defaulter list names whom to call, how much, for how long and what came last', async () => {
  const [first, second, ...others] = await everyPage('/defaulters')
  assert.deepEqual(others, [])
  const byId = new Map([first, second].map(row => [row.service_student_id, row]))
  const half = byId.get(school.half)
  assert.deepEqual(
    [half.owed, half.days_late, half.contact_number, half.last_paid, half.has_plan],
    [10000, 40, '+91 98765 00002', 10000, false],
  )
  const late = byId.get(school.late)
  assert.deepEqual([late.owed, late.owed_in_all, late.last_paid], [39000, 51000, undefined])
  assert.deepEqual(ids(await read('/defaulters?bucket=no_due_day'), 'service_student_id'), [school.late])
  assert.deepEqual(await read('/defaulters?bucket=days_over_90'), [])
  await sql(`update students set status = 'dropped' where id = $1`, [school.half])
  assert.deepEqual(ids(await read('/defaulters'), 'service_student_id'), [school.late])
  await sql(`update students set status = 'active' where id = $1`, [school.half])
})

test('the collection adds up by day, component and mode, and takes off what went back', async () => {
  const collection = await read(`/collection?from=${daysAgo(5)}&to=${daysAgo(0)}`)
  const { totals, rows, components } = collection
  assert.deepEqual(totals, {
    online: 46200.5,
    flex: 3000,
    direct: 10000,
    cred: 0,
    collected: 59200.5,
    given_back: 500,
    net: 58700.5,
  })
  for (const key of ['online', 'flex', 'direct', 'collected', 'given_back', 'net'] as const) {
    const sum = (list: Json[]): number => list.reduce((total, row) => total + row[key], 0)
    assert.deepEqual([sum(rows), sum(components)], [totals[key], totals[key]], key)
  }
  const ways: { way: string; amount: number }[] = collection.ways
  assert.equal(
    ways.reduce((total, one) => total + one.amount, 0),
    totals.collected,
    'each way of payment is named',
  )
  assert.ok(ways.some(({ way }) => way === 'upi'))
  const tuition = rows.find((row: Json) => row.period === daysAgo(3))
  assert.deepEqual([tuition.component_type, tuition.direct], ['TUITION_FEE', 10000])
  const tooLong = await owner.get(`${MONEY}/collection?from=2020-01-01&to=2020-12-31`)
  assertAnswer(tooLong, '400 HUE00000')
  assertAnswer(await owner.get(`${MONEY}/collection?from=2020-01-01&to=2020-12-31&by=month`), '200')
})

test('the CSV has exactly what is shown, with Indian dates, and no cell runs as a formula', async () => {
  const { text } = await file('/defaulters/export?format=csv', viewer)
  assert.equal(text.slice(0, 8), '\uFEFFStudent')
  const lines = text.trimEnd().split('\r\n')
  assert.equal(lines.length, 3)
  assert.match(text, /"'=HYPERLINK\(""http:\/\/evil.example""\)",ADM-1/)
  assert.match(text, /,'\+91 98765 00002,/)
  const [year, month, day] = daysAgo(40).split('-')
  assert.ok(text.includes(`,${day}/${month}/${year},40,`))
  const filtered = await file('/defaulters/export?format=csv&grade=6')
  assert.equal(filtered.text.trimEnd().split('\r\n').length, 2)
  const [audit] = await sql<{ after: Json }>(
    `select after from console_audit where what = 'report.exported' order by id desc limit 1`,
  )
  assert.deepEqual(audit?.after, { report: 'defaulters', format: 'csv', rows: 1, filters: { grade: '6' } })
})

test('the spreadsheet holds numbers as numbers, days as days and texts as texts', async () => {
  const { bytes } = await file('/defaulters/export?format=xlsx')
  const [sheet] = await readExcelFile(bytes)
  const [head, ...rows] = sheet?.data ?? []
  assert.equal(head?.[0], 'Student')
  const late = rows.find(row => row[1] === 'ADM-1')
  assert.equal(late?.[0], '=HYPERLINK("http://evil.example")')
  assert.equal(late?.[8], 39000)
  const due: unknown = late?.[10]
  assert.ok(due instanceof Date)
  assert.equal(due.toISOString().slice(0, 10), daysAgo(40))
})

function setLedgers(visitor: Visitor, ledgers: Json): Promise<Answer> {
  return visitor.send('PUT', `${MONEY}/tally-ledgers`, { ledgers, reason: 'As in our books' })
}

test('Tally is given balanced vouchers under the names that the institute chose', async () => {
  assertAnswer(await setLedgers(viewer, []), '403 AUE00001')
  assertAnswer(await setLedgers(finance, [{ subject: 'component:NONE', ledger: 'X' }]), '400 HUE00000')
  assertAnswer(
    await setLedgers(finance, [
      { subject: 'clearing', ledger: 'Gateway & Co' },
      { subject: 'component:TUITION_FEE', ledger: 'Tuition 2026' },
      { subject: 'cash', ledger: 'Cash' },
    ]),
    '200',
  )
  const { text } = await file('/payments/export?format=tally')
  const vouchers = [...text.matchAll(/<VOUCHER [^>]*VCHTYPE="(\w+)"[\s\S]*?<\/VOUCHER>/g)]
  assert.deepEqual(
    vouchers.map(([, type]) => type),
    ['Receipt', 'Payment', 'Receipt', 'Receipt', 'Receipt'],
  )
  for (const [voucher] of vouchers) {
    const amounts = [...voucher.matchAll(/<AMOUNT>(-?[\d.]+)<\/AMOUNT>/g)].map(([, amount]) => Number(amount))
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      0,
    )
  }
  assert.match(
    text,
    /<LEDGERNAME>Gateway &amp; Co<\/LEDGERNAME>\n<ISDEEMEDPOSITIVE>Yes<\/ISDEEMEDPOSITIVE>\n<AMOUNT>-45000.00/,
  )
  assert.match(
    text,
    /<LEDGERNAME>Tuition 2026<\/LEDGERNAME>\n<ISDEEMEDPOSITIVE>No<\/ISDEEMEDPOSITIVE>\n<AMOUNT>45000.00/,
  )
  assert.match(text, /Kabir &amp; Rao &lt;1&gt;/)
  assert.match(text, /<LEDGERNAME>Cash<\/LEDGERNAME>\n<ISDEEMEDPOSITIVE>Yes/)
  const settlements = await file('/settlements/export?format=tally')
  assert.match(settlements.text, /VCHTYPE="Contra"[\s\S]*<LEDGERNAME>Bank Account<\/LEDGERNAME>/)
  const masters = await file('/tally-ledgers/export?format=tally')
  assert.match(
    masters.text,
    /<LEDGER NAME="Tuition 2026" ACTION="Create">[\s\S]*<PARENT>Direct Incomes<\/PARENT>/,
  )
  const none = await owner.get(`${MONEY}/ledger/transfers/export?format=tally`)
  assertAnswer(none, '400 HUE00000')
})

/** One more than a spreadsheet holds. */
const MANY = 25_001

/** Old payments at the counter, some of them older still and told by component. */
async function insertMany(many: number, some: number): Promise<void> {
  await sql(
    `insert into direct_payments (institute_id, student_id, transaction_id, id, amount_paise, paid_at, mode, recorded_at)
     select 1, $1, 'T' || n, 'pay_bulk_' || n, 10000, now() - interval '1 day' * case when n <= $3 then 800 else 400 end,
       'cash', now() from generate_series(1, $2) n`,
    [school.half, many, some],
  )
  await sql(
    `insert into direct_payment_lines (institute_id, student_id, transaction_id, line_no, component_type, amount_paise)
     select 1, $1, 'T' || n, 1, 'TUITION_FEE', 10000 from generate_series(1, $2) n`,
    [school.half, some],
  )
}

test('a long list leaves as it is read, in little memory; a spreadsheet of it is refused', async () => {
  await insertMany(MANY, 2_000)
  const old = `captured_to=${daysAgo(300)}`
  assertAnswer(await owner.get(`${MONEY}/payments/export?format=xlsx&${old}`), '400 HUE00000')
  const before = process.memoryUsage().heapUsed
  let most = 0
  let lines = -1
  const response = await fetch(`${url}${MONEY}/payments/export?format=csv&${old}`, {
    headers: { cookie: owner.cookie ?? '' },
  })
  for await (const chunk of response.body ?? []) {
    lines += Buffer.from(chunk).filter(byte => byte === 10).length
    most = Math.max(most, process.memoryUsage().heapUsed - before)
  }
  assert.equal(lines, MANY)
  assert.ok(most < 100_000_000, `it took ${most} bytes`)
  const tally = await file(`/payments/export?format=tally&captured_to=${daysAgo(700)}`)
  assert.equal(tally.text.split('</VOUCHER>').length - 1, 2_000)
})

/** Whether it was begun. */
async function stopReading(): Promise<boolean> {
  const stopped = new AbortController()
  const response = await fetch(`${url}${MONEY}/payments/export?format=csv&captured_to=${daysAgo(300)}`, {
    headers: { cookie: owner.cookie ?? '' },
    signal: stopped.signal,
  })
  stopped.abort()
  await response.text().catch(() => '')
  return response.status === 200
}

test('a download that nobody reads on gives its connection back', async () => {
  // More than there may be at once.
  for (let times = 0; times < 6; times++) await waitFor(stopReading, `download ${times}`)
  await waitFor(async () => (await file('/receipts/export?format=csv')).status === 200, 'another file')
})
