import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as columns from '../../src/imports/files/columns.rules.ts'
import * as rules from '../../src/imports/imports.rules.ts'
import { feeRows, type FeeRow, type PaymentRow } from '../../src/imports/kinds/erp/erp-rows.schemas.ts'
import { mergeFeeRows, mergePaymentRows } from '../../src/imports/kinds/erp/merge-rows.rules.ts'
import { importKinds } from '../../src/imports/kinds/kinds.ts'
import type { MaybeRead } from '../../src/imports/kinds/merge.rules.ts'
import { ZERO } from '../../src/platform/money.ts'
import { digestOf } from '../../src/students/registration/register-students.service.ts'

const kinds = fc.constantFrom<rules.ImportKind>(...rules.ERP_KINDS, 'links')
const anyCell: fc.Arbitrary<columns.Cell> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom<columns.Cell>(
    null,
    '',
    ' ',
    '="007"',
    "'=1+1",
    '12/11/2015',
    '₹ 1,00,000.50',
    '#N/A',
    'yes',
    '\u0000',
  ),
)

const readHeader = (kind: rules.ImportKind, titles: columns.Cell[]): columns.HeaderDecision =>
  columns.matchHeader(importKinds[kind].rows.columns, `A file of ${kind}`, titles)

function headerOf(
  kind: rules.ImportKind,
  titles: columns.Cell[] = importKinds[kind].rows.columns.map(column => column.name),
): columns.Header {
  const decision = readHeader(kind, titles)
  assert.equal(decision.kind, 'read', JSON.stringify(decision))
  return decision.kind === 'read' ? decision.header : assert.fail()
}

test('whatever stands in a row, it is read or its problems are named by columns of the file', () => {
  fc.assert(
    fc.property(kinds, fc.array(anyCell, { maxLength: 26 }), (kind, cells) => {
      const header = headerOf(kind)
      const taken = columns.takeRow(header, cells)
      if (taken === null) return
      const read = importKinds[kind].rows.read(taken.row)
      if (read.kind === 'good') return
      assert.ok(read.problems.length > 0 && read.problems.length <= rules.MAX_PROBLEMS_PER_ROW)
      const names = importKinds[kind].rows.columns.map(column => column.name)
      for (const { column, message } of read.problems)
        assert.ok(names.includes(column) && message !== '', column)
    }),
  )
})

test('a header is understood in any order, case and with any blanks, and forgets no required column', () => {
  const written = fc.constantFrom<(name: string) => string>(
    name => name.toUpperCase(),
    name => ` ${name.replaceAll('_', ' ')} *`,
    name => name.replaceAll('_', '-'),
    name => name,
  )
  fc.assert(
    fc.property(
      kinds,
      fc.array(written, { minLength: 24, maxLength: 24 }),
      fc.infiniteStream(fc.nat()),
      (kind, styles, order) => {
        const names = importKinds[kind].rows.columns.map(column => column.name)
        const shuffled = names
          .map(name => [order.next().value, name] as const)
          .toSorted(([a], [b]) => Number(a) - Number(b))
        const titles = shuffled.map(([, name], index) => styles[index]?.(name) ?? name)
        const header = headerOf(kind, titles)
        assert.deepEqual(
          header.columns.map(column => column?.name),
          shuffled.map(([, name]) => name),
        )
        for (const [index, column] of header.columns.entries()) {
          const without = readHeader(kind, titles.toSpliced(index, 1))
          assert.equal(without.kind, column?.isRequired === true ? 'refused' : 'read')
        }
      },
    ),
  )
})

const day = fc
  .date({ min: new Date('1900-03-02'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))

test('a day is the same day however a spreadsheet or a person writes it', () => {
  fc.assert(
    fc.property(day, text => {
      const [year = '', month = '', date = ''] = text.split('-')
      const serial = (Date.parse(text) - Date.UTC(1899, 11, 30)) / 86_400_000
      const ways: columns.Cell[] = [
        text,
        `${date}/${month}/${year}`,
        `${Number(date)}-${Number(month)}-${year}`,
        `${date}.${month}.${year}`,
        new Date(`${text}T00:00:00Z`),
        serial,
      ]
      const header = headerOf('students')
      const place = header.columns.findIndex(column => column?.name === 'date_of_birth')
      for (const way of ways) {
        const cells = header.columns.map((_, index) => (index === place ? way : 'x'))
        assert.equal(columns.takeRow(header, cells)?.row['date_of_birth'], text)
      }
    }),
  )
})

test('an amount is the same amount with or without its grouping', () => {
  const indian = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2 })
  const english = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 })
  fc.assert(
    fc.property(fc.nat(1_000_000_000), paise => {
      const row = {
        identifier: 'A',
        grade: '5',
        academic_year_start: 2026,
        academic_year_end: 2027,
        component_type: 'T',
      }
      const rupees = paise / 100
      for (const way of [
        rupees,
        rupees.toFixed(2),
        indian.format(rupees),
        `₹${indian.format(rupees)}`,
        english.format(rupees),
      ]) {
        const header = headerOf('fees', [...Object.keys(row), 'fee_amount'])
        const taken = columns.takeRow(header, [...Object.values(row), way])
        const read = feeRows.read(taken?.row ?? {})
        assert.equal(read.kind === 'good' && read.row.feePaise, paise, String(way))
      }
    }),
  )
})

