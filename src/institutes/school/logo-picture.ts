import { crc32, deflateSync, inflateSync } from 'node:zlib'

const MAX_SIDE = 2_000
/** Three pixels for each point of the place that it has on paper, and sharp on a phone. */
const [MAX_WIDTH, MAX_HEIGHT] = [480, 128]

/** The logo of this file as small as it is needed, or a `BrokenPicture`. */
export function readLogo(content: Buffer): Picture {
  return shrink(readPng(content, MAX_SIDE), MAX_WIDTH, MAX_HEIGHT)
}

/** The share of an icon's side that the logo takes, so that it stays whole on phones that cut the corners off. */
const ICON_ROOM = 0.72

/** The logo in the middle of a white square, for a phone's home screen. */
export function drawIcon(picture: Picture, side: number): Buffer {
  const room = side * ICON_ROOM
  const drawn = scaled(picture, Math.min(room / picture.width, room / picture.height))
  const [left, top] = [Math.floor((side - drawn.width) / 2), Math.floor((side - drawn.height) / 2)]
  const pixels = new Uint8Array(side * side * 4).fill(255)
  for (let y = 0; y < drawn.height; y += 1)
    for (let x = 0; x < drawn.width; x += 1) {
      const from = 4 * (y * drawn.width + x)
      const to = 4 * ((top + y) * side + left + x)
      const opacity = (drawn.pixels[from + 3] ?? 0) / 255
      for (let color = 0; color < 3; color += 1)
        pixels[to + color] = Math.round(255 + ((drawn.pixels[from + color] ?? 0) - 255) * opacity)
    }
  return writePng({ width: side, height: side, pixels })
}

/** Within these measures; a picture that fits stays as it is. */
function shrink(picture: Picture, maxWidth: number, maxHeight: number): Picture {
  const scale = Math.min(1, maxWidth / picture.width, maxHeight / picture.height)
  return scale === 1 ? picture : scaled(picture, scale)
}

/** Each pixel is the mean of those it stands for. */
function scaled(picture: Picture, scale: number): Picture {
  const width = Math.max(1, Math.floor(picture.width * scale))
  const height = Math.max(1, Math.floor(picture.height * scale))
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      pixels.set(
        meanOf(picture, {
          left: Math.floor((x * picture.width) / width),
          right: Math.ceil(((x + 1) * picture.width) / width),
          top: Math.floor((y * picture.height) / height),
          bottom: Math.ceil(((y + 1) * picture.height) / height),
        }),
        4 * (y * width + x),
      )
  return { width, height, pixels }
}

type Box = Record<'left' | 'right' | 'top' | 'bottom', number>

/** Averages colours by opacity: transparent pixels have a colour too, which must not shine through at edges. */
function meanOf({ width, pixels }: Picture, { left, right, top, bottom }: Box): number[] {
  let [red, green, blue, seen] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y += 1)
    for (let at = 4 * (y * width + left); at < 4 * (y * width + right); at += 4) {
      const opacity = pixels[at + 3] ?? 0
      red += (pixels[at] ?? 0) * opacity
      green += (pixels[at + 1] ?? 0) * opacity
      blue += (pixels[at + 2] ?? 0) * opacity
      seen += opacity
    }
  if (seen === 0) return [0, 0, 0, 0]
  const mean = [red, green, blue].map(sum => Math.round(sum / seen))
  return [...mean, Math.round(seen / ((right - left) * (bottom - top)))]
}

/** Four bytes a pixel: red, green, blue, opacity. */
type Picture = { width: number; height: number; pixels: Uint8Array }

