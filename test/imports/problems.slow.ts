import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { ERP } from '../harness/samples.ts'
import { csv, feeRow, importFile, paymentRow, problemsOf, studentRow } from './support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
type Row = ReturnType<typeof studentRow>

await importFile(bursar, 'kind=students', csv([studentRow(), studentRow({ identifier: 'ADM-2' })]))
await importFile(bursar, 'kind=fees', csv([feeRow()]))
await importFile(bursar, 'kind=payments', csv([paymentRow(), paymentRow({ transaction_id: 'GONE-1' })]))
const { body: list } = await demo.get(`${ERP}/students?identifier=ADM-1042`)
await demo.delete(`${ERP}/students/${list.data[0].service_student_id}/payments/GONE-1`)

type Case = [why: string, kind: string, rows: Row[], problems: string[]]

const NEW = { identifier: 'NEW-1' }
const CASES: Case[] = [
  [
    'a required cell is blank',
    'students',
    [studentRow({ ...NEW, fullname: ' ' })],
    ['2 fullname is required'],
  ],
  [
    'cells are not what they should be',
    'students',
    [
      studentRow({
        ...NEW,
        new_admission: 'maybe',
        academic_year_start: '26',
        date_of_birth: '2015-13-01',
        primary_contact_number: '12',
        primary_contact_email: 'asha',
      }),
    ],
    [
      '2 academic_year_start must be a four-digit year',
      '2 new_admission must be true or false',
      '2 date_of_birth is not understood as a day; write it as 2016-02-27',
      '2 primary_contact_number must be a phone number of 7 to 15 digits',
      '2 primary_contact_email must be an e-mail address such as name@example.in',
    ],
  ],
  [
    'years run backwards',
    'students',
    [studentRow({ ...NEW, academic_year_end: 2025 })],
    ['2 academic_year_end must not be before academic_year_start'],
  ],
  [
    'a text is too long',
    'students',
    [studentRow({ ...NEW, grade: 'x'.repeat(65) })],
    ['2 grade must have at most 64 characters'],
  ],
  [
    'a text holds a character that no database holds',
    'students',
    [studentRow({ ...NEW, fullname: 'Ka\u0000bir' })],
    ['2 fullname must not contain the character U+0000'],
  ],
  [
    'the identifier belongs to somebody else',
    'students',
    [studentRow({ fullname: 'Mira Rao', date_of_birth: '2014-01-01' })],
    [
      '2 fullname and date_of_birth both differ from the registered student with this identifier, grade and year; correct one of them',
    ],
  ],
  [
    'two rows of one student disagree',
    'students',
    [studentRow(NEW), studentRow({ ...NEW, primary_contact_name: 'Ravi Rao' })],
    ['3 primary_contact_name differs from row 2, which is the same student'],
  ],
  [
    'the branch is unknown',
    'students',
    [{ ...studentRow(NEW), collector_code: 'WEST' }],
    ['2 collector_code is not a branch of this institute; its branches are: MAIN'],
  ],
  [
    'fees are of nobody',
    'fees',
    [feeRow({ identifier: 'NOBODY' })],
    ['2 identifier is of no student of this grade and academic year; import or register the student first'],
  ],
  [
    'an amount is none',
    'fees',
    [feeRow({ fee_amount: '12.345' }), feeRow({ component_type: 'B', fee_amount: -1 })],
    [
      '2 fee_amount must be an amount in rupees with at most two decimals, from 0 to 100000000000',
      '3 fee_amount must be an amount in rupees with at most two decimals, from 0 to 100000000000',
    ],
  ],
  [
    'a component stands twice',
    'fees',
    [feeRow(), feeRow()],
    [2, 3].map(
      row =>
        `${row} component_type stands twice for this student, in rows 2, 3; only another discount_type makes another row`,
    ),
  ],
  [
    'a component has two fees',
    'fees',
    [
      feeRow({ discount_type: 'A', discount_amount: 1 }),
      feeRow({ fee_amount: 5, discount_type: 'B', discount_amount: 1 }),
    ],
    ['2 fee_amount differs in rows 2 and 3', '3 fee_amount differs in rows 2 and 3'],
  ],
  [
    'discounts are more than the fee',
    'fees',
    [feeRow({ fee_amount: 100, discount_type: 'A', discount_amount: 101 })],
    ['2 discount_amount is more than fee_amount in all'],
  ],
  [
    'half a discount is given',
    'fees',
    [feeRow({ discount_type: 'A' }), feeRow({ component_type: 'B', discount_amount: 5 })],
    [
      '2 discount_amount is required beside a discount_type',
      '3 discount_type is required beside a discount_amount',
    ],
  ],
  [
    'fees would be too much in all',
    'fees',
    [feeRow({ component_type: 'A', fee_amount: 100000000000 })],
    ['2 fee_amount would make the fees of this student more than 100000000000 rupees in all'],
  ],
  [
    'a payment is of nobody',
    'payments',
    [paymentRow({ grade: '6' })],
    ['2 identifier is of no student of this grade and academic year; import or register the student first'],
  ],
  [
    'rows of one payment disagree',
    'payments',
    [
      paymentRow({ transaction_id: 'T' }),
      paymentRow({ transaction_id: 'T', component_type: 'B', mode: 'upi' }),
    ],
    ['2 mode differs in rows 2 and 3 of this payment', '3 mode differs in rows 2 and 3 of this payment'],
  ],
  [
    'a payment names a component twice',
    'payments',
    [paymentRow({ transaction_id: 'T' }), paymentRow({ transaction_id: 'T' })],
    [
      '2 component_type stands twice in this payment, rows 2, 3',
      '3 component_type stands twice in this payment, rows 2, 3',
    ],
  ],
  [
    'a row of a payment cannot be read, so the rest of it is not applied alone',
    'payments',
    [
      paymentRow({ transaction_id: 'T' }),
      paymentRow({ transaction_id: 'T', component_type: 'B', amount: 'ten' }),
    ],
    [
      '2 transaction_id belongs together with row 3, which cannot be read',
      '3 amount must be an amount in rupees with at most two decimals, from 0 to 100000000000',
    ],
  ],
  [
    'the transaction is recorded otherwise',
    'payments',
    [paymentRow({ amount: 20001 })],
    [
      '2 transaction_id This transaction_id is recorded with other details. Correct it by PATCH, or use another transaction_id.',
    ],
  ],
  [
    'the payment was cancelled',
    'payments',
    [paymentRow({ transaction_id: 'GONE-1' })],
    ['2 transaction_id The payment with this transaction_id was cancelled. Record it anew with another one.'],
  ],
  [
    'payments would be too much in all',
    'payments',
    [paymentRow({ transaction_id: 'T', amount: 100000000000 })],
    ['2 amount would make more than 100000000000 rupees paid for this student in all'],
  ],
]