test('the digest of a registration does not hang on the order in which its fields are written', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 })
  const profile = fc.record({
    customIdentifier: fc.option(text),
    section: fc.option(text),
    category: fc.option(text),
    house: fc.option(text),
    fullname: text,
    newAdmission: fc.boolean(),
    dateOfBirth: fc.option(text),
    contactName: text,
    contactNumber: text,
    contactEmail: text,
  })
  const identity = fc.record({
    identifier: text,
    grade: text,
    academicYearStart: fc.nat(),
    academicYearEnd: fc.nat(),
  })
  fc.assert(
    fc.property(
      profile,
      identity,
      fc.option(text, { nil: undefined }),
      (profile, identity, collectorCode) => {
        const said = { collectorCode, identity, profile, fees: [], payments: [] }
        const backwards = { ...said, identity: reversed(identity), profile: reversed(profile) }
        assert.deepEqual(digestOf(backwards), digestOf(said))
        const fees = [{ componentType: 'A', feePaise: 5 }]
        assert.deepEqual(digestOf({ ...said, fees: fees.map(reversed) }), digestOf({ ...said, fees }))
        assert.notDeepEqual(digestOf({ ...said, fees }), digestOf(said))
      },
    ),
  )
})

function reversed<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).toReversed()) as Value
}

const unit = fc.constantFrom('"A"', '"B"', '"C"')

function place<Row>(rows: { unit: string; row: Row | null }[]): MaybeRead<Row>[] {
  return rows.map((row, index) => ({ ...row, groupNo: 2, rowNo: index + 2, loweredPaise: ZERO }))
}

type Merged<Row> = { units: { rows: MaybeRead<Row>[] }[]; problems: { rowNo: number }[] }

function checkUnits<Row>(rows: MaybeRead<Row>[], merged: Merged<Row>): void {
  const kept = merged.units.flatMap(one => one.rows.map(row => row.rowNo))
  const bad = merged.problems.map(problem => problem.rowNo)
  const read = rows.filter(row => row.row !== null)
  assert.deepEqual(
    [...kept, ...bad].toSorted((a, b) => a - b),
    read.map(row => row.rowNo),
  )
  const unread = new Set(rows.filter(row => row.row === null).map(row => row.unit))
  assert.ok(merged.units.every(one => one.rows.every(row => !unread.has(row.unit))))
}

test('every row of a student is either in exactly one unit or has a problem, and a unit with an unread row has neither', () => {
  const owner = {
    identity: { identifier: 'A', grade: '5', academicYearStart: 2026, academicYearEnd: 2027 },
    collectorCode: undefined,
  }
  const amount = fc.integer({ min: 1, max: 3 })
  const fee = fc
    .tuple(unit, fc.boolean(), amount, fc.constantFrom(undefined, 'X', 'Y'))
    .map(([unit, isRead, amount, type]) => {
      const discounts = type === undefined ? undefined : [{ discountType: type, valuePaise: amount as never }]
      const row: FeeRow = { ...owner, componentType: unit, feePaise: amount, discounts }
      return { unit, row: isRead ? row : null }
    })
  const payment = fc
    .tuple(unit, fc.boolean(), amount, fc.constantFrom('T', 'U', 'V'), fc.constantFrom('cash', 'upi'))
    .map(([unit, isRead, amount, componentType, mode]) => {
      const line = { componentType, amountPaise: amount as never }
      const row: PaymentRow = {
        ...owner,
        transactionId: unit,
        paidAt: '2026-06-05T00:00:00Z',
        line,
        mode,
        settlementUtr: null,
        notes: null,
        id: null,
      }
      return { unit, row: isRead ? row : null }
    })
  fc.assert(
    fc.property(fc.array(fee), fc.array(payment), (fees, payments) => {
      checkUnits(place(fees), mergeFeeRows(place(fees)))
      const paid = mergePaymentRows(place(payments))
      checkUnits(place(payments), paid)
      for (const { said } of paid.units)
        assert.equal(
          said.amountPaise,
          said.lines.reduce<number>((sum, line) => sum + line.amountPaise, 0),
        )
    }),
  )
})