/** Its words say of a file what is wrong with it. */
export class BrokenPicture extends Error {
  override readonly name = 'BrokenPicture'
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** A chunk has its length and name before it and a checksum after it. */
const AROUND_CHUNK = 12
/** Samples of a pixel, by the type of colour: grey, colours, one of a palette, and the first two with opacity. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
const [PALETTE, GREY, RGB, RGBA] = [3, 0, 2, 6]

type Head = { width: number; height: number; depth: number; type: number; isInterlaced: boolean }
type Chunks = { head: Head; palette: Buffer; transparent: Buffer; data: Buffer }

/** Reads all of a PNG, of any kind that the standard has, or throws a `BrokenPicture`. */
export function readPng(content: Buffer, maxSide: number): Picture {
  const { head, data, ...colors } = readChunks(content)
  const { width, height, isInterlaced } = head
  if (width > maxSide || height > maxSide || width * height === 0)
    throw new BrokenPicture(`must be at most ${maxSide} pixels wide and high`)
  const passes = isInterlaced ? PASSES : [WHOLE]
  const sizes = passes.map(({ x, y, stepX, stepY }) => ({
    width: Math.ceil((width - x) / stepX),
    height: Math.ceil((height - y) / stepY),
  }))
  const rowBytes = (columns: number): number =>
    Math.ceil((columns * (SAMPLES[head.type] ?? 0) * head.depth) / 8)
  const lengths = sizes.map(size => (size.width === 0 ? 0 : size.height * (1 + rowBytes(size.width))))
  const raw = inflate(
    data,
    lengths.reduce((sum, length) => sum + length, 0),
  )
  const pixels = new Uint8Array(width * height * 4)
  let at = 0
  for (const [index, { x, y, stepX, stepY }] of passes.entries()) {
    const [size, length] = [sizes[index] ?? head, lengths[index] ?? 0]
    const rows = raw.subarray(at, at + length)
    at += length
    if (length === 0) continue
    undoFilters(rows, rowBytes(size.width), Math.max(1, ((SAMPLES[head.type] ?? 0) * head.depth) >> 3))
    const read = readerOf(head, colors, rows, rowBytes(size.width))
    for (let row = 0; row < size.height; row += 1)
      for (let column = 0; column < size.width; column += 1)
        read(row, column, pixels, 4 * ((y + row * stepY) * width + x + column * stepX))
  }
  return { width, height, pixels }
}

type Pass = { x: number; y: number; stepX: number; stepY: number }
const WHOLE: Pass = { x: 0, y: 0, stepX: 1, stepY: 1 }
/** An interlaced picture comes in these passes. */
const PASSES: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
]

function readChunks(content: Buffer): Chunks {
  if (!content.subarray(0, 8).equals(SIGNATURE)) throw notPng(content)
  let head: Head | null = null
  let palette: Buffer = Buffer.alloc(0)
  let transparent: Buffer = Buffer.alloc(0)
  const parts: Buffer[] = []
  for (let at = 8; at + AROUND_CHUNK <= content.length;) {
    const end = at + AROUND_CHUNK + content.readUInt32BE(at)
    const name = content.toString('latin1', at + 4, at + 8)
    const chunk = content.subarray(at + 8, end - 4)
    if (end > content.length) break
    if (crc32(content.subarray(at + 4, end - 4)) !== content.readUInt32BE(end - 4)) throw damaged()
    if (name === 'IHDR') head = readHead(chunk)
    else if (name === 'PLTE') palette = chunk
    else if (name === 'tRNS') transparent = chunk
    else if (name === 'IDAT') parts.push(chunk)
    else if (name === 'IEND' && head !== null && parts.length > 0)
      return { head, palette, transparent, data: Buffer.concat(parts) }
    at = end
  }
  throw new BrokenPicture('is cut off: its end is missing. Save the picture again, or copy it once more')
}

const JPEG = Buffer.from('ffd8ff', 'hex')

/** There is no decoder of other pictures here; a browser has them all, so the console makes a PNG before it sends one. */
function notPng(content: Buffer): BrokenPicture {
  const what = content.subarray(0, 3).equals(JPEG) ? 'is a JPEG and must be a PNG' : 'must be a PNG picture'
  return new BrokenPicture(
    `${what}. Save it as PNG, or choose it under Settings, School in the console, which makes a PNG of it`,
  )
}

function readHead(chunk: Buffer): Head {
  if (chunk.length !== 13) throw damaged()
  const [depth = 0, type = 0, compression, filter, interlace] = chunk.subarray(8)
  const isKnown = DEPTHS[type]?.includes(depth) === true && compression === 0 && filter === 0
  if (!isKnown || interlace === undefined || interlace > 1) throw damaged()
  const [width, height] = [chunk.readUInt32BE(0), chunk.readUInt32BE(4)]
  return { width, height, depth, type, isInterlaced: interlace === 1 }
}

/** Never more than the picture needs, whatever the file would grow to. */
function inflate(data: Buffer, length: number): Buffer {
  try {
    const raw = inflateSync(data, { maxOutputLength: length })
    if (raw.length === length) return raw
  } catch {
    // What zlib calls it helps nobody who has a picture to upload.
  }
  throw damaged()
}

const damaged = (): BrokenPicture =>
  new BrokenPicture('is damaged and cannot be drawn. Save the picture again, or copy it once more')