for (const [why, kind, rows, problems] of CASES) {
  test(`${kind}: ${why}`, async () => {
    const one = await importFile(bursar, `kind=${kind}&mode=good`, csv(rows))
    assert.deepEqual(await problemsOf(demo, one.id), problems)
    const bad = new Set(problems.map(problem => problem.split(' ')[0])).size
    assert.deepEqual([one.state, one.rows.bad, one.rows.good], ['done', bad, rows.length - bad])
  })
}

test('a row with more cells than the header is bad', async () => {
  const [header, row] = csv([studentRow(NEW)])
    .trim()
    .split('\r\n')
  const one = await importFile(bursar, 'kind=students', `${header}\n${row},more\n`)
  assert.deepEqual(await problemsOf(demo, one.id), [
    '2 - has more cells than the header; is a cell with a comma unquoted?',
  ])
})

test('a strict institute refuses rows with codes outside its catalogue', async () => {
  await bursar.sql(`update institutes set strict_catalogue = true where code = 'demo-school'`)
  const students = csv([studentRow(NEW), studentRow({ ...NEW, grade: 'XII' })])
  const one = await importFile(bursar, 'kind=students&mode=good', students)
  assert.match((await problemsOf(demo, one.id)).join(), /^3 grade is not in the catalogue; allowed are: /)
  assert.equal(one.rows.good, 1)
  const fees = csv([
    feeRow({ identifier: 'NEW-1', component_type: 'GOLF' }),
    feeRow({ identifier: 'NEW-1', discount_type: 'LUCK', discount_amount: 1 }),
  ])
  const two = await importFile(bursar, 'kind=fees&mode=good', fees)
  assert.match(
    (await problemsOf(demo, two.id)).join(),
    /^2 component_type is not in the catalogue.*3 discount_type is not in the catalogue/,
  )
  await bursar.sql(`update institutes set strict_catalogue = false where code = 'demo-school'`)
})

test('more than a thousand rows of one student are too many', async () => {
  const rows = Array.from({ length: 1003 }, (_, index) =>
    paymentRow({ identifier: 'ADM-2', transaction_id: `MANY-${index}`, amount: 1 }),
  )
  const one = await importFile(bursar, 'kind=payments&mode=good', csv(rows))
  assert.deepEqual([one.rows.applied, one.rows.bad], [1000, 3])
  assert.match((await problemsOf(demo, one.id))[0] ?? '', /^1002 identifier stands in more than 1000 rows/)
})

const HEADER = 'identifier,grade,academic_year_start,academic_year_end,component_type,fee_amount'
const REFUSED: [why: string, file: string | Uint8Array<ArrayBuffer>, message: RegExp][] = [
  [
    'columns are missing',
    'identifier,grade\na,b\n',
    /^These columns are missing: academic_year_start, academic_year_end, component_type, fee_amount\.$/,
  ],
  [
    'the first row is no header',
    'ADM-1,5\nADM-2,5\n',
    /^The first row must name the columns\. A file of fees has: identifier, grade/,
  ],
  ['a column stands twice', `${HEADER},Fee amount\n`, /^These columns stand twice: fee_amount\.$/],
  ['there is nothing below the header', `${HEADER}\n\n,,,\n`, /^The file has no rows below its header\.$/],
  ['it is not UTF-8', Buffer.from(`${HEADER}\nAdm\xe9,5,2026,2027,A,1\n`, 'latin1'), /not text in UTF-8/],
  ['it is UTF-16', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), /not text in UTF-8/],
  [
    'a quotation mark is left open',
    `${HEADER}\nA,5,2026,2027,A,1\nB,"5,2026\n`,
    /^Row 3 cannot be read: a quotation mark/,
  ],
  ['a row is endless', `${HEADER}\n"${'x'.repeat(200_000)}\n`, /^Row 2 cannot be read/],
  ['it is an archive of something else', Buffer.from('PK\u0003\u0004 and so on'), /not an XLSX file/],
]

for (const [why, file, message] of REFUSED) {
  test(`a file is refused as a whole when ${why}`, async () => {
    const one = await importFile(bursar, 'kind=fees&mode=good', file)
    assert.equal(one.state, 'failed', JSON.stringify(one))
    assert.match(one.message, message)
    assert.equal(one.rows.applied, 0)
  })
}

test('columns that mean nothing are named and left out', async () => {
  const file = `House;Fee Amount ;GRADE;academic-year start;Academic Year End*;Identifier;component type;\u0007?\nRed;1;5;2026;2027;ADM-2;LAB;x\n`
  const one = await importFile(bursar, 'kind=fees', file)
  assert.deepEqual([one.state, one.rows.applied, one.unknown_columns], ['done', 1, ['House', '?']])
})
