import { drawCode, BODY, heightOf, put, QUIET, SMALL, STRONG, tidy, type Sheet, type Cell } from './sheet.ts'

/** What a student carries: who it is, and a code that leads to what is to be paid. */
type Card = { school: string; name: string; lines: readonly string[]; code: string; scan: string }

/** A page of cards to be cut out. */
export type CardSheet = { title: string; madeAt: Date; cards: readonly Card[]; isSandbox: boolean }

const COLUMNS = 2

/** Measures in points: a card is 85 by 53 mm, as bank cards are. */
const CARD = { width: 241, height: 150, inset: 12 }
const CODE_SIDE = 92
const GAP = 8
/** Below the band that says that a page is of a sandbox. */
const TOP = 34
/** Characters for which a card has room: across it, in three lines and in one line beside the code. */
const LONGEST = { line: 44, name: 36, beside: 20 }
const CODE_TOP = 25

export function drawCards(sheet: Sheet, cards: readonly Card[]): void {
  const left = (sheet.paper.width - COLUMNS * CARD.width - GAP) / 2
  for (const [no, card] of cards.entries()) {
    const x = left + (no % COLUMNS) * (CARD.width + GAP)
    const y = TOP + Math.floor(no / COLUMNS) * (CARD.height + GAP)
    drawCard(sheet, card, { x, y })
  }
}

function drawCard(
  sheet: Sheet,
  { school, name, lines, code, scan }: Card,
  { x, y }: { x: number; y: number },
): void {
  const { width, height, inset } = CARD
  sheet.doc
    .save()
    .lineWidth(0.5)
    .strokeColor('#aab1c0')
    .roundedRect(x, y, width, height, 6)
    .stroke()
    .restore()
  const [from, room] = [x + inset, width - 2 * inset]
  const beside = room - CODE_SIDE - GAP
  const write = (text: string, style: Cell['style'], at: { y: number; width: number }): number => {
    const cell = { text, place: { x: from, width: at.width }, style }
    put(sheet, cell, at.y)
    return at.y + heightOf(sheet, cell)
  }
  write(shorten(school, LONGEST.line), { ...QUIET, size: 9 }, { y: y + 8, width: room })
  let next = write(shorten(name, LONGEST.name), { ...STRONG, size: 12 }, { y: y + CODE_TOP, width: beside })
  for (const line of lines) next = write(shorten(line, LONGEST.beside), BODY, { y: next, width: beside })
  write(scan, SMALL, { y: y + CODE_TOP + CODE_SIDE + 3, width: room })
  drawCode(sheet, code, { x: x + width - inset - CODE_SIDE, y: y + CODE_TOP, side: CODE_SIDE })
}

function shorten(text: string, most: number): string {
  const line = tidy(text)
  return line.length <= most ? line : `${line.slice(0, most).toWellFormed()}…`
}
