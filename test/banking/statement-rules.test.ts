import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  guessColumns,
  readAmount,
  readDay,
  recallColumns,
  titlesOf,
  type Row,
} from '../../src/banking/statements/columns.rules.ts'
import {
  bookedLine,
  lineKey,
  LineKeys,
  lineOf,
  type LineProblem,
  type StatementLine,
  namesIn,
} from '../../src/banking/statements/lines.rules.ts'
import { matchSteps, type Expected, type OpenLine } from '../../src/banking/statements/match.rules.ts'
import { isMt940, mt940Rows } from '../../src/imports/files/mt940.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { runAtOnce } from '../harness/steps.ts'

type Read = { lines: StatementLine[]; problems: LineProblem[] }

function readEach(rows: Iterable<Row>, read: (row: Row) => StatementLine | string | null): Read {
  const all = [...rows].map(row => ({ rowNo: row.rowNo, line: read(row) }))
  return {
    lines: all.flatMap(({ line }) => (line === null || typeof line === 'string' ? [] : [line])),
    problems: all.flatMap(({ rowNo, line }) => (typeof line === 'string' ? [{ rowNo, message: line }] : [])),
  }
}

const linesOf = (rows: readonly Row[], columns: Parameters<typeof lineOf>[1]): Read =>
  readEach(rows, row => lineOf(row, columns))
const readMt940 = (text: string): Read => readEach(mt940Rows(text), bookedLine)

const matchLines = (lines: readonly OpenLine[], expected: readonly Expected[]) =>
  runAtOnce(matchSteps(lines, expected)).map(({ line, one: { kind, id } }) => ({ lineId: line.id, kind, id }))

const rowsOf = (...texts: string[]): Row[] =>
  texts.map((text, index) => ({ rowNo: index + 1, cells: text.split('|').map(cell => cell.trim()) }))

const HDFC = rowsOf(
  'HDFC BANK Ltd.',
  'Account No : 5010 | Statement From : 01/11/2026',
  'Date | Narration | Chq./Ref.No. | Value Dt | Withdrawal Amt. | Deposit Amt. | Closing Balance',
  '********',
  '16/11/26 | NEFT CR-RAZORPAY-UTR123456 | UTR123456 | 16/11/26 | | 48,000.50 | 1,48,000.50',
  '17/11/26 | CHARGES | 0000000 | 17/11/26 | 118.00 | | 1,47,882.50',
  'STATEMENT SUMMARY | 100000.00 | 1 | 1 | 118.00',
)

const guessedTitles = (text: string): (string | null)[] => {
  const [header] = rowsOf(text)
  const found = guessColumns([header ?? assert.fail()]) ?? assert.fail(text)
  const at = (index: number | null): string | null => (index === null ? null : String(header?.cells[index]))
  return [at(found.date), at(found.text), at(found.reference), at(found.debit), at(found.credit)]
}

test('the columns of common Indian statements are recognised below the letterhead', () => {
  const columns = guessColumns(HDFC)
  assert.deepEqual(columns, {
    headerRow: 3,
    date: 0,
    text: 1,
    reference: 2,
    debit: 4,
    credit: 5,
    mark: null,
    balance: 6,
  })
  const { lines, problems } = linesOf(HDFC, columns ?? assert.fail())
  assert.deepEqual(problems, [])
  assert.deepEqual(
    lines.map(line => [line.day, line.amountPaise, line.reference]),
    [
      ['2026-11-16', 4_800_050, 'UTR123456'],
      ['2026-11-17', -11_800, '0000000'],
    ],
  )
  assert.deepEqual(
    guessedTitles('Txn Date | Value Date | Description | Ref No./Cheque No. | Debit | Credit | Balance'),
    ['Txn Date', 'Description', 'Ref No./Cheque No.', 'Debit', 'Credit'],
  )
  assert.deepEqual(
    guessedTitles(
      'S No. | Value Date | Cheque Number | Transaction Remarks | Withdrawal Amount (INR ) | Deposit Amount (INR )',
    ),
    [
      'Value Date',
      'Transaction Remarks',
      'Cheque Number',
      'Withdrawal Amount (INR )',
      'Deposit Amount (INR )',
    ],
  )
  assert.deepEqual(guessedTitles('Tran Date | CHQNO | PARTICULARS | DR | CR | BAL'), [
    'Tran Date',
    'PARTICULARS',
    'CHQNO',
    'DR',
    'CR',
  ])
})

