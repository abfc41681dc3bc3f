import { buffer } from 'node:stream/consumers'
import Pdf from 'pdfkit'
import { rupeesInWords } from '../platform/amount-in-words.ts'
import { formatMoment } from '../platform/calendar.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import { breakLines, drawLines, useFont, type Style } from './mixed-text.ts'
import { MAIN_FONT } from './script-runs.ts'

export type ReceiptDocument = {
  institute: string
  branch: string | null
  receiptNumber: string
  issuedAt: Date
  payer: { name: string; phone: string; email: string }
  student: Record<'name' | 'identifier' | 'grade' | 'academicYear', string | null>
  lines: readonly { label: string; amountPaise: Paise }[]
  totalPaise: Paise
  mode: string
  transactionId: string
  orderId: string
  isCancelled: { at: Date; reason: string } | null
  isSandbox: boolean
}

type Sheet = { doc: PDFKit.PDFDocument; y: number; receipt: ReceiptDocument }
type Place = { x: number; width: number; align?: 'right' | 'center' }
type Cell = { text: string; place: Place; style: Style }

const [INK, MUTED, GREEN, AMBER, RED] = ['#14213d', '#596275', '#0b6e4f', '#8a5300', '#b3261e']
const BODY: Style = { font: 'regular', size: 10, color: INK }
const STRONG: Style = { ...BODY, font: 'bold' }
const QUIET: Style = { ...BODY, color: MUTED }
const SMALL: Style = { ...QUIET, size: 8.5 }
const PAGE = { top: 48, bottom: 778, footer: 796 }
const WHOLE: Place = { x: 48, width: 499 }
const LABEL: Place = { x: 48, width: 325 }
const AMOUNT: Place = { x: 377, width: 170, align: 'right' }
const LINE_GAP = -2
const MAX_CHARACTERS = 500
const PLAIN = /^[[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]--\p{Extended_Pictographic}]*$/v
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\s\u200c\u200d]]/gv
/** The same receipt gives the same bytes: what the library would take from its clock comes from the receipt. */
export async function renderReceipt(receipt: ReceiptDocument): Promise<Buffer> {
  const Title = `Receipt ${tidy(receipt.receiptNumber)}`
  const info = { Title, Creator: 'Bursar', Producer: 'Bursar', CreationDate: receipt.issuedAt }
  const pages = { size: 'A4', margin: 0, autoFirstPage: false, bufferPages: true }
  const doc = new Pdf({ ...pages, pdfVersion: '1.7', lang: 'en-IN', font: '', info }).lineGap(LINE_GAP)
  const sheet: Sheet = { doc, y: 0, receipt }
  openPage(sheet)
  writeHead(sheet)
  writeBody(sheet)
  numberPages(sheet)
  doc.end()
  return buffer(doc)
}

/** Every page carries the marks, so that none can be shown alone as a good receipt. */
function openPage(sheet: Sheet): void {
  const { doc, receipt } = sheet
  doc.addPage()
  sheet.y = PAGE.top
  if (receipt.isCancelled !== null) {
    doc
      .save()
      .rotate(-50, { origin: [297, 421] })
      .fillOpacity(0.1)
    const style: Style = { font: 'bold', size: 96, color: RED }
    put(doc, { text: 'CANCELLED', place: { x: 0, width: 595, align: 'center' }, style }, 340)
    doc.restore()
  }
  if (receipt.isSandbox) {
    doc.rect(0, 0, 595, 30).fill('#ffe9b8')
    const text = 'SANDBOX — not a receipt for real money'
    put(doc, { text, place: WHOLE, style: { ...STRONG, color: AMBER } }, 7)
  }
}

function writeHead(sheet: Sheet): void {
  const { institute, branch, receiptNumber, issuedAt, isCancelled, student, payer } = sheet.receipt
  write(sheet, institute, { ...STRONG, size: 20 })
  write(sheet, branch ?? '', { ...QUIET, size: 11 })
  write(sheet, 'Fee receipt', { ...STRONG, size: 14, color: GREEN })
  if (isCancelled !== null) {
    const when = `CANCELLED on ${formatMoment(isCancelled.at)}. This receipt is no longer valid.`
    write(sheet, when, { ...STRONG, size: 11, color: RED })
    write(sheet, `Reason: ${isCancelled.reason}`, { ...BODY, color: RED })
  }
  rule(sheet, INK)
  writePairs(sheet, { 'Receipt no.': receiptNumber }, { Date: formatMoment(issuedAt) })
  rule(sheet)
  const ofPayer = { 'Paid by': payer.name, Phone: payer.phone, Email: payer.email }
  const ofClass = { Class: student.grade, 'Academic year': student.academicYear }
  writePairs(sheet, { Student: student.name, 'Student ID': student.identifier, ...ofClass }, ofPayer)
  sheet.y += 14
}

