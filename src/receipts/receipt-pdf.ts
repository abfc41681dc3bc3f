import { buffer } from 'node:stream/consumers'
import Pdf from 'pdfkit'
import { rupeesInWords } from '../platform/amount-in-words.ts'
import { dayOf, formatDay, formatMoment } from '../platform/calendar.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import { breakLines, drawLines, useFont, type Style } from './mixed-text.ts'
import { PAPER, type Paper, type PaperName } from './receipt-papers.ts'
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
  /** Where it is not the day of issue. */
  paidAt: Date | null
  /** None for money that was taken at the counter. */
  orderId: string | null
  /** Who took it at the counter. */
  receivedBy: string | null
  isCancelled: { at: Date; reason: string } | null
  isSandbox: boolean
}

export type ReceiptPrint = ReceiptDocument & {
  paper: PaperName
  /** Printed once more, and marked as such. */
  isDuplicate: boolean
}

type Doc = PDFKit.PDFDocument
type Sheet = { doc: Doc; y: number; receipt: ReceiptPrint; paper: Paper }
type Place = { x: number; width: number; align?: 'right' | 'center' }
type Cell = { text: string; place: Place; style: Style }

const [INK, MUTED, GREEN, AMBER, RED] = ['#14213d', '#596275', '#0b6e4f', '#8a5300', '#b3261e']
const BODY: Style = { font: 'regular', size: 10, color: INK }
const STRONG: Style = { ...BODY, font: 'bold' }
const QUIET: Style = { ...BODY, color: MUTED }
const SMALL: Style = { ...QUIET, size: 8.5 }
/** Between columns. */
const GAP = 4
const LINE_GAP = -2
const MAX_CHARACTERS = 500
const PLAIN = /^[[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]--\p{Extended_Pictographic}]*$/v
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\s\u200c\u200d]]/gv
/** The same receipt gives the same bytes: what the library would take from its clock comes from the receipt. */
export async function renderReceipt(receipt: ReceiptPrint): Promise<Buffer> {
  const paper = PAPER[receipt.paper]
  const isRoll = paper.footer === null
  const { doc } = draw(receipt, isRoll ? { ...paper, height: draw(receipt, paper).y + paper.top } : paper)
  doc.end()
  return buffer(doc)
}

function draw(receipt: ReceiptPrint, paper: Paper): Sheet {
  const Title = `Receipt ${tidy(receipt.receiptNumber)}`
  const info = { Title, Creator: 'Bursar', Producer: 'Bursar', CreationDate: receipt.issuedAt }
  const size: [number, number] = [paper.width, paper.height]
  const pages = { size, margin: 0, autoFirstPage: false, bufferPages: true }
  const doc = new Pdf({ ...pages, pdfVersion: '1.7', lang: 'en-IN', font: '', info }).lineGap(LINE_GAP)
  const sheet: Sheet = { doc, y: 0, receipt, paper }
  openPage(sheet)
  writeHead(sheet)
  writeBody(sheet)
  numberPages(sheet)
  return sheet
}

function wholeOf({ margin, width }: Paper): Place {
  return { x: margin, width: width - 2 * margin }
}

function labelOf({ margin, label }: Paper): Place {
  return { x: margin, width: label }
}

function amountOf({ margin, width, amount }: Paper): Place {
  return { x: width - margin - amount, width: amount, align: 'right' }
}

/** Every page carries the marks, so that none can be shown alone as a good receipt. */
function openPage(sheet: Sheet): void {
  const { doc, receipt, paper } = sheet
  const { width } = paper
  doc.addPage()
  sheet.y = paper.top
  if (receipt.isCancelled !== null) {
    const middle = Math.min(paper.height, width * Math.SQRT2) / 2
    doc
      .save()
      .rotate(-50, { origin: [width / 2, middle] })
      .fillOpacity(0.1)
    const style: Style = { font: 'bold', size: (96 * width) / 595 / paper.scale, color: RED }
    put(
      sheet,
      { text: 'CANCELLED', place: { x: 0, width, align: 'center' }, style },
      middle - 81 * (width / 595),
    )
    doc.restore()
  }
  if (receipt.isSandbox) {
    doc.rect(0, 0, width, 30).fill('#ffe9b8')
    const text = 'SANDBOX — not a receipt for real money'
    put(sheet, { text, place: wholeOf(paper), style: { ...STRONG, color: AMBER } }, 7)
  }
}

