import type { Letterhead } from './letterhead.service.ts'
import { GREEN, QUIET, SMALL, STRONG, type Sheet, tidy, write } from './sheet.ts'
import { placeFont, type Style } from './mixed-text.ts'
import { isBasic } from './fonts/shaper.ts'
import { MAIN_FONT, type Weight } from './script-runs.ts'
import { deflateSync } from 'node:zlib'
import { readLogo, splitOpacity } from '../institutes/school/logo-picture.ts'

type HeadedPaper = { institute: string; branch: string | null; letterhead?: Letterhead }

const NONE: Letterhead = { lines: [], color: null, logo: null }

/** The head of every paper: whose it is, and what it is. */
export function writeSchool(
  sheet: Sheet,
  { institute, branch, letterhead = NONE }: HeadedPaper,
  title: string,
): void {
  const { lines, color, logo } = letterhead
  if (logo !== null) drawLogo(sheet, logo)
  writeAlike(sheet, [
    { text: institute, style: { ...STRONG, size: 20 } },
    { text: branch ?? '', style: { ...QUIET, size: 11 } },
    ...lines.map(text => ({ text, style: SMALL })),
    { text: title, style: { ...STRONG, size: 14, color: color ?? GREEN } },
  ])
}

/** How base64 of a JPEG begins; schools could upload them once. */
const JPEG = '/9j/'

/** A picture that cannot be read keeps nobody from a receipt. */
function drawLogo(sheet: Sheet, logo: string): void {
  const { doc, paper } = sheet
  const image = logo.startsWith(JPEG) ? `data:image;base64,${logo}` : logoImage(doc, logo)
  if (image === null) return
  const height = 44 * paper.scale
  try {
    doc.image(image, paper.margin, sheet.y, { fit: [160 * paper.scale, height] })
    sheet.y += height + 6
  } catch {
    return
  }
}

/** Lines as drawn on a page: their operators, the fonts in the order of their use, and where the drawing ends. */
type Drawing = { content: Buffer; weights: readonly Weight[]; bottom: number }

type Line = { text: string; style: Style }

/** Some lines for each of the schools that one process prints for. */
const MAX_DRAWINGS = 500

/** Keys are place and text; the oldest comes first. */
const drawings = new Map<string, Drawing>()

/** Writes lines that stand at the same place on many papers, such as those of a school: they are drawn once. */
function writeAlike(sheet: Sheet, lines: readonly Line[]): void {
  const { width, height, margin, scale } = sheet.paper
  const key = JSON.stringify([width, height, margin, scale, sheet.y, lines])
  const known = drawings.get(key)
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
  if (drawings.size >= MAX_DRAWINGS) drawings.delete([...drawings.keys()][0] ?? '')
  const weights = [...new Set(shown.map(({ style }) => style.font))]
  drawings.set(key, { content: Buffer.concat(contentOf(page).slice(from)), weights, bottom: sheet.y })
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

type Doc = PDFKit.PDFDocument

/** What a PDF holds of a picture, compressed. */
type LogoData = { width: number; height: number; colors: Buffer; opacities: Buffer | null }

const MAX_LOGO_BYTES = 8_000_000

/** Keys are pictures, the one used last at the end; null for one that cannot be drawn. */
const logos = new Map<string, LogoData | null>()
let keptBytes = 0

/** One of each document, so that a logo stands in it once, however often it is drawn. */
const placed = new WeakMap<Doc, Map<string, PDFKit.Mixins.ImageSrc | null>>()

/** The picture, base64, for `image` of this document. Null where it cannot be drawn. */
function logoImage(doc: Doc, logo: string): PDFKit.Mixins.ImageSrc | null {
  const own = placed.getOrInsertComputed(doc, () => new Map())
  return own.getOrInsertComputed(logo, () => {
    const data = prepare(logo)
    return data === null ? null : (new LogoImage(data, `L${own.size + 1}`) as never)
  })
}

function prepare(logo: string): LogoData | null {
  let data = logos.get(logo)
  if (data === undefined) {
    data = read(Buffer.from(logo, 'base64'))
    keptBytes += bytesOf(logo, data)
  }
  logos.delete(logo)
  logos.set(logo, data)
  for (const [oldest, of] of logos) {
    if (keptBytes <= MAX_LOGO_BYTES) break
    logos.delete(oldest)
    keptBytes -= bytesOf(oldest, of)
  }
  return data
}

function bytesOf(logo: string, data: LogoData | null): number {
  return logo.length + (data?.colors.length ?? 0) + (data?.opacities?.length ?? 0)
}

function read(content: Buffer): LogoData | null {
  try {
    const picture = readLogo(content)
    const { colors, opacities } = splitOpacity(picture)
    const { width, height } = picture
    return {
      width,
      height,
      colors: deflateSync(colors),
      opacities: opacities === null ? null : deflateSync(opacities),
    }
  } catch {
    return null
  }
}

/** What the library takes for an opened picture. Its own reader of PNG fails where nobody can catch it. */
class LogoImage {
  readonly label: string
  readonly width: number
  readonly height: number
  readonly #data: LogoData
  obj: PDFKit.PDFKitReference | null = null

  constructor(data: LogoData, label: string) {
    this.label = label
    this.width = data.width
    this.height = data.height
    this.#data = data
  }

  embed(doc: Doc): void {
    const { colors, opacities } = this.#data
    const shape = { Type: 'XObject', Subtype: 'Image', Width: this.width, Height: this.height }
    const stored = { ...shape, BitsPerComponent: 8, Filter: 'FlateDecode' }
    const mask = opacities === null ? null : doc.ref({ ...stored, ColorSpace: 'DeviceGray' })
    mask?.end(opacities)
    this.obj = doc.ref({ ...stored, ColorSpace: 'DeviceRGB', ...(mask !== null && { SMask: mask }) })
    this.obj.end(colors)
  }
}
