import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { receiptWords } from '../../src/messages/texts/texts.ts'
import { renderReceipt, type ReceiptPrint } from '../../src/receipts/receipt-pdf.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { readPdf, type Piece, type Read } from './read-pdf.ts'
import { anyText } from '../harness/texts.ts'

const RECEIPT: ReceiptPrint = {
  institute: 'Saraswati Vidya Mandir',
  letterhead: { lines: [], color: null, logo: null },
  branch: 'Indore — Vijay Nagar',
  receiptNumber: 'SVM/2026-27/000123',
  issuedAt: new Date('2026-11-15T20:00:00Z'),
  payer: { name: 'Siddharth Sharma', phone: '+919876543210', email: 'sharma@example.in' },
  student: { name: 'प्रज्ञा शर्मा', identifier: 'ADM-2041', grade: 'Class X', academicYear: '2026-27' },
  lines: [
    { label: 'Tuition fee, second term', amountPaise: paiseOf(1_12_345_00) },
    { label: 'परिवहन शुल्क', amountPaise: paiseOf(10_000_00) },
    { label: 'Late fee', amountPaise: paiseOf(1_111_50) },
  ],
  totalPaise: paiseOf(1_23_456_50),
  mode: 'upi',
  transactionId: 'pay_NkT3vQ0S8uVd1x',
  paidAt: null,
  orderId: 'ord_01JCQ7T4W8',
  receivedBy: null,
  isByInstrument: false,
  words: receiptWords('en'),
  paper: 'a4',
  isDuplicate: false,
  isCancelled: null,
  refunds: [],
  isSandbox: false,
}
const CANCELLED = { at: new Date('2026-12-01T10:00:00Z'), reason: 'Paid twice by mistake' }
const RIGHT_EDGE = 547
test('a receipt says who paid whom, when, for what, how much and how, on one page', async () => {
  const { text, title, pages } = await read({})
  assert.equal(title, 'Receipt SVM/2026-27/000123')
  assert.equal(pages.length, 1)
  for (const part of [
    'Saraswati Vidya Mandir',
    'Indore — Vijay Nagar',
    'SVM/2026-27/000123',
    '16 November 2026 at 1:30 am IST',
    'प्रज्ञा शर्मा',
    'ADM-2041',
    'Class X',
    '2026-27',
    'Siddharth Sharma',
    '+919876543210',
    'sharma@example.in',
    'Tuition fee, second term',
    '₹1,12,345.00',
    'परिवहन शुल्क',
    '₹10,000.00',
    'Late fee',
    '₹1,111.50',
    '₹1,23,456.50',
    'Rupees One Lakh Twenty Three Thousand Four Hundred Fifty Six and Paise Fifty Only',
    'UPI',
    'pay_NkT3vQ0S8uVd1x',
    'ord_01JCQ7T4W8',
    'Page 1 of 1',
  ]) {
    assert.ok(text.includes(part), `${part} is not in:\n${text}`)
  }
  assert.doesNotMatch(text, /CANCELLED|SANDBOX/)
})

test('amounts end at the right edge, also the largest', async () => {
  const most = paiseOf(50 * 1e13)
  const { pages } = await read({ lines: [{ label: 'All', amountPaise: most }], totalPaise: most })
  const amounts = pages.flat().filter(piece => piece.text.startsWith('₹'))
  assert.deepEqual(
    amounts.map(piece => piece.text),
    ['₹50,00,00,00,00,000.00', '₹50,00,00,00,00,000.00'],
  )
  for (const { x, width } of amounts) assert.ok(Math.abs(x + width - RIGHT_EDGE) < 0.5)
})

test('Latin, rupee sign and Devanagari have glyphs, also mixed in one word', async () => {
  const { pages, text } = await read({
    institute: 'सरस्वती Vidya मन्दिर',
    student: { ...RECEIPT.student, grade: 'X-कक्षा', name: 'फ़ातिमा ज्ञानेन्द्र' },
  })
  for (const piece of pages.flat()) assert.ok(!piece.glyphs.includes('0000'), `a box in ${piece.text}`)
  for (const part of ['सरस्वती Vidya मन्दिर', 'X-कक्षा', 'फ़ातिमा ज्ञानेन्द्र'.normalize('NFC')]) {
    assert.ok(text.includes(part), part)
  }
})

