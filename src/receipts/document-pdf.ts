import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { drawCards, type CardSheet } from './card-sheet.ts'
import { writeSchool } from './letterhead.ts'
import type { Letterhead } from './letterhead.service.ts'
import {
  drawCode,
  heightOf,
  BODY,
  closeSheet,
  countPages,
  INK,
  markSandbox,
  MUTED,
  numberPages,
  openPage,
  openSheet,
  QUIET,
  reserve,
  rule,
  STRONG,
  write,
  writePairs,
  writeRow,
  wholeOf,
  type Cell,
  type Sheet,
} from './sheet.ts'
import { largestOf } from '../platform/lists.ts'
import { CARDS_ON_A_PAGE, PAPER } from './receipt-papers.ts'

/** `width` is in parts of the sum of all. */
type DocumentColumn = { title: string; width: number; isAmount?: true }

export type DocumentBlock =
  | { kind: 'text'; text: string; isStrong?: boolean }
  | { kind: 'pairs'; left: Record<string, string | null>; right: Record<string, string | null> }
  | { kind: 'table'; columns: readonly DocumentColumn[]; rows: readonly string[][]; total?: string[] }
  /** What a phone reads off the paper, with what it is for beside it. */
  | { kind: 'qr'; code: string; label: string }
  /** What hangs on a wall: a large code, and what to do, in up to two languages side by side. */
  | {
      kind: 'poster'
      code: string
      columns: readonly { heading: string; steps: readonly string[] }[]
      foot: string
    }
  /** A new page with the school at its head, as for another reader. */
  | { kind: 'next'; title?: string }
  /** A line to write on, with what is meant to stand there below it. */
  | { kind: 'signature'; label: string }

/** A paper of the office that is not a receipt, on A4: a certificate, a deposit slip. */
export type DocumentPrint = {
  institute: string
  letterhead?: Letterhead
  branch: string | null
  title: string
  madeAt: Date
  blocks: readonly DocumentBlock[]
  isSandbox: boolean
}

/** The same document gives the same bytes. */
export async function renderDocument(print: DocumentPrint): Promise<Buffer> {
  const sheet = open(print)
  fillIn(sheet, print, 0)
  return closeSheet(sheet)
}

/** Papers of many families in one file, made and given out part by part. */
export class Pile {
  #sheet: Sheet | null = null
  #parts: Buffer[] = []

  add(paper: DocumentPrint | CardSheet): void {
    const known = this.#sheet
    const sheet = known ?? this.#open(paper)
    const from = known === null ? 0 : countPages(sheet)
    if (known !== null) openPage(sheet)
    if ('cards' in paper) drawCards(sheet, paper.cards.slice(0, CARDS_ON_A_PAGE))
    else fillIn(sheet, paper, from)
  }

  /** What is finished of the file since it was asked last. */
  async take(): Promise<Buffer> {
    this.#sheet?.doc.flushPages()
    await nextTurn()
    return this.#taken()
  }

