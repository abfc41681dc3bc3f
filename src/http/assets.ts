import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

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
