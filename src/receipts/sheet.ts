import Pdf from 'pdfkit'
import { once } from 'node:events'
import { breakLines, drawLines, freeBefore, useFont, type Style } from './mixed-text.ts'
import type { Paper } from './receipt-papers.ts'
import { MAIN_FONT } from './script-runs.ts'
import { largestOf } from '../platform/lists.ts'
import { create } from 'qrcode'

type Doc = PDFKit.PDFDocument

/** A document that is written from top to bottom. */
export type Sheet = {
  doc: Doc
  y: number
  paper: Paper
  /** Drawn on every page before anything else, so that no page can be shown without it. */
  mark: (sheet: Sheet) => void
}
type CellPosition = { x: number; width: number; align?: 'right' | 'center' }
export type Cell = { text: string; place: CellPosition; style: Style }

export const [INK, MUTED, GREEN, AMBER, RED] = ['#14213d', '#596275', '#0b6e4f', '#8a5300', '#b3261e']
export const BODY: Style = { font: 'regular', size: 10, color: INK }
export const STRONG: Style = { ...BODY, font: 'bold' }
export const QUIET: Style = { ...BODY, color: MUTED }
export const SMALL: Style = { ...QUIET, size: 8.5 }
/** The space between columns. */
const GAP = 4
const LINE_GAP = -2
/** Longer texts are cut, so that one field cannot fill pages. */
const MAX_CHARACTERS = 500
const PLAIN = /^[[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]--\p{Extended_Pictographic}]*$/v
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\s\u200c\u200d]]/gv

type SheetOptions = { title: string; createdAt: Date; paper: Paper; mark: Sheet['mark'] }

/** What the library would take from its clock is given, so that the same document gives the same bytes. */
export function openSheet({ title, createdAt, paper, mark }: SheetOptions): Sheet {
  const info = { Title: tidy(title), Creator: 'Bursar', Producer: 'Bursar', CreationDate: createdAt }
  const size: [number, number] = [paper.width, paper.height]
  const pages = { size, margin: 0, autoFirstPage: false, bufferPages: true }
  const doc = new Pdf({ ...pages, pdfVersion: '1.7', lang: 'en-IN', font: '', info }).lineGap(LINE_GAP)
  const sheet: Sheet = { doc, y: 0, paper, mark }
  openPage(sheet)
  return sheet
}

/** The file, once all of it is written. The readers of streams that Node has take longer for it than drawing the text. */
export async function closeSheet({ doc }: Sheet): Promise<Buffer> {
  const parts: Buffer[] = []
  doc.on('data', (part: Buffer) => parts.push(part)).end()
  await once(doc, 'end')
  return Buffer.concat(parts)
}

export function openPage(sheet: Sheet): void {
  sheet.doc.addPage()
  sheet.y = sheet.paper.top
  sheet.mark(sheet)
}

export function markSandbox(sheet: Sheet, text: string): void {
  sheet.doc.rect(0, 0, sheet.paper.width, 30).fill('#ffe9b8')
  put(sheet, { text, place: wholeOf(sheet.paper), style: { ...STRONG, color: AMBER } }, 7)
}

/** How many pages it has, those that have left the process among them. */
export function countPages({ doc }: Sheet): number {
  const { start, count } = doc.bufferedPageRange()
  return start + count
}

/** Numbers every page from that one on, once all are written. */
export function numberPages(sheet: Sheet, title: string, from = 0): void {
  const { doc, paper } = sheet
  if (paper.footer === null) return
  const count = countPages(sheet)
  for (let page = from; page < count; page += 1) {
    doc.switchToPage(page)
    put(sheet, { text: tidy(title).slice(0, 60), place: labelOf(paper), style: SMALL }, paper.footer)
    const number = `Page ${page - from + 1} of ${count - from}`
    put(sheet, { text: number, place: amountOf(paper), style: SMALL }, paper.footer)
  }
}

export function wholeOf({ margin, width }: Paper): CellPosition {
  return { x: margin, width: width - 2 * margin }
}

export function labelOf({ margin, label }: Paper): CellPosition {
  return { x: margin, width: label }
}

function amountOf({ margin, width, amount }: Paper): CellPosition {
  return { x: width - margin - amount, width: amount, align: 'right' }
}

