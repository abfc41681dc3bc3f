import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseReceiptId, parseReceiptSearch, receiptId } from '../../../src/console/money/receipts.rules.ts'
import {
  readDays,
  csvRow,
  indianDay,
  indianMoment,
  tooLarge,
  type Column,
} from '../../../src/console/reports/reports.rules.ts'
import {
  moneyVoucher,
  settlementVouchers,
  voucherXml,
  type LedgerNames,
} from '../../../src/console/reports/tally/tally.rules.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'
import { anyText } from '../../harness/texts.ts'

const NAMES: LedgerNames = {
  clearing: 'Gateway',
  bank: 'Bank',
  cash: 'Cash',
  direct: 'Direct',
  charges: 'Charges',
  component: type => `Fee ${type}`,
  bankAccount: id => `Bank ${id}`,
}
const TEXT: readonly Column<string>[] = [{ title: 'Text', kind: 'text', value: text => text }]

/** As a spreadsheet reads one cell: quotes off, doubled ones halved. */
function cellOf(line: string): string {
  const plain = line.slice(0, -2)
  return plain.startsWith('"') ? plain.slice(1, -1).replaceAll('""', '"') : plain
}

test('no text in a CSV begins like a formula, and taking the mark off gives the text back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), text => {
      const cell = cellOf(csvRow(TEXT, text))
      assert.doesNotMatch(cell, /^[\s\u200b-\u200d\u2060\ufeff]*[=+\-@|＝＋－＠]|^[\t\r\n]/)
      assert.equal(cell === text ? cell : cell.slice(1), text)
    }),
  )
  assert.equal(csvRow(TEXT, '=1+1'), "'=1+1\r\n")
  const formulas = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠', '｜', '﹦', '﹢', '﹣', '﹫']
  const unseen = [
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\u00a0',
    '\u200b',
    '\u200e',
    '\u2060',
    '\ufeff',
    '\u3000',
    '\u00ad',
    '\0',
  ]
  for (const before of [...unseen, '\ufeff\u200b \u00a0'])
    for (const sign of formulas) {
      const text = `${before}${sign}HYPERLINK("http://x")`
      assert.equal(cellOf(csvRow(TEXT, text)), `'${text}`, JSON.stringify(text))
    }
  for (const plain of ['Asha', '\u200bAsha', 'अ=1', '1-2', "'=1", ''])
    assert.equal(csvRow(TEXT, plain), `${plain}\r\n`)
  assert.equal(csvRow(TEXT, '-5 marks, "late"'), `"'-5 marks, ""late"""\r\n`)
})

test('amounts have two decimals, and days and moments are written as in India', () => {
  const columns: readonly Column<number>[] = [{ title: 'Amount', kind: 'money', value: rupees => rupees }]
  assert.equal(csvRow(columns, -1234.5), '-1234.50\r\n')
  assert.equal(indianDay('2026-04-05'), '05/04/2026')
  assert.equal(indianMoment(new Date('2026-04-04T18:30:00Z')), '05/04/2026 00:00')
})

test('what is too long for a file is said, and what to do instead', () => {
  assert.equal(tooLarge(100_000, 'csv'), null)
  assert.match(tooLarge(100_001, 'csv') ?? '', /1,00,000 rows.*Narrow/)
  assert.equal(tooLarge(25_000, 'xlsx'), null)
  assert.match(tooLarge(25_001, 'xlsx') ?? '', /as CSV/)
})

const lines = fc.array(
  fc.record({
    componentType: fc.constantFrom('A', 'B', 'C'),
    amountPaise: fc.integer({ min: 0, max: 1e9 }).map(paiseOf),
  }),
  { minLength: 1, maxLength: 8 },
)

test('a voucher of any payment or refund balances to the paisa, whatever its texts hold', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), anyText(), (parts, isIn, text) => {
      const total = sumPaise(parts.map(part => part.amountPaise))
      fc.pre(total > 0)
      const voucher = moneyVoucher(
        {
          id: 'pay_1',
          day: '2026-04-05',
          number: null,
          reference: text,
          narration: text,
          amountPaise: paiseOf(isIn ? total : 0 - total),
          lines: parts,
          account: NAMES.clearing,
        },
        NAMES,
      )
      assert.equal(voucher.type, isIn ? 'Receipt' : 'Payment')
      const xml = voucherXml(voucher)
      const paise = [...xml.matchAll(/<AMOUNT>(-?)(\d+)\.(\d\d)<\/AMOUNT>/g)].map(
        ([, sign = '', rupees = '', rest = '']) => Number(sign + rupees + rest),
      )
      assert.equal(paise.length, voucher.entries.length)
      assert.equal(
        paise.reduce((sum, one) => sum + one, 0),
        0,
      )
      assert.doesNotMatch(xml, /&(?!(amp|lt|gt|quot|apos);)|[^\P{Cc}\t\n\r]/u)
    }),
  )
})

test('a settlement empties the clearing account by what was paid out and what was kept', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e12 }), fc.integer({ min: 0, max: 1e9 }), (net, fee) => {
      const settlement = {
        id: 'stl_1',
        day: '2026-04-05',
        utr: 'U1',
        netPaise: paiseOf(net),
        feePaise: paiseOf(fee),
        bankAccountId: null,
      }
      const vouchers = settlementVouchers(settlement, NAMES)
      const cleared = vouchers
        .flatMap(voucher => voucher.entries)
        .filter(entry => entry.ledger === NAMES.clearing)
        .reduce((sum, entry) => sum + entry.amountPaise, 0)
      assert.equal(cleared, 0 - net - fee)
      for (const voucher of vouchers) voucherXml(voucher)
    }),
  )
})

test('a receipt is found by its number as printed, as typed and as in an address', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), number => {
      const key = { financialYear: '2026-27', number }
      assert.deepEqual(parseReceiptId(receiptId(key)), key)
      assert.deepEqual(parseReceiptSearch(`2026-27/${String(number).padStart(6, '0')}`), key)
      assert.equal(parseReceiptSearch(String(number))?.number, number)
    }),
  )
  for (const text of ['', 'x', '2026-27/', '2026-27/x', '-1', '1.5'])
    assert.equal(parseReceiptSearch(text), null)
})

test('a collection is of the present month unless days are named, and of no more than a page can show', () => {
  assert.deepEqual(readDays({}, 'day', '2026-04-15'), { from: '2026-04-01', to: '2026-04-15' })
  assert.deepEqual(readDays({ to: '2026-02-10' }, 'day', '2026-04-15'), {
    from: '2026-02-01',
    to: '2026-02-10',
  })
  assert.throws(() => readDays({ from: '2026-04-02', to: '2026-04-01' }, 'day', '2026-04-15'))
  assert.throws(() => readDays({ from: '2025-04-01', to: '2026-03-31' }, 'day', '2026-04-15'))
  assert.ok(readDays({ from: '2025-04-01', to: '2026-03-31' }, 'month', '2026-04-15'))
})
