import { receiptWords } from '../../src/messages/texts/texts.ts'
import { writePng } from '../../src/institutes/school/logo-picture.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { renderReceipt, type ReceiptPrint } from '../../src/receipts/receipt-pdf.ts'

/** Prints receipts one after the other, as a printer does. Prints the CPU time of each in milliseconds, one figure a round. */
export type PrintPlan = { papers: number; rounds: number; script: 'Latin' | 'Devanagari' }
export type PrintResult = { msEach: number[]; bytesEach: number }

const plan = JSON.parse(process.argv[2] ?? '{}') as PrintPlan
const NAMES = {
  Latin: ['Asha', 'Siddharth', 'Meera', 'Farhan', 'Gurpreet', 'Rao', 'Sharma', 'Khan', 'Iyer', 'Deshpande'],
  Devanagari: ['आशा', 'सिद्धार्थ', 'मीरा', 'फ़रहान', 'गुरप्रीत', 'राव', 'शर्मा', 'ख़ान', 'अय्यर', 'देशपांडे'],
}
/** Colours that run into each other and a round edge, which compress worse than most logos. */
const logo = writePng({
  width: 128,
  height: 128,
  pixels: Uint8Array.from({ length: 128 * 128 * 4 }, (_, index) => {
    const [x, y, sample] = [(index >> 2) & 127, index >> 9, index & 3]
    if (sample === 3) return Math.hypot(x - 64, y - 64) < 60 ? 255 : 0
    return sample === 0 ? 2 * x : 2 * y
  }),
})

function nameOf(no: number): string {
  const names = NAMES[plan.script]
  return `${names[no % 5] ?? ''} ${names[5 + (Math.floor(no / 5) % 5)] ?? ''}`
}

function receiptOf(no: number): ReceiptPrint {
  const amountPaise = paiseOf(45_000_00 + 100 * no)
  return {
    institute: 'Sunrise Public School',
    letterhead: {
      lines: [
        '12 Temple Road, Bengaluru 560011',
        '080-26531234 · fees@sunrise.in',
        'CBSE 830123 · PAN AAATS1234F',
      ],
      color: '#1d4ed8',
      logo: logo.toString('base64'),
    },
    branch: null,
    receiptNumber: `2026-27/${String(no).padStart(6, '0')}`,
    issuedAt: new Date(1_795_000_000_000 + no * 60_000),
    payer: {
      name: nameOf(no + 7),
      phone: `+9198${String(no).padStart(8, '0')}`,
      email: `family${no}@example.in`,
    },
    student: { name: nameOf(no), identifier: `ADM-${no}`, grade: 'Class X', academicYear: '2026-27' },
    lines: [
      { label: 'Tuition fee', amountPaise },
      { label: 'Transport fee', amountPaise: paiseOf(6_500_50) },
    ],
    totalPaise: paiseOf(amountPaise + 6_500_50),
    mode: 'upi',
    transactionId: `pay_${no.toString(36).padStart(14, 'x')}`,
    paidAt: null,
    orderId: `order_${no.toString(36).padStart(26, '0')}`,
    receivedBy: null,
    isByInstrument: false,
    words: receiptWords('en'),
    isCancelled: null,
    isSandbox: false,
    paper: 'a4',
    refunds: [],
    isDuplicate: false,
  }
}

const result: PrintResult = { msEach: [], bytesEach: 0 }
// The first round opens the fonts and is not counted.
for (let round = 0; round <= plan.rounds; round++) {
  const before = process.cpuUsage()
  for (let paper = 0; paper < plan.papers; paper++)
    result.bytesEach = (await renderReceipt(receiptOf(round * plan.papers + paper))).length
  const { user, system } = process.cpuUsage(before)
  if (round > 0) result.msEach.push((user + system) / 1_000 / plan.papers)
}
process.stdout.write(JSON.stringify(result))
