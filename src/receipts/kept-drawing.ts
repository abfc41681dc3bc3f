import { placeFont, type Style } from './mixed-text.ts'
import { isBasic } from './fonts/shaper.ts'
import { MAIN_FONT, type Weight } from './script-runs.ts'
import { tidy, write, type Sheet } from './sheet.ts'

/** Lines as drawn on a page: their operators, the fonts in the order of their use, and where the drawing ends. */
type Drawing = { content: Buffer; weights: readonly Weight[]; bottom: number }

type Line = { text: string; style: Style }

const MAX_KEPT = 500

/** Keys are place and text; the oldest comes first. */
const kept = new Map<string, Drawing>()

/** Writes lines that stand at the same place on many papers, such as those of a school: they are drawn once. */
export function writeAlike(sheet: Sheet, lines: readonly Line[]): void {
  const { width, height, margin, scale } = sheet.paper
  const key = JSON.stringify([width, height, margin, scale, sheet.y, lines])
  const known = kept.get(key)
  if (known === undefined) draw(sheet, lines, key)
  else drawAgain(sheet, known)
}

function draw(sheet: Sheet, lines: readonly Line[], key: string): void {
  const { page } = sheet.doc
  const from = contentOf(page).length
  for (const { text, style } of lines) write(sheet, text, style)
  const shown = lines.map(line => ({ ...line, text: tidy(line.text) })).filter(({ text }) => text !== '')
  // Other glyphs have numbers of their own in each file, and a page break is not to be repeated.
  if (sheet.doc.page !== page || !shown.every(({ text }) => isBasic(text))) return
  if (kept.size >= MAX_KEPT) kept.delete([...kept.keys()][0] ?? '')
  const weights = [...new Set(shown.map(({ style }) => style.font))]
  kept.set(key, { content: Buffer.concat(contentOf(page).slice(from)), weights, bottom: sheet.y })
}

function drawAgain(sheet: Sheet, { content, weights, bottom }: Drawing): void {
  const { doc } = sheet
  for (const weight of weights) placeFont(doc, MAIN_FONT, weight)
  doc.page.write(content)
  sheet.y = bottom
}

/** What was written on it so far, in parts. */
function contentOf(page: PDFKit.PDFPage): readonly Uint8Array[] {
  return (page.content as unknown as { buffer: Uint8Array[] }).buffer
}
