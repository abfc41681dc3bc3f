import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import Pdf from 'pdfkit'
import { Shaper, type OpenFont, type ShapedGlyph } from './shaper.ts'
import { TrueType } from './true-type.ts'

type Doc = PDFKit.PDFDocument

/** What a process keeps of a font: the open file, words that were shaped, and glyphs that nearly every paper needs. */
type Face = {
  font: OpenFont
  scale: number
  shaper: Shaper
  outlines: TrueType
  /** Null for scripts with more glyphs than a paper should carry. */
  basic: { glyphs: Glyphs; embedded: Embedded } | null
}

/** Glyphs of a file by their numbers there, with the letters that each stands for. */
type Glyphs = {
  numbers: Map<number, number>
  ids: number[]
  letters: (readonly number[])[]
  widths: number[]
}

/** What a file holds of a font: outlines and letters, compressed. */
type Embedded = { outlines: Buffer; outlinesBytes: number; letters: Buffer; name: string }

/** What Latin text is made of, with the ligatures that a font may have. */
const BASIC = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
  ...'₹ — – … · ‘ ’ “ ” ff fi fl ffi ffl'.split(' '),
]

const faces = new Map<string, Face>()

function faceOf(path: string, isLatin: boolean): Face {
  return faces.getOrInsertComputed(`${path} ${isLatin}`, () => {
    const font = openFont(path)
    const outlines = new TrueType(readFileSync(path))
    const shaper = new Shaper(font, isLatin)
    const face = { font, scale: 1_000 / font.unitsPerEm, shaper, outlines, basic: null }
    if (!isLatin) return face
    const glyphs = noGlyphs(face)
    for (const text of BASIC) for (const glyph of shaper.shape(text).glyphs) addGlyph(glyphs, glyph)
    return { ...face, basic: { glyphs, embedded: embed(face, glyphs) } }
  })
}

/** The library has no other way to the one that reads fonts. */
export function openFont(source: string | Buffer): OpenFont {
  const doc = new Pdf({ autoFirstPage: false, font: '' }).font(source)
  return (doc as unknown as { _font: { font: OpenFont } })._font.font
}

/** None but the box for what the font does not have, which stands first. */
function noGlyphs({ font, scale }: Pick<Face, 'font' | 'scale'>): Glyphs {
  const widths = [font.getGlyph(0).advanceWidth * scale]
  return { numbers: new Map([[0, 0]]), ids: [0], letters: [[0]], widths }
}

function addGlyph(glyphs: Glyphs, { id, codePoints, position }: ShapedGlyph): number {
  return glyphs.numbers.getOrInsertComputed(id, () => {
    glyphs.letters.push(codePoints)
    glyphs.widths.push(position.advanceWidth)
    return glyphs.ids.push(id) - 1
  })
}

function embed({ font, outlines }: Pick<Face, 'font' | 'outlines'>, { ids, letters }: Glyphs): Embedded {
  const file = outlines.subset(ids)
  return {
    outlines: deflateSync(file),
    outlinesBytes: file.length,
    letters: deflateSync(lettersMap(letters)),
    name: `${tagOf(ids)}+${font.postscriptName.replaceAll(' ', '_')}`,
  }
}

/** Six capitals by which readers tell parts of the same font apart. */
function tagOf(ids: readonly number[]): string {
  const digest = createHash('sha256').update(ids.join()).digest()
  return [...digest.subarray(0, 6)].map(byte => String.fromCodePoint(65 + (byte % 26))).join('')
}

const RANGE = 256
const hex = (value: number): string => value.toString(16).padStart(4, '0')