test('one amount with Dr or Cr beside it is read by the mark', () => {
  const rows = rowsOf(
    'Sl. No. | Date | Description | Chq / Ref number | Amount | Dr / Cr | Balance',
    '1 | 17-11-2026 | UPI/KABIR | UPI-1234567 | 500.00 | CR | 10.00',
    '2 | 17-11-2026 | CHG | | 10.00 | DR | 0.00',
  )
  const { lines } = linesOf(rows, guessColumns(rows) ?? assert.fail())
  assert.deepEqual(
    lines.map(line => line.amountPaise),
    [50_000, -1_000],
  )
})

test('columns that were matched once are found again by their titles, wherever they stand', () => {
  const columns = guessColumns(HDFC) ?? assert.fail()
  const titles = titlesOf(HDFC[2]?.cells ?? [], columns)
  const moved = rowsOf('Other letterhead', ...HDFC.slice(2, 3).map(row => ['No', ...row.cells].join('|')))
  const found = recallColumns(moved, titles) ?? assert.fail()
  assert.deepEqual([found.headerRow, found.date, found.credit], [2, 1, 6])
  assert.equal(recallColumns(rowsOf('Date | Amount'), titles), null)
})

test('days and amounts are read as Indian banks write them', () => {
  for (const text of [
    '17/11/26',
    '17-11-2026',
    '17 Nov 2026',
    '17-NOV-26',
    '2026-11-17',
    '17/11/2026 10:15:00',
  ])
    assert.equal(readDay(text), '2026-11-17', text)
  assert.equal(readDay(46_343), '2026-11-17')
  for (const text of ['31/02/2026', 'Total', '', '123']) assert.equal(readDay(text), null, text)
  const amounts = { '1,48,000.50': 14_800_050, '(500.00)': -50_000, '500.00 Dr': -50_000, '₹ 12': 1_200 }
  for (const [text, paise] of Object.entries(amounts)) assert.equal(readAmount(text), paise, text)
  assert.equal(readAmount(' '), null)
  assert.equal(readAmount('n/a'), undefined)
})

const MT940 = `:20:START
:25:HDFC/5010
:28C:1/1
:60F:C261115INR100000,00
:61:2611161116C48000,50NTRFUTR123456//BANKREF1
:86:NEFT RAZORPAY
 SETTLEMENT
:61:2701011231D118,00NCHGNONREF
:86:CHARGES
:61:garbled
:62F:C261116INR147882,50
-`

test('an MT940 statement is told by its tags, and its lines carry what stands below them', () => {
  assert.ok(isMt940(MT940))
  assert.ok(!isMt940('Date,Narration\n16/11/26,":20: NEFT"'))
  const { lines, problems } = readMt940(MT940)
  assert.deepEqual(
    lines.map(({ day, amountPaise, text, reference }) => [day, amountPaise, text, reference]),
    [
      ['2026-11-16', 4_800_050, 'NEFT RAZORPAY SETTLEMENT', 'UTR123456 BANKREF1'],
      ['2026-12-31', -11_800, 'CHARGES', null],
    ],
  )
  assert.deepEqual(problems, [{ rowNo: 10, message: 'The line :61: cannot be read' }])
})

test('no text breaks the MT940 reader, and what it reads has a day and an amount', () => {
  const part = fc.constantFrom(':61:', ':86:', '\n', '261116', 'C', 'D', '1,00', 'NTRF', '//', 'x', ':20:')
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 40 }), parts => {
      for (const { day, amountPaise } of readMt940(parts.join('')).lines) {
        assert.match(day, /^\d{4}-\d{2}-\d{2}$/)
        assert.notEqual(amountPaise, 0)
      }
    }),
  )
})

const arbitraryLine = fc.record({
  day: fc.constantFrom('2026-11-14', '2026-11-15', '2026-11-16'),
  amountPaise: fc.constantFrom(100, 200, 300, -100).map(paiseOf),
  text: fc.constantFrom('NEFT UTR000001', 'CASH DEP', 'CHQ 004512', 'UTR000002'),
  reference: fc.constantFrom(null, 'UTR000003', '4513'),
})

type SomeLine = Omit<OpenLine, 'id'>
const keysOf = (some: readonly SomeLine[]): string[] => {
  const keys = new LineKeys(text => text)
  return some.map(line => lineKey(keys.of({ ...line, balancePaise: null })))
}

test('the same statement twice has the same keys, and a longer one of the same days begins with them', () => {
  fc.assert(
    fc.property(fc.array(arbitraryLine), fc.array(arbitraryLine), (first, more) => {
      assert.deepEqual(keysOf([...first, ...more]).slice(0, first.length), keysOf(first))
      assert.equal(new Set(keysOf([...first, ...more])).size, first.length + more.length)
    }),
  )
})

