import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'

/** A file that is the same for every reader: compressed once, one copy in memory however many connections read it. */
export type Asset = {
  readonly contentType: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodies: Readonly<Record<Encoding, Buffer>>
}

type Encoding = 'br' | 'gzip' | 'identity'

const CHUNK_BYTES = 65_536
/** Far quicker than the highest quality, and a few percent larger. */
const BROTLI_QUALITY = 5

export async function createAsset(
  body: Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Asset> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(body),
  ])
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { contentType, etag: `W/"${digest}"`, headers, bodies: { br, gzip: gz, identity: body } }
}

export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const body = asset.bodies[encoding]
  // no-cache: kept by browsers, and asked for again by its ETag; the address does not change when we are upgraded.
  reply.headers({ 'cache-control': 'no-cache', ...asset.headers, etag: asset.etag, vary: 'accept-encoding' })
  if (isKnown(request.headers['if-none-match'], asset.etag)) return reply.code(304).send()
  reply.headers({ 'content-type': asset.contentType, 'content-length': body.length })
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  // Sent in pieces, so that a reader who stops reading holds one of them and not all.
  return reply.send(body.length <= CHUNK_BYTES ? body : Readable.from(piecesOf(body), { objectMode: false }))
}

/** A file that is made only for a reader who does not have it yet. */
export async function sendIfNew(
  request: FastifyRequest,
  reply: FastifyReply,
  file: { etag: string; contentType: string; read(): Promise<Buffer> },
): Promise<FastifyReply> {
  reply.header('etag', file.etag)
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send()
  return reply.header('content-type', file.contentType).send(await file.read())
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES)
}

function isKnown(sent: string | undefined, etag: string): boolean {
  return sent !== undefined && sent.split(',').some(tag => tag.trim() === etag || tag.trim() === '*')
}

function chooseEncoding(accepted = ''): Encoding {
  const names = new Set<string>()
  for (const part of accepted.split(',')) {
    const [name = '', weight = ''] = part.split(';')
    if (!/^\s*q=0(?:\.0*)?\s*$/.test(weight)) names.add(name.trim().toLowerCase())
  }
  return names.has('br') ? 'br' : names.has('gzip') ? 'gzip' : 'identity'
}

/** The fonts of all pages, cut down by `tools/build-fonts.ts` to the letters that pages use. */
const FOLDER = new URL('../../build/fonts/', import.meta.url)

/** Letters, digits and signs of Latin as Inter draws them, and ₹, which its package keeps in another file. */
export const LATIN = [
  {
    name: 'Inter',
    part: 'latin',
    ranges: 'U+20-7E, U+A0-FF, U+2013-2014, U+2018-201D, U+2022, U+2026, U+2039-203A, U+2191, U+2193, U+2212',
  },
  { name: 'InterRupee', part: 'latin-ext', ranges: 'U+20B9' },
] as const
export const LATIN_WEIGHTS = { min: 400, max: 700 }

/**
 * The scripts of India beside Latin, for browsers whose system has no font for them. A browser takes what it has by one of
 * the local names, and otherwise loads the one file whose letters stand on the page.
 */
type ScriptFont = {
  /** Name of the font, the same as in receipts. */
  name: string
  ranges: string
  local: readonly string[]
}

const block = (name: string, ranges: string, ...local: string[]): ScriptFont => ({
  name,
  ranges,
  local: local.flatMap(localNames),
})

/** Android has its fonts under full or PostScript names, older ones in a narrower cut for menus. */
function localNames(name: string): string[] {
  if (!name.startsWith('Noto')) return [name]
  const plain = name.replaceAll(' ', '')
  return [name, `${name} Regular`, `${plain}-Regular`, `${name} UI`, `${plain}UI-Regular`]
}

