import { deflateSync } from 'node:zlib'
import { readLogo, splitOpacity } from '../institutes/school/logo-picture.ts'

type Doc = PDFKit.PDFDocument

/** What a PDF holds of a picture, compressed. */
type LogoData = { width: number; height: number; colors: Buffer; opacities: Buffer | null }

const MAX_KEPT_BYTES = 8_000_000

/** Keys are pictures, the one used last at the end; null for one that cannot be drawn. */
const kept = new Map<string, LogoData | null>()
let keptBytes = 0

/** One of each document, so that a logo stands in it once, however often it is drawn. */
const placed = new WeakMap<Doc, Map<string, PDFKit.Mixins.ImageSrc | null>>()

/** The picture, base64, for `image` of this document. Null where it cannot be drawn. */
export function logoImage(doc: Doc, logo: string): PDFKit.Mixins.ImageSrc | null {
  const own = placed.getOrInsertComputed(doc, () => new Map())
  return own.getOrInsertComputed(logo, () => {
    const data = prepare(logo)
    return data === null ? null : (new LogoImage(data, `L${own.size + 1}`) as never)
  })
}

function prepare(logo: string): LogoData | null {
  let data = kept.get(logo)
  if (data === undefined) {
    data = read(Buffer.from(logo, 'base64'))
    keptBytes += bytesOf(logo, data)
  }
  kept.delete(logo)
  kept.set(logo, data)
  for (const [oldest, of] of kept) {
    if (keptBytes <= MAX_KEPT_BYTES) break
    kept.delete(oldest)
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
