import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { receiptWords } from '../../src/messages/texts/texts.ts'
import { Shaper } from '../../src/receipts/fonts/shaper.ts'
import { openFont } from '../../src/receipts/fonts/paper-font.ts'
import { TrueType } from '../../src/receipts/fonts/true-type.ts'
import { renderReceipt, type ReceiptPrint } from '../../src/receipts/receipt-pdf.ts'
import { printReceipt } from '../../src/receipts/receipt-printer.ts'
import { fontFile, MAIN_FONT, splitByScript } from '../../src/receipts/script-runs.ts'
import { paiseOf } from '../../src/platform/money.ts'

const WEIGHTS = ['regular', 'bold'] as const
const PRINT: ReceiptPrint = {
  institute: 'Sunrise School',
  letterhead: { lines: ['12 Temple Road, Bengaluru'], color: null, logo: null },
  branch: null,
  receiptNumber: '2026-27/000001',
  issuedAt: new Date('2026-11-18T06:00:00Z'),
  payer: { name: 'Meera Rao', phone: '+919876543210', email: 'meera@example.in' },
  student: { name: 'प्रज्ञा शर्मा', identifier: 'ADM-1', grade: 'X', academicYear: '2026-27' },
  lines: [{ label: 'Office fee', amountPaise: paiseOf(1_00) }],
  totalPaise: paiseOf(1_00),
  mode: 'upi',
  transactionId: 'pay_1',
  paidAt: null,
  orderId: 'order_1',
  receivedBy: null,
  isByInstrument: false,
  words: receiptWords('en'),
  isCancelled: null,
  refunds: [],
  isSandbox: false,
  paper: 'a4',
  isDuplicate: false,
}

test('property: text that is shaped letter by letter is drawn as the shaper of the font draws it whole', () => {
  const letters = [
    ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
    ...'₹ — – … · ‘ ’ “ ”'.split(' '),
  ]
  for (const weight of WEIGHTS) {
    const font = openFont(fontFile(MAIN_FONT, weight))
    const [paired, whole] = [new Shaper(font, true), new Shaper(font, false)]
    const isSame = (text: string): void => assert.deepEqual(paired.shape(text), whole.shape(text), text)
    for (const text of ['office affluent fjord Three 1/2 AVATAR To. P.O. 11.71 ffi ffl', 'x'.repeat(200)])
      isSame(text)
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 }), isSame), {
      numRuns: 300,
    })
  }
})

test('property: glyphs that are cut out of a font are those of the font, with their measures', () => {
  const texts = ['Office ₹5 ffi', 'प्रज्ञा क्ष', 'ಕೃಷ್ಣಮೂರ್ತಿ', 'ശ്രീലക്ഷ്മി', 'غُلام', 'கிருஷ்ண', 'Łódź é']
  for (const run of texts.flatMap(text => splitByScript(text)))
    for (const weight of WEIGHTS) {
      const path = fontFile(run.script, weight)
      const font = openFont(path)
      const ids = [...new Set([0, ...new Shaper(font, false).shape(run.text).glyphs.map(({ id }) => id)])]
      const cut = openFont(new TrueType(readFileSync(path)).subset(ids))
      for (const [number, id] of ids.entries()) {
        const [one, other] = [cut.getGlyph(number), font.getGlyph(id)]
        assert.equal(one.path.toSVG(), other.path.toSVG(), `${run.text} ${id}`)
        assert.equal(one.advanceWidth, other.advanceWidth)
      }
    }
})

test('what a process printed before leaves no trace in a file: a printer makes the same bytes', async () => {
  const first = await renderReceipt(PRINT)
  for (const name of ['क्षत्रिय ज्ञानेन्द्र', 'Łódź office', 'ಕೃಷ್ಣ', 'fiancée'])
    await renderReceipt({ ...PRINT, institute: name, payer: { ...PRINT.payer, name } })
  assert.deepEqual(await renderReceipt(PRINT), first)
  assert.deepEqual(await printReceipt('fonts.test', PRINT, { instituteId: 1 }), first)
})

function fontsIn(file: Buffer): string[] {
  const streams = [...file.toString('latin1').matchAll(/\/Length1 \d+[\s\S]*?stream\n([\s\S]*?)\nendstream/g)]
  return streams.map(([, bytes = '']) => inflateSync(Buffer.from(bytes, 'latin1')).toString('base64'))
}

const named = (name: string): ReceiptPrint => ({ ...PRINT, student: { ...PRINT.student, name } })

test('papers in Latin letters share one set of glyphs, and one with others has its own', async () => {
  const [one, other] = [await renderReceipt(named('Asha')), await renderReceipt(named('Ravi Kumar'))]
  assert.deepEqual(fontsIn(one), fontsIn(other))
  assert.equal(fontsIn(one).length, 2)
  assert.notDeepEqual(fontsIn(await renderReceipt(named('Zoë'))), fontsIn(one))
})