export function writeAmount(sheet: Sheet, texts: readonly [string, string], style: Style): void {
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
export function writePairs(sheet: Sheet, ...pair: Record<string, string | null>[]): void {
  const { margin, width, name, value: valueWidth, pairColumns } = sheet.paper
  const known = pair.map(values => Object.entries(values).filter(([, value]) => tidy(value) !== ''))
  const columns = pairColumns === 1 ? [known.flat()] : known
  const step = (width - 2 * margin + GAP) / 2
  for (let row = 0; row < largestOf(columns.map(rows => rows.length)); row += 1) {
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

export function write(sheet: Sheet, text: string, style: Style): void {
  writeRow(sheet, [{ text, place: wholeOf(sheet.paper), style }])
}

export function writeRow(sheet: Sheet, cells: readonly Cell[]): void {
  const laid = cells.map(cell => lay(sheet, cell))
  const height = largestOf(laid.map(one => one.height))
  reserve(sheet, height)
  for (const one of laid) one.draw(sheet.y)
  sheet.y += height
}

/** Goes to a new page, and says so, when this one has no room left. */
export function reserve(sheet: Sheet, height: number): boolean {
  const isFull = sheet.y + height > sheet.paper.bottom
  if (isFull) openPage(sheet)
  return isFull
}

export function rule(sheet: Sheet, color = '#d5d9e2'): void {
  const { x, width } = wholeOf(sheet.paper)
  sheet.doc.rect(x, sheet.y + 3, width, 0.75).fill(color)
  sheet.y += 6
}

export function heightOf(sheet: Sheet, cell: Cell): number {
  return lay(sheet, cell).height
}

export function put(sheet: Sheet, cell: Cell, y: number): void {
  lay(sheet, cell).draw(y)
}

/** Text that is measured, and may be drawn at some height. */
type LaidOutBlock = { height: number; draw: (y: number) => void }

const NOTHING: LaidOutBlock = { height: 0, draw: () => {} }
/** The library rounds the widths of words: what nearly fills its line is left to it to break. */
const SLACK = 0.1

function lay({ doc, paper }: Sheet, { text, place, style: { size, ...rest } }: Cell): LaidOutBlock {
  const style = { ...rest, size: size * paper.scale }
  const shown = tidy(text)
  if (shown === '') return NOTHING
  if (!PLAIN.test(shown)) return layMixed(doc, shown, place, style)
  const width = useFont(doc, MAIN_FONT, style).widthOfString(shown)
  const free = place.width - width
  const use = (): Doc => useFont(doc, MAIN_FONT, style).fillColor(style.color)
  if (free < SLACK)
    return {
      height: doc.heightOfString(shown, place),
      draw: y => use().text(shown, place.x, y, place),
    }
  const x = place.x + freeBefore(free, place.align)
  return { height: lineHeight(doc, style), draw: y => use().text(shown, x, y, { lineBreak: false }) }
}

/** Glyphs of Indian scripts stand in another order than their letters, so the letters go along for copying. */
function layMixed(doc: Doc, shown: string, place: CellPosition, style: Style): LaidOutBlock {
  const lines = breakLines(doc, shown, style, place.width)
  const height = lineHeight(doc, style)
  return {
    height: lines.length * height,
    draw(y) {
      doc.markContent('Span', { actual: shown })
      drawLines(doc, lines, style, { ...place, y, lineHeight: height })
      doc.endMarkedContent()
    },
  }
}

function lineHeight(doc: Doc, style: Style): number {
  return useFont(doc, MAIN_FONT, style).currentLineHeight(true) + LINE_GAP
}

/** Text on one line and in bounds; of what cannot be seen only the joiners of Indian scripts stay. */
export function tidy(text: string | null): string {
  const visible = (text ?? '').toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '')
  const line = visible.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…`
}

/** Draws a code of this size with its corner at a place. Dark modules side by side are one rectangle. */
export function drawCode(
  sheet: Sheet,
  code: string,
  { x, y, side }: { x: number; y: number; side: number },
): void {
  const { doc } = sheet
  const { size, data } = create(code, { errorCorrectionLevel: 'M' }).modules
  const module = side / size
  doc.save().fillColor(INK)
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size;) {
      const from = column
      while (column < size && data[row * size + column] === 1) column += 1
      if (column === from) column += 1
      else doc.rect(x + from * module, y + row * module, (column - from) * module, module)
    }
  doc.fill().restore()
}
