import { CHARACTERS } from '../script-runs.ts'

/** What the library's own library of fonts says of a font. */
export type OpenFont = {
  postscriptName: string
  unitsPerEm: number
  ascent: number
  descent: number
  lineGap: number
  xHeight: number
  capHeight: number
  italicAngle: number
  bbox: Record<'minX' | 'minY' | 'maxX' | 'maxY', number>
  layout(text: string, features?: object): { glyphs: OpenGlyph[]; positions: Position[] }
  getGlyph(id: number): OpenGlyph
  /** Glyphs that were used, each with the letters for which it was first used. */
  _glyphs: Record<number, unknown>
}
type OpenGlyph = {
  id: number
  advanceWidth: number
  codePoints: readonly number[]
  path: { toSVG(): string }
}
type Position = Record<'xAdvance' | 'yAdvance' | 'xOffset' | 'yOffset', number>

/** PDF counts in thousandths of the size. */
export type ShapedGlyph = {
  id: number
  /** The letters that it stands for. */
  codePoints: readonly number[]
  position: Position & { advanceWidth: number }
}
export type ShapedText = { glyphs: readonly ShapedGlyph[]; width: number }

/** The words of a school’s papers, some megabytes of glyphs a font. */
const MAX_WORDS = 1_000
/** Longer words are rare, and a thousand of them would be large. */
const MAX_LETTERS = 40

/** Makes glyphs of text, and keeps those of words: most of what stands on papers stands on others too. */
export class Shaper {
  readonly #font: OpenFont
  readonly #isPaired: boolean
  readonly #words = new Map<string, ShapedText>()
  /** Glyphs of one letter, and of the first of two letters; null where two letters are drawn as something else. */
  readonly #pairs = new Map<string, ShapedGlyph | null>()

  /** `isPaired`: the letters are Latin, each of which only the next one can move. */
  constructor(font: OpenFont, isPaired: boolean) {
    this.#font = font
    this.#isPaired = isPaired
  }

  shape(text: string, features?: object): ShapedText {
    if (features !== undefined) return this.#layout(text, features)
    const words = wordsOf(text).map(word => this.#word(word))
    const [only] = words
    if (only !== undefined && words.length === 1) return only
    return joined(words.flatMap(({ glyphs }) => glyphs))
  }

  #word(word: string): ShapedText {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const shaped = (this.#isPaired ? this.#inPairs(word) : null) ?? this.#inParts(word) ?? this.#layout(word)
    if (word.length > MAX_LETTERS) return shaped
    if (this.#words.size >= MAX_WORDS)
      for (const oldest of this.#words.keys()) {
        this.#words.delete(oldest)
        break
      }
    this.#words.set(word, shaped)
    return shaped
  }

  /** Numbers, names and ids are new on every paper, but their neighbouring letters are not. */
  #inPairs(word: string): ShapedText | null {
    const glyphs: ShapedGlyph[] = []
    for (let index = 0; index < word.length; index += 1) {
      const glyph = this.#pair(word.slice(index, index + 2))
      if (glyph === null) return null
      glyphs.push(glyph)
    }
    return joined(glyphs)
  }

  /** The time that the library takes for a word grows with the square of its length. */
  #inParts(word: string): ShapedText | null {
    if (word.length <= MAX_LETTERS) return null
    const parts = ['']
    for (const { segment } of CHARACTERS.segment(word)) {
      const last = parts.at(-1) ?? ''
      if (last !== '' && last.length + segment.length > MAX_LETTERS) parts.push(segment)
      else parts[parts.length - 1] = last + segment
    }
    if (parts.length === 1) return null
    return joined(parts.flatMap(part => this.#word(part).glyphs))
  }

  #pair(letters: string): ShapedGlyph | null {
    if (!isBasic(letters)) return null
    return this.#pairs.getOrInsertComputed(letters, () => {
      const [first, second, ...others] = this.#layout(letters).glyphs
      if (first === undefined || others.length > 0) return null
      if (letters.length === 1) return second === undefined ? first : null
      const [alone, next] = [letters.slice(0, 1), letters.slice(1)].map(letter => this.#pair(letter))
      const isPlain =
        first.id === alone?.id && second?.id === next?.id && isUnmoved(first) && isUnmoved(second)
      return isPlain && second?.position.xAdvance === next?.position.xAdvance ? first : null
    })
  }

  #layout(text: string, features?: object): ShapedText {
    // Whatever was shaped before in this process must not decide which letters a glyph stands for.
    this.#font._glyphs = {}
    const scale = 1_000 / this.#font.unitsPerEm
    const { glyphs, positions } = this.#font.layout(text, features)
    return joined(
      glyphs.map(({ id, codePoints, advanceWidth }, index) => {
        const { xAdvance = 0, yAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {}
        const position = {
          xAdvance: xAdvance * scale,
          yAdvance: yAdvance * scale,
          xOffset: xOffset * scale,
          yOffset: yOffset * scale,
          advanceWidth: advanceWidth * scale,
        }
        return { id, codePoints, position }
      }),
    )
  }
}

/** What is written with Latin letters on Indian papers. */
export function isBasic(text: string): boolean {
  return BASIC.test(text)
}

const BASIC = /^[ -~₹—–…·‘’“”]+$/v

/** Each with the space behind it, as lines are broken there. */
function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=[ \t])/)
}

function joined(glyphs: readonly ShapedGlyph[]): ShapedText {
  let width = 0
  for (const { position } of glyphs) width += position.xAdvance
  return { glyphs, width }
}

function isUnmoved(glyph: ShapedGlyph | undefined): boolean {
  return glyph !== undefined && glyph.position.xOffset === 0 && glyph.position.yOffset === 0
}
