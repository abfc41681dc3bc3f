import { placePaperFont, usePaperFont, type FontSource } from './fonts/paper-font.ts'
import { CHARACTERS, fontFile, MAIN_FONT, splitByScript, type ScriptRun, type Weight } from './script-runs.ts'

export type Style = { font: Weight; size: number; color: string }

type Doc = PDFKit.PDFDocument
type Word = ScriptRun[]

/** Mukta's ascent in parts of the size; the other fonts are lower, so all stand on its baseline in its lines. */
const ASCENT = 1.13

/** A font is read when a process first uses it. */
export function useFont(doc: Doc, script: ScriptRun['script'], { font, size }: Style): Doc {
  return usePaperFont(doc, sourceOf(script, font), size)
}

/** Makes a font known to the page, for what was drawn with it before. */
export function placeFont(doc: Doc, script: ScriptRun['script'], weight: Weight): void {
  placePaperFont(doc, sourceOf(script, weight))
}

const LATIN_IDS = { regular: 'F1', bold: 'F2' }
const sources = new Map<ScriptRun['script'], Partial<Record<Weight, FontSource>>>()

function sourceOf(script: ScriptRun['script'], weight: Weight): FontSource {
  const known = sources.getOrInsertComputed(script, () => ({}))
  const latinId = script === MAIN_FONT ? LATIN_IDS[weight] : null
  const name = latinId ?? `${script.family} ${weight}`
  return (known[weight] ??= { name, path: fontFile(script, weight), latinId })
}

/** Breaks text of any scripts into lines, which the library can only do with text of one font. */
export function breakLines(doc: Doc, text: string, style: Style, width: number): Word[][] {
  const space = widthOf(doc, [{ text: ' ', script: MAIN_FONT }], style)
  const lines: Word[][] = []
  let left = 0
  for (const word of text.split(' ').flatMap(part => pieces(doc, splitByScript(part), style, width))) {
    const needed = widthOf(doc, word, style)
    const line = lines.at(-1)
    if (line !== undefined && space + needed <= left) {
      line.push(word)
      left -= space + needed
    } else {
      lines.push([word])
      left = width - needed
    }
  }
  return lines
}

/** The word itself, or as many parts as a word needs that is wider than a line. */
function pieces(doc: Doc, word: Word, style: Style, width: number): Word[] {
  if (widthOf(doc, word, style) <= width) return [word]
  const parts: Word[] = []
  let left = 0
  for (const { text, script } of word)
    for (const { segment } of CHARACTERS.segment(text)) {
      const needed = widthOf(doc, [{ text: segment, script }], style)
      const part = parts.at(-1)
      const run = part?.at(-1)
      if (part === undefined || needed > left) {
        parts.push([{ text: segment, script }])
        left = width - needed
        continue
      }
      if (run?.script === script) run.text += segment
      else part.push({ text: segment, script })
      left -= needed
    }
  return parts
}

/** Lines begin at the left unless `align` says otherwise. */
type Block = { x: number; y: number; width: number; align?: 'right' | 'center'; lineHeight: number }

/** Draws them from a place on; the library places each run by itself. */
export function drawLines(
  doc: Doc,
  lines: readonly Word[][],
  style: Style,
  { x, y, width, align, lineHeight }: Block,
): void {
  const space = widthOf(doc, [{ text: ' ', script: MAIN_FONT }], style)
  for (const [no, line] of lines.entries()) {
    const free = width - line.reduce((sum, word) => sum + widthOf(doc, word, style) + space, -space)
    let at = x + freeBefore(free, align)
    for (const word of inVisualOrder(line)) {
      for (const run of word) {
        useFont(doc, run.script, style).fillColor(style.color)
        const baseline = y + no * lineHeight + ASCENT * style.size
        doc.text(run.text, at, baseline, {
          lineBreak: false,
          baseline: 'alphabetic',
          ...featuresFor(doc, run.text),
        })
        at += widthOf(doc, [run], style)
      }
      at += space
    }
  }
}

/** How much of what a line leaves free stands before it. */
export function freeBefore(free: number, align: Block['align']): number {
  return { left: 0, center: free / 2, right: free }[align ?? 'left']
}

/** Neighbouring words that are written from right to left stand in that order; the letters of each come so from the font. */
function inVisualOrder(line: readonly Word[]): Word[] {
  const ordered: Word[] = []
  let insertAt = 0
  for (const word of line) {
    const isReversed = word.every(run => run.script.isRightToLeft === true)
    if (isReversed) ordered.splice(insertAt, 0, word)
    else {
      ordered.push(word)
      insertAt = ordered.length
    }
  }
  return ordered
}

function widthOf(doc: Doc, word: Word, style: Style): number {
  return word.reduce((sum, { text, script }) => {
    useFont(doc, script, style)
    return sum + doc.widthOfString(text, featuresFor(doc, text))
  }, 0)
}

/**
 * The shaper fails where a font has no anchor for a mark above a letter, which the standard allows. Such a word goes
 * without these anchors: its marks then stand where the font draws them.
 */
function featuresFor(doc: Doc, text: string): PDFKit.Mixins.TextOptions {
  try {
    doc.widthOfString(text)
    return {}
  } catch {
    return { features: { abvm: false } as never }
  }
}