function writeBody(sheet: Sheet): void {
  const { lines, totalPaise, mode, transactionId, orderId } = sheet.receipt
  const writeTitles = (): void => writeAmount(sheet, ['For', 'Amount'], { ...STRONG, color: MUTED })
  reserve(sheet, 60)
  writeTitles()
  for (const { label, amountPaise } of lines) {
    if (reserve(sheet, heightOf(sheet.doc, { text: label, place: LABEL, style: BODY }) + 8)) writeTitles()
    writeAmount(sheet, [label, formatRupees(amountPaise)], BODY)
  }
  reserve(sheet, 80)
  writeAmount(sheet, ['Total paid', formatRupees(totalPaise)], { ...STRONG, size: 12 })
  write(sheet, rupeesInWords(totalPaise), BODY)
  sheet.y += 14
  reserve(sheet, 80)
  rule(sheet)
  writePairs(sheet, { 'Paid through': mode, Order: orderId }, { Transaction: transactionId })
  sheet.y += 8
  write(sheet, 'Made by computer; needs no signature.', SMALL)
}

function numberPages({ doc, receipt }: Sheet): void {
  const { count } = doc.bufferedPageRange()
  const text = `Receipt ${tidy(receipt.receiptNumber).slice(0, 40)}`
  for (let page = 0; page < count; page += 1) {
    doc.switchToPage(page)
    put(doc, { text, place: LABEL, style: SMALL }, PAGE.footer)
    put(doc, { text: `Page ${page + 1} of ${count}`, place: AMOUNT, style: SMALL }, PAGE.footer)
  }
}

function writeAmount(sheet: Sheet, texts: readonly [string, string], style: Style): void {
  const cells = texts.map((text, column) => ({ text, place: column === 0 ? LABEL : AMOUNT, style }))
  writeRow(sheet, cells)
  rule(sheet)
}

/** Labels and values in two columns; those that are not known are left out. */
function writePairs(sheet: Sheet, ...pair: Record<string, string | null>[]): void {
  const columns = pair.map(values => Object.entries(values).filter(([, value]) => tidy(value) !== ''))
  for (let row = 0; row < Math.max(...columns.map(rows => rows.length)); row += 1) {
    const cells = columns.flatMap((rows, column): Cell[] => {
      const [label, value] = rows[row] ?? ['', '']
      const x = WHOLE.x + column * 250
      const name = { text: label, place: { x, width: 80 }, style: QUIET }
      return [name, { text: value ?? '', place: { x: x + 84, width: 157 }, style: STRONG }]
    })
    writeRow(sheet, cells)
  }
}

function write(sheet: Sheet, text: string, style: Style): void {
  writeRow(sheet, [{ text, place: WHOLE, style }])
}

function writeRow(sheet: Sheet, cells: readonly Cell[]): void {
  const height = Math.max(...cells.map(cell => heightOf(sheet.doc, cell)))
  reserve(sheet, height)
  for (const cell of cells) put(sheet.doc, cell, sheet.y)
  sheet.y += height
}

/** Goes to a new page, and says so, when this one has no room left. */
function reserve(sheet: Sheet, height: number): boolean {
  const isFull = sheet.y + height > PAGE.bottom
  if (isFull) openPage(sheet)
  return isFull
}

function rule(sheet: Sheet, color = '#d5d9e2'): void {
  sheet.doc.rect(WHOLE.x, sheet.y + 3, WHOLE.width, 0.75).fill(color)
  sheet.y += 6
}

function heightOf(doc: PDFKit.PDFDocument, { text, place, style }: Cell): number {
  const shown = tidy(text)
  if (shown === '') return 0
  if (!PLAIN.test(shown)) return breakLines(doc, shown, style, place.width).length * lineHeight(doc, style)
  return useFont(doc, MAIN_FONT, style).heightOfString(shown, place)
}

function lineHeight(doc: PDFKit.PDFDocument, style: Style): number {
  return useFont(doc, MAIN_FONT, style).currentLineHeight(true) + LINE_GAP
}

/** Glyphs of Indian scripts stand in another order than their letters, so the letters go along for copying. */
function put(doc: PDFKit.PDFDocument, { text, place, style }: Cell, y: number): void {
  const shown = tidy(text)
  if (PLAIN.test(shown)) {
    useFont(doc, MAIN_FONT, style).fillColor(style.color).text(shown, place.x, y, place)
    return
  }
  doc.markContent('Span', { actual: shown })
  const lines = breakLines(doc, shown, style, place.width)
  drawLines(doc, lines, style, { x: place.x, y, lineHeight: lineHeight(doc, style) })
  doc.endMarkedContent()
}

/** Text on one line and in bounds; of what cannot be seen only the joiners of Indian scripts stay. */
function tidy(text: string | null): string {
  const visible = (text ?? '').toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '')
  const line = visible.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…`
}