/** Each row says how it was predicted from the pixel before, the row above, or both. */
function undoFilters(rows: Buffer, rowBytes: number, pixelBytes: number): void {
  for (let start = 0; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start] ?? 0
    if (filter > 4) throw damaged()
    for (let at = start + 1; at <= start + rowBytes; at += 1) {
      const left = at - pixelBytes > start ? (rows[at - pixelBytes] ?? 0) : 0
      const up = start > 0 ? (rows[at - rowBytes - 1] ?? 0) : 0
      const upLeft = start > 0 && at - pixelBytes > start ? (rows[at - rowBytes - 1 - pixelBytes] ?? 0) : 0
      rows[at] = ((rows[at] ?? 0) + predict(filter, left, up, upLeft)) & 0xff
    }
  }
}

function predict(filter: number, left: number, up: number, upLeft: number): number {
  if (filter < 2) return filter * left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const [byLeft, byUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)]
  const byBoth = Math.abs(left + up - 2 * upLeft)
  if (byLeft <= byUp && byLeft <= byBoth) return left
  return byUp <= byBoth ? up : upLeft
}

type ReadPixel = (row: number, column: number, into: Uint8Array, at: number) => void

function readerOf(
  { depth, type }: Head,
  { palette, transparent }: Pick<Chunks, 'palette' | 'transparent'>,
  rows: Buffer,
  rowBytes: number,
): ReadPixel {
  const samples = SAMPLES[type] ?? 0
  const most = 2 ** depth - 1
  const sampleAt = (row: number, index: number): number => {
    const start = row * (rowBytes + 1) + 1
    if (depth === 16) return rows.readUInt16BE(start + 2 * index)
    const bit = index * depth
    return ((rows[start + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & most
  }
  if (type === PALETTE)
    return (row, column, into, at) => {
      const index = sampleAt(row, column)
      if (3 * index + 3 > palette.length) throw damaged()
      into.set(palette.subarray(3 * index, 3 * index + 3), at)
      into[at + 3] = transparent[index] ?? 255
    }
  const isGrey = type === GREY || samples === 2
  const colors = isGrey ? 1 : 3
  /** The one colour that is not seen, where the picture names one. */
  const unseen =
    samples === colors && transparent.length === 2 * colors
      ? Array.from({ length: colors }, (_, index) => transparent.readUInt16BE(2 * index))
      : null
  return (row, column, into, at) => {
    let isUnseen = unseen !== null
    for (let color = 0; color < 3; color += 1) {
      const sample = sampleAt(row, column * samples + (isGrey ? 0 : color))
      into[at + color] = Math.round((sample * 255) / most)
      isUnseen &&= sample === unseen?.[isGrey ? 0 : color]
    }
    const opacity = samples === colors ? (isUnseen ? 0 : most) : sampleAt(row, column * samples + colors)
    into[at + 3] = Math.round((opacity * 255) / most)
  }
}

/** The plainest PNG that shows it: eight bits a sample, no palette, no passes, nothing beside the picture. */
export function writePng({ width, height, pixels }: Picture): Buffer {
  const { colors, opacities } = splitOpacity({ width, height, pixels })
  const samples = opacities === null ? 3 : 4
  const from = opacities === null ? colors : pixels
  const rowBytes = width * samples
  const raw = new Uint8Array(height * (rowBytes + 1))
  for (let row = 0; row < height; row += 1) {
    // Each row as the difference from the one above, which is small in logos.
    raw[row * (rowBytes + 1)] = 2
    for (let at = 0; at < rowBytes; at += 1) {
      const up = row === 0 ? 0 : (from[(row - 1) * rowBytes + at] ?? 0)
      raw[row * (rowBytes + 1) + 1 + at] = ((from[row * rowBytes + at] ?? 0) - up) & 0xff
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, opacities === null ? RGB : RGBA], 8)
  const chunks = [chunkOf('IHDR', head), chunkOf('IDAT', deflateSync(raw, { level: 9 }))]
  return Buffer.concat([SIGNATURE, ...chunks, chunkOf('IEND', Buffer.alloc(0))])
}

function chunkOf(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Colours and opacity apart; null when all of it is seen. */
export function splitOpacity({ width, height, pixels }: Picture): {
  colors: Uint8Array
  opacities: Uint8Array | null
} {
  const colors = new Uint8Array(width * height * 3)
  const opacities = new Uint8Array(width * height)
  let isAllSeen = true
  for (let index = 0; index < opacities.length; index += 1) {
    colors.set(pixels.subarray(4 * index, 4 * index + 3), 3 * index)
    const opacity = pixels[4 * index + 3] ?? 0
    opacities[index] = opacity
    isAllSeen &&= opacity === 255
  }
  return { colors, opacities: isAllSeen ? null : opacities }
}