const arbitraryLines = fc.array(arbitraryLine, { maxLength: 12 }).map(some => {
  return some.map((line, index): OpenLine => ({ ...line, id: `line_${index}` }))
})
const arbitraryExpected = fc
  .array(
    fc.record({
      kind: fc.constantFrom('settlement', 'deposit', 'cheque', 'cheque_return', 'transfer', 'lender'),
      day: fc.constantFrom('2026-11-10', '2026-11-14', '2026-11-15'),
      amountPaise: fc.constantFrom(100, 200, 300, -100).map(paiseOf),
      reference: fc.constantFrom(null, 'UTR000001', 'UTR000002', 'UTR000003', '004512', '4513'),
      slip: fc.nat(3),
    }),
    { maxLength: 12 },
  )
  .map(some => {
    const slips = some.flatMap(({ kind }, index) => (kind === 'deposit' ? [`id_${index}`] : []))
    return some.map(({ slip, ...one }, index): Expected => {
      return { ...one, id: `id_${index}`, depositId: one.kind === 'cheque' ? (slips[slip] ?? null) : null }
    })
  })

test('a line and what is expected are matched at most once, with equal amounts and never a slip and its cheque', () => {
  fc.assert(
    fc.property(arbitraryLines, arbitraryExpected, (lines, expected) => {
      const matches = matchLines(lines, expected)
      assert.equal(new Set(matches.map(one => one.lineId)).size, matches.length)
      assert.equal(new Set(matches.map(one => one.id)).size, matches.length)
      const ofId = new Map(expected.map(one => [one.id, one]))
      for (const { lineId, id } of matches) {
        const line = lines.find(one => one.id === lineId)
        assert.equal(line?.amountPaise, ofId.get(id)?.amountPaise)
      }
      const slips = matches.filter(one => one.kind === 'deposit').map(one => one.id)
      for (const { id } of matches) assert.ok(!slips.includes(ofId.get(id)?.depositId ?? ''))
    }),
    { numRuns: 500 },
  )
})

const sorted = (lines: OpenLine[], expected: Expected[]): string[] =>
  matchLines(lines, expected)
    .map(one => `${one.lineId} ${one.kind} ${one.id}`)
    .toSorted()

test('matching does not depend on the order of lines or of what is expected', () => {
  fc.assert(
    fc.property(arbitraryLines, arbitraryExpected, (lines, expected) => {
      assert.deepEqual(sorted(lines.toReversed(), expected.toReversed()), sorted(lines, expected))
    }),
  )
})

const openLine = (id: string, changes: Partial<OpenLine> = {}): OpenLine => {
  return {
    id,
    day: '2026-11-16',
    amountPaise: paiseOf(500),
    text: 'NEFT UTR123456',
    reference: null,
    ...changes,
  }
}
const expectedOne = (id: string, changes: Partial<Expected> = {}): Expected => {
  const rest = { day: '2026-11-15', amountPaise: paiseOf(500), reference: 'UTR123456', depositId: null }
  return { kind: 'settlement', id, ...rest, ...changes }
}

test('nothing is matched where a second line or a second payment would fit as well', () => {
  assert.deepEqual(matchLines([openLine('a')], [expectedOne('s')]), [
    { lineId: 'a', kind: 'settlement', id: 's' },
  ])
  assert.deepEqual(matchLines([openLine('a'), openLine('b')], [expectedOne('s')]), [])
  assert.deepEqual(matchLines([openLine('a')], [expectedOne('s'), expectedOne('t')]), [])
  assert.deepEqual(matchLines([openLine('a', { amountPaise: paiseOf(501) })], [expectedOne('s')]), [])
  assert.deepEqual(matchLines([openLine('a')], [expectedOne('s', { reference: '500' })]), [])
  const cash = expectedOne('d', { kind: 'deposit', reference: null })
  assert.equal(matchLines([openLine('a', { text: 'CASH DEP' })], [cash]).length, 1)
  assert.equal(matchLines([openLine('a', { day: '2026-11-30' })], [cash]).length, 0)
  const cheque = expectedOne('c', { kind: 'cheque', reference: '004512' })
  assert.equal(matchLines([openLine('a', { text: 'CLG 4512 CANARA' })], [cheque]).length, 1)
  assert.equal(matchLines([openLine('a', { text: 'CLG 14512 CANARA' })], [cheque]).length, 0)
})