/** Of each language in the Eighth Schedule, with conjuncts, marks and joiners. */
const NAMES = [
  'प्रज्ञा श्रीवास्तव', // Hindi, Marathi, Nepali, Konkani, Dogri, Bodo, Maithili, Sanskrit
  'শ্রেয়া চক্রবর্তী ঋষভ বন্দ্যোপাধ্যায়', // Bengali
  'ৰঞ্জিতা বৰুৱা', // Assamese
  'ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ ਹਰਪ੍ਰੀਤ ਕੌਰ ਸ਼ਰਮਾ', // Punjabi
  'હાર્દિક પટેલ જ્ઞાનેશ ત્રિવેદી', // Gujarati
  'ପ୍ରଜ୍ଞା ମହାପାତ୍ର କୃଷ୍ଣ', // Odia
  'முருகன் கிருஷ்ணமூர்த்தி ஸ்ரீதேவி', // Tamil
  'లక్ష్మీ ప్రసన్న కృష్ణమూర్తి వెంకటేశ్వర్లు', // Telugu
  'ಕೃಷ್ಣಮೂರ್ತಿ ಲಕ್ಷ್ಮೀ ಪ್ರಸಾದ್', // Kannada
  'ശ്രീലക്ഷ്മി കൃഷ്ണൻ നായർ ഉണ്ണിക്കൃഷ്ണൻ', // Malayalam
  'ꯃꯅꯤꯄꯨꯔꯤ ꯆꯅꯨ', // Manipuri
  'ᱥᱟᱱᱛᱟᱲᱤ ᱢᱩᱨᱢᱩ', // Santali
  'محمد عارف خان، فاطمہ بیگم', // Urdu
  'کٲشُر غُلام', // Kashmiri
  'سنڌي ڀاڳ', // Sindhi
  'A. முருகன்-2 (ಕನ್ನಡ) X-कक्षा ₹500',
]

test('a name in any scheduled script of India is drawn without a box, and copies as it was written', async () => {
  for (const name of NAMES) {
    const { pages, text } = await read({
      institute: name,
      payer: { ...RECEIPT.payer, name },
      lines: [{ label: name, amountPaise: RECEIPT.totalPaise }],
    })
    for (const piece of pages.flat())
      assert.ok(!piece.glyphs.includes('0000'), `a box in ${name}: ${piece.text}`)
    assert.ok(text.includes(name.normalize('NFC')), name)
  }
})

async function headOf(institute: string): Promise<Piece[]> {
  return (await read({ institute })).pages.flat().filter(piece => piece.size === 20)
}

test('words from right to left stand in that order, beside words from left to right', async () => {
  const drawn = (await headOf('School محمد عارف خان Delhi')).toSorted((one, other) => one.x - other.x)
  const alone = await Promise.all(['School', 'خان', 'عارف', 'محمد', 'Delhi'].map(headOf))
  assert.deepEqual(
    drawn.map(piece => Math.round(piece.width)),
    alone.map(([piece]) => Math.round(piece?.width ?? 0)),
  )
})

test('a long name in another script is broken into lines within its place', async () => {
  const name = 'கிருஷ்ணமூர்த்தி '.repeat(12).trim()
  const { pages } = await read({ payer: { ...RECEIPT.payer, name }, branch: 'ಕೃ'.repeat(200) })
  for (const { x, width, text } of pages.flat()) assert.ok(x + width <= RIGHT_EDGE + 1, text)
})

test('Devanagari after Latin letters is joined as it is alone', async () => {
  const { pages } = await read({ student: { ...RECEIPT.student, identifier: 'कक्षा', grade: 'X-कक्षा' } })
  const words = pages.flat().filter(piece => piece.text.endsWith('कक्षा'))
  const [alone = [], mixed = []] = words.map(piece => piece.glyphs)
  assert.equal(words.length, 2)
  assert.deepEqual(mixed.slice(-alone.length), alone)
})

test('a cancelled receipt says so with time and reason, a sandbox one that no money moved, on every page', async () => {
  const { text, pages } = await read({ isCancelled: CANCELLED, isSandbox: true, lines: longLines(50) })
  assert.match(text, /CANCELLED on 1 December 2026 at 3:30 pm IST/)
  assert.match(text, /Reason: Paid twice by mistake/)
  for (const pieces of pages) {
    const texts = pieces.map(piece => piece.text)
    assert.ok(texts.includes('CANCELLED'))
    assert.ok(texts.includes('SANDBOX — not a receipt for real money'))
  }
})