  async end(): Promise<Buffer> {
    if (this.#sheet === null) throw new Error('there is nothing to print')
    const { doc } = this.#sheet
    doc.end()
    await once(doc, 'end')
    return this.#taken()
  }

  #taken(): Buffer {
    const parts = Buffer.concat(this.#parts)
    this.#parts = []
    return parts
  }

  #open(paper: DocumentPrint | CardSheet): Sheet {
    const sheet = open(paper)
    sheet.doc.on('data', (part: Buffer) => this.#parts.push(part))
    this.#sheet = sheet
    return sheet
  }
}

function open({ title, madeAt, isSandbox }: DocumentPrint | CardSheet): Sheet {
  const mark = (page: Sheet): void => {
    if (isSandbox) markSandbox(page, 'SANDBOX — no real money')
  }
  return openSheet({ title, createdAt: madeAt, paper: PAPER.a4, mark })
}

function fillIn(sheet: Sheet, print: DocumentPrint, from: number): void {
  const { title, blocks } = print
  writeSchool(sheet, print, title)
  rule(sheet, INK)
  for (const block of blocks) {
    if (block.kind === 'next') {
      openPage(sheet)
      writeSchool(sheet, print, block.title ?? title)
      rule(sheet, INK)
    } else writeBlock(sheet, block)
  }
  numberPages(sheet, title, from)
}

function writeBlock(sheet: Sheet, block: Exclude<DocumentBlock, { kind: 'next' }>): void {
  switch (block.kind) {
    case 'text':
      write(sheet, block.text, block.isStrong === true ? STRONG : BODY)
      break
    case 'pairs':
      writePairs(sheet, block.left, block.right)
      break
    case 'table':
      writeTable(sheet, block)
      break
    case 'signature':
      reserve(sheet, 70)
      sheet.y += 46
      rule(sheet, INK)
      write(sheet, block.label, QUIET)
      break
    case 'qr':
      writeQr(sheet, block)
      break
    case 'poster':
      writePoster(sheet, block)
      break
    default:
      block satisfies never
  }
  sheet.y += 8
}

function writeTable(sheet: Sheet, { columns, rows, total }: Extract<DocumentBlock, { kind: 'table' }>): void {
  const titles = columns.map(column => column.title)
  const writeTitles = (): void => writeCells(sheet, columns, titles, { ...STRONG, color: MUTED })
  reserve(sheet, 60)
  writeTitles()
  for (const row of rows) {
    if (reserve(sheet, 24)) writeTitles()
    writeCells(sheet, columns, row, BODY)
  }
  if (total !== undefined) writeCells(sheet, columns, total, STRONG)
}

const GAP = 8

function writeCells(
  sheet: Sheet,
  columns: readonly DocumentColumn[],
  texts: readonly string[],
  style: Cell['style'],
): void {
  const whole = wholeOf(sheet.paper)
  const parts = columns.reduce((sum, column) => sum + column.width, 0)
  const room = whole.width - GAP * (columns.length - 1)
  let x = whole.x
  const cells = columns.map(({ width, isAmount }, index): Cell => {
    const place = { x, width: (room * width) / parts, ...(isAmount && { align: 'right' as const }) }
    x += place.width + GAP
    return { text: texts[index] ?? '', place, style }
  })
  writeRow(sheet, cells)
  rule(sheet)
}

const POSTER = {
  code: 300,
  gap: 18,
  heading: { ...STRONG, size: 20 },
  step: { ...BODY, size: 12 },
  foot: { ...QUIET, size: 12 },
}

/** The code takes what the words leave of the page. */
function writePoster(
  sheet: Sheet,
  { code, columns, foot }: Extract<DocumentBlock, { kind: 'poster' }>,
): void {
  const { gap } = POSTER
  const whole = wholeOf(sheet.paper)
  const width = (whole.width - gap * (columns.length - 1)) / columns.length
  const rowOf = (texts: readonly string[], style: Cell['style']): Cell[] =>
    texts.map((text, column) => ({ text, place: { x: whole.x + column * (width + gap), width }, style }))
  const headings = columns.map((one): Cell[] => [{ text: one.heading, place: whole, style: POSTER.heading }])
  const count = largestOf(columns.map(one => one.steps.length))
  const steps = Array.from({ length: count }, (_, step) =>
    rowOf(
      columns.map(one => one.steps[step] ?? ''),
      POSTER.step,
    ),
  )
  const last: Cell[] = [{ text: foot, place: whole, style: POSTER.foot }]
  const heights = [...headings, ...steps, last].map(cells =>
    largestOf(cells.map(cell => heightOf(sheet, cell))),
  )
  const taken = heights.reduce((sum, height) => sum + height, 0) + gap * (3 + count)
  const side = Math.min(POSTER.code, sheet.paper.bottom - sheet.y - taken)
  sheet.y += gap
  for (const heading of headings) writeRow(sheet, heading)
  sheet.y += gap
  drawCode(sheet, code, { x: (sheet.paper.width - side) / 2, y: sheet.y, side })
  sheet.y += side + gap
  for (const step of steps) {
    writeRow(sheet, step)
    sheet.y += gap / 2
  }
  sheet.y += gap / 2
  writeRow(sheet, last)
}

const QR_SIZE = 96

function writeQr(sheet: Sheet, { code, label }: Extract<DocumentBlock, { kind: 'qr' }>): void {
  reserve(sheet, QR_SIZE + 24)
  drawCode(sheet, code, { x: wholeOf(sheet.paper).x, y: sheet.y, side: QR_SIZE })
  sheet.y += QR_SIZE + 6
  write(sheet, label, QUIET)
}