/** Which letters each glyph stands for, for searching and copying. */
function lettersMap(letters: Glyphs['letters']): string {
  const entries = letters.map(
    codePoints => `<${unitsOf(codePoints.map(one => String.fromCodePoint(one)).join(''))}>`,
  )
  const ranges = Array.from({ length: Math.ceil(entries.length / RANGE) }, (_, index) => {
    const part = entries.slice(index * RANGE, (index + 1) * RANGE)
    const first = index * RANGE
    return `<${hex(first)}> <${hex(first + part.length - 1)}> [${part.join(' ')}]`
  })
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <<
  /Registry (Adobe)
  /Ordering (UCS)
  /Supplement 0
>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><ffff>
endcodespacerange
${ranges.length} beginbfrange
${ranges.join('\n')}
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end
`
}

/** PDF names letters in UTF-16. */
function unitsOf(text: string): string {
  return Array.from({ length: text.length }, (_, index) => hex(text.charCodeAt(index))).join(' ')
}

const ITALIC_FREE_SYMBOLS = 1 << 2

/**
 * A font of one document, in the place of the library's own, which opens the file and cuts its glyphs for every document
 * anew. Text that needs only the basic glyphs shares them with all other documents.
 */
class PaperFont {
  readonly id: string
  readonly ascender: number
  readonly descender: number
  readonly lineGap: number
  readonly xHeight: number
  readonly capHeight: number
  readonly #doc: Doc
  readonly #face: Face
  #own: Glyphs | null = null
  #dictionary: PDFKit.PDFKitReference | null = null

  constructor(doc: Doc, face: Face, id: string) {
    const { font, scale } = face
    this.id = id
    this.ascender = font.ascent * scale
    this.descender = font.descent * scale
    this.lineGap = font.lineGap * scale
    this.xHeight = font.xHeight * scale
    this.capHeight = font.capHeight * scale
    this.#doc = doc
    this.#face = face
  }

  lineHeight(size: number, includesGap = false): number {
    return ((this.ascender + (includesGap ? this.lineGap : 0) - this.descender) / 1_000) * size
  }

  widthOfString(text: string, size: number, features?: object): number {
    return (this.#face.shaper.shape(text, features).width * size) / 1_000
  }

  encode(text: string, features?: object): [string[], ShapedGlyph['position'][]] {
    const { glyphs } = this.#face.shaper.shape(text, features)
    return [glyphs.map(glyph => hex(this.#numberOf(glyph))), glyphs.map(({ position }) => position)]
  }

  #numberOf(glyph: ShapedGlyph): number {
    const { basic } = this.#face
    const known = (this.#own ?? basic?.glyphs)?.numbers.get(glyph.id)
    if (known !== undefined) return known
    this.#own ??= basic === null ? noGlyphs(this.#face) : copyOf(basic.glyphs)
    return addGlyph(this.#own, glyph)
  }

  ref(): PDFKit.PDFKitReference {
    return (this.#dictionary ??= this.#doc.ref({}))
  }

  /** Called once the document is written. */
  finalize(): void {
    if (this.#dictionary === null) return
    const { basic, scale, font } = this.#face
    const glyphs = this.#own ?? basic?.glyphs ?? noGlyphs(this.#face)
    const embedded = this.#own === null && basic !== null ? basic.embedded : embed(this.#face, glyphs)
    const stored = (content: Buffer, data = {}): PDFKit.PDFKitReference =>
      ended(this.#doc.ref({ ...data, Filter: 'FlateDecode' }), content)
    const { minX, minY, maxX, maxY } = font.bbox
    const descriptor = this.#doc.ref({
      Type: 'FontDescriptor',
      FontName: embedded.name,
      Flags: ITALIC_FREE_SYMBOLS,
      FontBBox: [minX, minY, maxX, maxY].map(side => side * scale),
      ItalicAngle: font.italicAngle,
      Ascent: this.ascender,
      Descent: this.descender,
      CapHeight: this.capHeight === 0 ? this.ascender : this.capHeight,
      XHeight: this.xHeight,
      StemV: 0,
      FontFile2: stored(embedded.outlines, { Length1: embedded.outlinesBytes }),
    })
    const described = this.#doc.ref({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: embedded.name,
      // The library writes texts of PDF as such objects, and names as plain strings.
      CIDSystemInfo: { Registry: new String('Adobe'), Ordering: new String('Identity'), Supplement: 0 },
      FontDescriptor: ended(descriptor),
      W: [0, glyphs.widths],
      CIDToGIDMap: 'Identity',
    })
    Object.assign(this.#dictionary.data, {
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: embedded.name,
      Encoding: 'Identity-H',
      DescendantFonts: [ended(described)],
      ToUnicode: stored(embedded.letters),
    })
    ended(this.#dictionary)
    this.#dictionary = null
  }
}

function ended(reference: PDFKit.PDFKitReference, content: Buffer | null = null): PDFKit.PDFKitReference {
  reference.end(content)
  return reference
}

function copyOf({ numbers, ids, letters, widths }: Glyphs): Glyphs {
  return { numbers: new Map(numbers), ids: [...ids], letters: [...letters], widths: [...widths] }
}

/** `latinId` for one that shows Latin text, whose glyphs are the same few in all files and are made ready once. */
export type FontSource = { name: string; path: string; latinId: string | null }

/** Writes on with the font of this file. */
export function usePaperFont(doc: Doc, source: FontSource, size: number): Doc {
  fontOf(doc, source)
  return doc.font(source.name, size)
}

/** Makes a font known to the page, as the library does when it draws with it. */
export function placePaperFont(doc: Doc, source: FontSource): void {
  const font = fontOf(doc, source)
  doc.page.fonts[font.id] ??= font.ref()
}

/** Ids of Latin fonts are the same in all files, so that what is drawn with them is the same there. */
function fontOf(doc: Doc, { name, path, latinId }: FontSource): PaperFont {
  const { _fontFamilies: fonts } = doc as unknown as { _fontFamilies: Record<string, PaperFont> }
  return (fonts[name] ??= new PaperFont(
    doc,
    faceOf(path, latinId !== null),
    latinId ?? `F${Object.keys(fonts).length + 3}`,
  ))
}