export const SCRIPT_FONTS: readonly ScriptFont[] = [
  block(
    'Mukta',
    'U+900-97F, U+A8E0-A8FF',
    'Noto Sans Devanagari',
    'Kohinoor Devanagari',
    'Devanagari Sangam MN',
    'Nirmala UI',
    'Mangal',
  ),
  block('NotoSansBengali', 'U+980-9FF', 'Noto Sans Bengali', 'Bangla Sangam MN', 'Nirmala UI'),
  block('BalooPaaji2', 'U+A00-A7F', 'Noto Sans Gurmukhi', 'Gurmukhi Sangam MN', 'Nirmala UI'),
  block('NotoSansGujarati', 'U+A80-AFF', 'Noto Sans Gujarati', 'Gujarati Sangam MN', 'Nirmala UI'),
  block('NotoSansOriya', 'U+B00-B7F', 'Noto Sans Oriya', 'Oriya Sangam MN', 'Nirmala UI'),
  block('NotoSansTamil', 'U+B80-BFF', 'Noto Sans Tamil', 'Tamil Sangam MN', 'Nirmala UI'),
  block('AnekTelugu', 'U+C00-C7F', 'Noto Sans Telugu', 'Telugu Sangam MN', 'Nirmala UI'),
  block('NotoSansKannada', 'U+C80-CFF', 'Noto Sans Kannada', 'Kannada Sangam MN', 'Nirmala UI'),
  block('AnekMalayalam', 'U+D00-D7F', 'Noto Sans Malayalam', 'Malayalam Sangam MN', 'Nirmala UI'),
  block('NotoSansMeeteiMayek', 'U+AAE0-AAFF, U+ABC0-ABFF', 'Noto Sans Meetei Mayek'),
  block('NotoSansOlChiki', 'U+1C50-1C7F', 'Noto Sans Ol Chiki', 'Nirmala UI'),
  block(
    'NotoNaskhArabic',
    'U+600-6FF, U+750-77F, U+FB50-FDFF, U+FE70-FEFF',
    'Noto Naskh Arabic',
    'Geeza Pro',
  ),
]

/** What a browser keeps for a year: the address changes with what it answers. */
type KeptFile = { address: string; body: Buffer; type: string }

function keep(name: string, extension: string, type: string, body: Buffer): KeptFile {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 10)
  return { address: `/fonts/${name}-${digest}.${extension}`, body, type }
}

/** Null where nothing was built: pages then use the fonts that the browser has. */
function readFont(name: string): KeptFile | null {
  try {
    return keep(name, 'woff2', 'font/woff2', readFileSync(new URL(`${name}.woff2`, FOLDER)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

const latin = LATIN.flatMap(font => {
  const file = readFont(font.name)
  return file === null ? [] : [{ ...font, file }]
})
const scripts = SCRIPT_FONTS.map(font => ({ ...font, file: readFont(font.name) }))

/**
 * Inter for a page's own stylesheet. `optional`: where it has not come in time for the first picture the page stays with the
 * system's font, so that nothing jumps, and the next page has it. `swap` for the console, which has nothing but a line to show by then.
 */
export function latinStyle(display: 'optional' | 'swap'): string {
  return latin
    .map(
      ({ file, ranges }) =>
        `@font-face{font-family:Inter;font-weight:${LATIN_WEIGHTS.min} ${LATIN_WEIGHTS.max};font-display:${display};src:url("${file.address}") format("woff2");unicode-range:${ranges}}`,
    )
    .join('')
}

/** The file that a page asks for beside itself. */
export const LATIN_PRELOAD = latin
  .slice(0, 1)
  .map(({ file }) => `<link rel="preload" href="${file.address}" as="font" type="font/woff2" crossorigin>`)
  .join('')

/** The family comes first in the list of every page's fonts; it has no letters but those of its scripts. */
const scriptStyle = keep(
  'scripts',
  'css',
  'text/css; charset=utf-8',
  Buffer.from(
    scripts
      .map(({ file, ranges, local }) => {
        const ours = file === null ? [] : [`url("${file.address}") format("woff2")`]
        const sources = [...local.map(name => `local("${name}")`), ...ours]
        return `@font-face{font-family:"Bursar scripts";font-display:swap;src:${sources.join(',')};unicode-range:${ranges}}`
      })
      .join('\n'),
  ),
)
export const SCRIPT_STYLE_ADDRESS = scriptStyle.address

export function fontRoutes(app: FastifyInstance): void {
  const files = [scriptStyle, ...[...latin, ...scripts].flatMap(({ file }) => file ?? [])]
  for (const { address, body, type } of files)
    app.get(address, (_request, reply) =>
      reply
        .header('content-type', type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(body),
    )
}
