import { readableMode } from '../platform/names.ts'
import { formatRupees, rupeesInWords, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import { dayOf, formatDay, formatMoment } from '../platform/calendar.ts'
import { writeSchool } from './letterhead.ts'
import type { Letterhead } from './letterhead.service.ts'
import type { Style } from './mixed-text.ts'
import { PAPER, type Paper, type PaperName } from './receipt-papers.ts'
import {
  AMBER,
  BODY,
  closeSheet,
  countPages,
  heightOf,
  INK,
  labelOf,
  markSandbox,
  MUTED,
  numberPages,
  openPage,
  openSheet,
  put,
  RED,
  reserve,
  rule,
  SMALL,
  STRONG,
  tidy,
  write,
  writeAmount,
  writePairs,
  type Sheet,
} from './sheet.ts'

/** What it says beside figures and names, in the language of the family. */
type ReceiptWords = Record<
  | 'title'
  | 'number'
  | 'date'
  | 'student'
  | 'studentId'
  | 'grade'
  | 'year'
  | 'paidBy'
  | 'phone'
  | 'email'
  | 'forWhat'
  | 'amount'
  | 'total'
  | 'through'
  | 'order'
  | 'receivedBy'
  | 'transaction'
  | 'paidOn'
  | 'invalid'
  | 'realisation'
  | 'computer'
  | 'signature',
  string
>

/** Its voucher has the id of the refund, or the number of the office's own series. */
type ReceiptRefund = { at: Date; amountPaise: Paise; voucher: string }

export type ReceiptDocument = {
  institute: string
  letterhead: Letterhead
  branch: string | null
  receiptNumber: string
  issuedAt: Date
  payer: { name: string; phone: string; email: string }
  student: Record<'name' | 'identifier' | 'grade' | 'academicYear', string | null>
  lines: readonly { label: string; amountPaise: Paise }[]
  totalPaise: Paise
  mode: string
  transactionId: string
  /** Where it is not the day of issue. */
  paidAt: Date | null
  /** None for money that was taken at the counter. */
  orderId: string | null
  /** Who took it at the counter. */
  receivedBy: string | null
  /** A cheque or draft counts only once the bank has paid it. */
  isByInstrument: boolean
  isCancelled: { at: Date; reason: string; isMoved?: boolean } | null
  /** The refunds of it, the first first. */
  refunds: readonly ReceiptRefund[]
  words: ReceiptWords
  isSandbox: boolean
}

export type ReceiptPrint = ReceiptDocument & {
  paper: PaperName
  /** Printed once more, and marked as such. */
  isDuplicate: boolean
}

export type ReceiptsPrint = { receipts: readonly ReceiptPrint[] }

/** The same receipt gives the same bytes. */
export async function renderReceipt(receipt: ReceiptPrint): Promise<Buffer> {
  const paper = PAPER[receipt.paper]
  const isRoll = paper.footer === null
  return closeSheet(draw(receipt, isRoll ? { ...paper, height: draw(receipt, paper).y + paper.top } : paper))
}

/** Several in one file, each from a page of its own on, with its own marks and page numbers. Not for a roll. */
export async function renderReceipts({ receipts }: ReceiptsPrint): Promise<Buffer> {
  const [first, ...others] = receipts
  if (first === undefined) throw new Error('there is no receipt to print')
  const sheet = draw(first, PAPER[first.paper])
  for (const receipt of others) {
    const from = countPages(sheet)
    sheet.mark = page => markPage(page, receipt)
    openPage(sheet)
    fillIn(sheet, receipt, from)
  }
  return closeSheet(sheet)
}

function draw(receipt: ReceiptPrint, paper: Paper): Sheet {
  const sheet = openSheet({
    title: `Receipt ${tidy(receipt.receiptNumber)}`,
    createdAt: receipt.issuedAt,
    paper,
    mark: page => markPage(page, receipt),
  })
  fillIn(sheet, receipt, 0)
  return sheet
}

function fillIn(sheet: Sheet, receipt: ReceiptPrint, from: number): void {
  writeHead(sheet, receipt)
  writeBody(sheet, receipt)
  numberPages(sheet, `Receipt ${tidy(receipt.receiptNumber).slice(0, 40)}`, from)
}

/** Every page carries the marks, so that none can be shown alone as a good receipt. */
function markPage(sheet: Sheet, receipt: ReceiptPrint): void {
  const { doc, paper } = sheet
  const { width } = paper
  const text = stampOf(receipt)
  if (text !== null) {
    const middle = Math.min(paper.height, width * Math.SQRT2) / 2
    doc
      .save()
      .rotate(-50, { origin: [width / 2, middle] })
      .fillOpacity(0.1)
    const size = (Math.min(96, 860 / text.length) * width) / 595
    const style: Style = { font: 'bold', size: size / paper.scale, color: RED }
    put(sheet, { text, place: { x: 0, width, align: 'center' }, style }, middle - 0.84 * size)
    doc.restore()
  }
  if (receipt.isSandbox) markSandbox(sheet, 'SANDBOX — not a receipt for real money')
}

function stampOf({ isCancelled, refunds, totalPaise }: ReceiptPrint): string | null {
  if (isCancelled !== null) return cancelledAs(isCancelled)
  const back = sumPaise(refunds.map(refund => refund.amountPaise))
  if (back === 0) return null
  return back < totalPaise ? 'PART REFUNDED' : 'REFUNDED'
}

/** Money that was moved still counts, with the receipt that is named. */
function cancelledAs({ isMoved = false }: NonNullable<ReceiptPrint['isCancelled']>): string {
  return isMoved ? 'MOVED' : 'CANCELLED'
}

function writeHead(sheet: Sheet, receipt: ReceiptPrint): void {
  const { receiptNumber, issuedAt, isCancelled, student, payer, words } = receipt
  writeSchool(sheet, receipt, words.title)
  if (receipt.isDuplicate) write(sheet, 'DUPLICATE COPY', { ...STRONG, color: AMBER })
  if (isCancelled !== null) {
    const when = `${cancelledAs(isCancelled)} on ${formatMoment(isCancelled.at)}. ${words.invalid}`
    write(sheet, when, { ...STRONG, size: 11, color: RED })
    write(sheet, `Reason: ${isCancelled.reason}`, { ...BODY, color: RED })
  } else
    for (const { amountPaise, at, voucher } of receipt.refunds) {
      const when = `REFUNDED: ${formatRupees(amountPaise)} on ${formatMoment(at)}, voucher ${voucher}.`
      write(sheet, when, { ...STRONG, size: 11, color: RED })
    }
  rule(sheet, INK)
  writePairs(sheet, { [words.number]: receiptNumber }, { [words.date]: formatMoment(issuedAt) })
  rule(sheet)
  const ofPayer = { [words.paidBy]: payer.name, [words.phone]: payer.phone, [words.email]: payer.email }
  const ofClass = { [words.grade]: student.grade, [words.year]: student.academicYear }
  const ofStudent = { [words.student]: student.name, [words.studentId]: student.identifier }
  writePairs(sheet, { ...ofStudent, ...ofClass }, ofPayer)
  sheet.y += 14
}

function writeBody(sheet: Sheet, receipt: ReceiptPrint): void {
  const { lines, totalPaise, mode, transactionId, orderId, paidAt, receivedBy, words } = receipt
  const writeTitles = (): void =>
    writeAmount(sheet, [words.forWhat, words.amount], { ...STRONG, color: MUTED })
  reserve(sheet, 60)
  writeTitles()
  for (const { label, amountPaise } of lines) {
    const place = labelOf(sheet.paper)
    if (reserve(sheet, heightOf(sheet, { text: label, place, style: BODY }) + 8)) writeTitles()
    writeAmount(sheet, [label, formatRupees(amountPaise)], BODY)
  }
  reserve(sheet, 80)
  writeAmount(sheet, [words.total, formatRupees(totalPaise)], { ...STRONG, size: 12 })
  write(sheet, rupeesInWords(totalPaise), BODY)
  const back = sumPaise(receipt.refunds.map(refund => refund.amountPaise))
  if (receipt.isCancelled === null && back > 0) {
    writeAmount(sheet, ['Refunded since', formatRupees(back)], { ...STRONG, color: RED })
    writeAmount(sheet, ['Left of it', formatRupees(subtractPaise(totalPaise, back))], STRONG)
  }
  sheet.y += 14
  reserve(sheet, 80)
  rule(sheet)
  const paidOn = paidAt === null ? null : formatDay(dayOf(paidAt))
  writePairs(
    sheet,
    { [words.through]: mode && readableMode(mode), [words.order]: orderId, [words.receivedBy]: receivedBy },
    { [words.transaction]: transactionId, [words.paidOn]: paidOn },
  )
  sheet.y += 8
  if (receipt.isByInstrument) write(sheet, words.realisation, STRONG)
  // Money of the gateway has a record that nobody signs; cash has the word of the person who took it.
  if (receivedBy === null) write(sheet, words.computer, SMALL)
  else {
    reserve(sheet, 70)
    sheet.y += 46
    rule(sheet, INK)
    write(sheet, `${words.signature}, ${receivedBy}`, SMALL)
  }
}