const days = (one: string, other: string): number => (Date.parse(one) - Date.parse(other)) / 86_400_000
const bare = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
const number = (text: string): string => text.replace(/^0+/, '')
const slipOf = (one: Expected): string | null => (one.kind === 'deposit' ? one.id : one.depositId)

const names = ({ text, reference }: OpenLine, one: Expected): boolean => {
  if (one.reference === null) return false
  if (one.kind === 'cheque' || one.kind === 'cheque_return') {
    const sought = number(one.reference.replaceAll(/\D/g, ''))
    const found = `${reference ?? ''} ${text}`.match(/\d+/g) ?? []
    return sought.length >= 3 && found.some(digits => number(digits) === sought)
  }
  const sought = bare(one.reference)
  return sought.length >= 6 && (bare(text).includes(sought) || bare(reference ?? '').includes(sought))
}
type Fits = (line: OpenLine, one: Expected) => boolean
const pair = (some: readonly OpenLine[], of: readonly Expected[], fits: Fits) => {
  const pairs = some.flatMap(line => of.filter(one => fits(line, one)).map(one => ({ line, one })))
  const alone = (pick: (of: (typeof pairs)[number]) => unknown, item: unknown): boolean =>
    pairs.filter(one => pick(one) === item).length === 1
  return pairs.filter(({ line, one }) => alone(p => p.line, line) && alone(p => p.one, one))
}
const isNear = (after: number, before: number, line: OpenLine, one: Expected): boolean =>
  line.amountPaise === one.amountPaise &&
  days(line.day, one.day) <= after &&
  days(line.day, one.day) >= -before

/** As it was first written: every line beside everything that is expected. */
function matchEach(lines: readonly OpenLine[], expected: readonly Expected[]): string[] {
  const named = pair(lines, expected, (line, one) => isNear(30, 5, line, one) && names(line, one))
  const slips = named.map(({ one }) => slipOf(one))
  const free = lines.filter(line => !named.some(one => one.line === line))
  const left = expected.filter(one => one.kind === 'deposit' && !slips.includes(one.id))
  const all = [...named, ...pair(free, left, (line, one) => isNear(7, 0, line, one))]
  const ofCheques = all.filter(({ one }) => one.kind === 'cheque').map(({ one }) => one.depositId)
  return all
    .filter(({ one }) => one.kind !== 'deposit' || !ofCheques.includes(one.id))
    .map(({ line, one }) => `${line.id} ${one.kind} ${one.id}`)
    .toSorted()
}

test('matching in one pass finds what comparing every line with everything would find', () => {
  fc.assert(
    fc.property(arbitraryLines, arbitraryExpected, (lines, expected) => {
      assert.deepEqual(sorted(lines, expected), matchEach(lines, expected))
    }),
    { numRuns: 2_000 },
  )
})

const stepsFor = (count: number): { steps: number; looks: number } => {
  let [steps, looks] = [0, 0]
  const day = '2026-11-16'
  const lines = Array.from({ length: count }, (_, no) =>
    openLine(`l${no}`, { day, text: `NEFT UTR${100_000 + no}` }),
  )
  const expected = Array.from({ length: count }, (_, no) => {
    const one = expectedOne(`e${no}`, { reference: `UTR${100_000 + no}` })
    return Object.defineProperty(one, 'day', { get: () => (looks++, day) })
  })
  const work = matchSteps(lines, expected)
  for (let step = work.next(); ; step = work.next(), steps++)
    if (step.done === true) {
      assert.equal(step.value.length, count)
      return { steps, looks }
    }
}

test('the work of matching grows with the lines and with what is expected, not with their product', () => {
  const [few, many] = [stepsFor(500), stepsFor(5_000)]
  assert.ok(many.steps <= 11 * few.steps, `${few.steps} and ${many.steps} steps`)
  assert.ok(many.looks <= 11 * few.looks, `${few.looks} and ${many.looks} looks`)
})

const named = (text: string, reference: string | null = null) => namesIn({ text, reference })

test('an admission number is found in the text of a line, whatever signs stand around and inside it', () => {
  assert.ok(named('UPI/412345678901/adm-1042/ASHA RAO').includes('ADM1042'))
  assert.ok(named('NEFT CR', 'Adm No 2026/045').includes('2026045'))
  assert.ok(!named('ADM-1042A').includes('ADM1042'))
  assert.deepEqual(named('SMS CHARGES'), [])
  assert.ok(named('9'.repeat(500)).length === 0)
})