function writeHead(sheet: Sheet): void {
  const { institute, branch, receiptNumber, issuedAt, isCancelled, student, payer } = sheet.receipt
  write(sheet, institute, { ...STRONG, size: 20 })
  write(sheet, branch ?? '', { ...QUIET, size: 11 })
  write(sheet, 'Fee receipt', { ...STRONG, size: 14, color: GREEN })
  if (sheet.receipt.isDuplicate) write(sheet, 'DUPLICATE COPY', { ...STRONG, color: AMBER })
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
  const { lines, totalPaise, mode, transactionId, orderId, paidAt, receivedBy } = sheet.receipt
  const writeTitles = (): void => writeAmount(sheet, ['For', 'Amount'], { ...STRONG, color: MUTED })
  reserve(sheet, 60)
  writeTitles()
  for (const { label, amountPaise } of lines) {
    const place = labelOf(sheet.paper)
    if (reserve(sheet, heightOf(sheet, { text: label, place, style: BODY }) + 8)) writeTitles()
    writeAmount(sheet, [label, formatRupees(amountPaise)], BODY)
  }
  reserve(sheet, 80)
  writeAmount(sheet, ['Total paid', formatRupees(totalPaise)], { ...STRONG, size: 12 })
  write(sheet, rupeesInWords(totalPaise), BODY)
  sheet.y += 14
  reserve(sheet, 80)
  rule(sheet)
  const paidOn = paidAt === null ? null : formatDay(dayOf(paidAt))
  writePairs(
    sheet,
    { 'Paid through': mode, Order: orderId, 'Received by': receivedBy },
    { Transaction: transactionId, 'Paid on': paidOn },
  )
  sheet.y += 8
  write(sheet, 'Made by computer; needs no signature.', SMALL)
}

function numberPages(sheet: Sheet): void {
  const { doc, receipt, paper } = sheet
  if (paper.footer === null) return
  const { count } = doc.bufferedPageRange()
  const text = `Receipt ${tidy(receipt.receiptNumber).slice(0, 40)}`
  for (let page = 0; page < count; page += 1) {
    doc.switchToPage(page)
    put(sheet, { text, place: labelOf(paper), style: SMALL }, paper.footer)
    const number = `Page ${page + 1} of ${count}`
    put(sheet, { text: number, place: amountOf(paper), style: SMALL }, paper.footer)
  }
}

function writeAmount(sheet: Sheet, texts: readonly [string, string], style: Style): void {
  const { paper } = sheet
  const cells = texts.map((text, column) => ({
    text,
    place: column === 0 ? labelOf(paper) : amountOf(paper),
    style,
  }))
  writeRow(sheet, cells)
  rule(sheet)
}

/** Names and values, in two columns where the paper has room; those that are not known are left out. */
function writePairs(sheet: Sheet, ...pair: Record<string, string | null>[]): void {
  const { margin, width, name, value: valueWidth, pairColumns } = sheet.paper
  const known = pair.map(values => Object.entries(values).filter(([, value]) => tidy(value) !== ''))
  const columns = pairColumns === 1 ? [known.flat()] : known
  const step = (width - 2 * margin + GAP) / 2
  for (let row = 0; row < Math.max(...columns.map(rows => rows.length)); row += 1) {
    const cells = columns.flatMap((rows, column): Cell[] => {
      const [label, value] = rows[row] ?? ['', '']
      const x = margin + Math.floor(column * step)
      return [
        { text: label, place: { x, width: name }, style: QUIET },
        { text: value ?? '', place: { x: x + name + GAP, width: valueWidth }, style: STRONG },
      ]
    })
    writeRow(sheet, cells)
  }
}

function write(sheet: Sheet, text: string, style: Style): void {
  writeRow(sheet, [{ text, place: wholeOf(sheet.paper), style }])
}

function writeRow(sheet: Sheet, cells: readonly Cell[]): void {
  const height = Math.max(...cells.map(cell => heightOf(sheet, cell)))
  reserve(sheet, height)
  for (const cell of cells) put(sheet, cell, sheet.y)
  sheet.y += height
}

/** Goes to a new page, and says so, when this one has no room left. */
function reserve(sheet: Sheet, height: number): boolean {
  const isFull = sheet.y + height > sheet.paper.bottom
  if (isFull) openPage(sheet)
  return isFull
}

function rule(sheet: Sheet, color = '#d5d9e2'): void {
  const { x, width } = wholeOf(sheet.paper)
  sheet.doc.rect(x, sheet.y + 3, width, 0.75).fill(color)
  sheet.y += 6
}

function heightOf({ doc, paper }: Sheet, { text, place, style: { size, ...rest } }: Cell): number {
  const style = { ...rest, size: size * paper.scale }
  const shown = tidy(text)
  if (shown === '') return 0
  if (!PLAIN.test(shown)) return breakLines(doc, shown, style, place.width).length * lineHeight(doc, style)
  return useFont(doc, MAIN_FONT, style).heightOfString(shown, place)
}

function lineHeight(doc: Doc, style: Style): number {
  return useFont(doc, MAIN_FONT, style).currentLineHeight(true) + LINE_GAP
}

/** Glyphs of Indian scripts stand in another order than their letters, so the letters go along for copying. */
function put({ doc, paper }: Sheet, { text, place, style: { size, ...rest } }: Cell, y: number): void {
  const style = { ...rest, size: size * paper.scale }
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