test('a refunded receipt says so on every page, with day, amount and voucher, and what is left of it', async () => {
  const part = {
    at: new Date('2026-12-01T10:00:00Z'),
    amountPaise: paiseOf(23_456_50),
    voucher: '2026-27/000007',
  }
  const { text, pages } = await read({ refunds: [part], lines: longLines(50) })
  assert.match(text, /REFUNDED: ₹23,456\.50 on 1 December 2026 at 3:30 pm IST, voucher 2026-27\/000007\./)
  assert.match(text, /₹1,00,000\.00/)
  for (const pieces of pages) assert.ok(pieces.some(piece => piece.text === 'PART REFUNDED'))
  const whole = await read({ refunds: [{ ...part, amountPaise: RECEIPT.totalPaise }] })
  for (const pieces of whole.pages) assert.ok(pieces.some(piece => piece.text === 'REFUNDED'))
  const gone = await read({ refunds: [part], isCancelled: CANCELLED })
  assert.doesNotMatch(gone.text, /REFUNDED/)
})

test('fifty long lines go on over further pages, all in order, none over another or over the footer', async () => {
  const { pages } = await read({ lines: longLines(50) })
  assert.ok(pages.length >= 2)
  const starts = pages.flat().flatMap(piece => /^Line (\d+):/.exec(piece.text)?.[1] ?? [])
  assert.deepEqual(
    starts,
    Array.from({ length: 50 }, (_, index) => `${index + 1}`),
  )
  for (const [index, pieces] of pages.entries()) {
    assert.ok(pieces.some(piece => piece.text === `Page ${index + 1} of ${pages.length}`))
    for (const column of Map.groupBy(pieces, piece => piece.x).values()) assertApart(column)
  }
})

test('odd text of any kind is drawn and never fails', async () => {
  const odd = [
    '',
    ' ',
    'x'.repeat(500),
    'क्षि'.repeat(300),
    '🙂👨‍👩‍👧',
    'مرحبا שלום',
    'தமிழ் 漢字',
    'valueOf',
    '\0\ud800\n\t\u202e(\\',
  ]
  for (const text of odd) assert.ok((await read(everywhere(text))).pages.length >= 1)
  await fc.assert(
    fc.asyncProperty(anyText({ maxLength: 60 }), async text => {
      assert.ok((await renderReceipt(everywhere(text))).length > 0)
    }),
    { numRuns: 5 },
  )
})

test('a name in a script without glyphs still copies as it was written', async () => {
  const { text } = await read({ payer: { ...RECEIPT.payer, name: '漢字 முருகன் 🙂' } })
  assert.ok(text.includes('漢字 முருகன் 🙂'))
})

test('the same receipt is the same file to the byte, and another is not', async () => {
  const first = await renderReceipt({ ...RECEIPT, isCancelled: CANCELLED })
  assert.deepEqual(await renderReceipt({ ...RECEIPT, isCancelled: CANCELLED }), first)
  assert.notDeepEqual(await renderReceipt(RECEIPT), first)
})

function longLines(count: number): ReceiptPrint['lines'] {
  return Array.from({ length: count }, (_, index) => ({
    label: `Line ${index + 1}: ${'laboratory, library and examination fee '.repeat((index % 4) + 1)}`,
    amountPaise: paiseOf(1_00_000_00),
  }))
}

function everywhere(text: string): ReceiptPrint {
  return {
    ...RECEIPT,
    institute: text,
    branch: text,
    letterhead: { ...RECEIPT.letterhead, lines: [text, text] },
    receiptNumber: text,
    payer: { name: text, phone: text, email: text },
    student: { name: text, identifier: text, grade: text, academicYear: text },
    lines: [{ label: text, amountPaise: paiseOf(0) }],
    mode: text,
    transactionId: text,
    orderId: text,
    isCancelled: { at: RECEIPT.issuedAt, reason: text },
  }
}

function assertApart(column: readonly Piece[]): void {
  const byHeight = column.toSorted((left, right) => right.y - left.y)
  for (const [index, piece] of byHeight.entries()) {
    const below = byHeight[index + 1]
    if (below !== undefined) assert.ok(piece.y - below.y >= below.size * 1.2, `${piece.text} / ${below.text}`)
  }
}

async function read(change: Partial<ReceiptPrint>): Promise<Read> {
  return readPdf(await renderReceipt({ ...RECEIPT, ...change }))
}

test('money of the counter has room for a signature and a stamp, and a cheque counts only once it is realised', async () => {
  const online = await read({})
  assert.match(online.text, /needs no signature/)
  assert.doesNotMatch(online.text, /realisation|signature and stamp/)
  const { text } = await read({ receivedBy: 'Lakshmi Nair', isByInstrument: true, mode: 'Cheque' })
  assert.match(text, /Subject to realisation of the cheque or draft/)
  assert.match(text, /For the school: signature and stamp, Lakshmi Nair/)
  assert.doesNotMatch(text, /needs no signature/)
})
