import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * What must be read back (webhook secrets, header values) is sealed with AES-256-GCM under the master key.
 * The purpose is bound in as associated data: a sealed value copied to another row or column does not open.
 */
const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const MASTER_KEY_BYTES = 32
const KEY_ID_BYTES = 8

export class Vault {
  readonly #master: Buffer
  readonly #key: Buffer

  constructor(masterKey: Buffer) {
    if (masterKey.length !== MASTER_KEY_BYTES) throw new Error('the master key must be 32 bytes')
    this.#master = masterKey
    this.#key = Buffer.from(hkdfSync('sha256', masterKey, '', 'bursar vault v1', 32))
  }

  seal(plain: string, purpose: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(Buffer.from(purpose))
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(FORMAT), nonce, body, cipher.getAuthTag()])
  }

  open(sealed: Buffer, purpose: string): string {
    if (sealed[0] !== FORMAT) throw new Error('a sealed value has an unknown format')
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce)
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const body = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  }

  /** A key of its own for a purpose, the same on every process. */
  deriveKey(purpose: string): string {
    return createHmac('sha256', this.#key).update(`derive ${purpose}`).digest('hex')
  }

  /** Derives the key of one file, which has a random salt. */
  fileKey(salt: Buffer, purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, salt, `bursar file v1 ${purpose}`, 32))
  }

  /** What a file says of the key that it was sealed under. */
  keyId(): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, '', 'bursar key id v1', KEY_ID_BYTES))
  }

  /** A value that tells two master keys apart without telling anything about either. */
  fingerprint(): string {
    return createHmac('sha256', this.#key).update('bursar master key check').digest('hex')
  }
}

/** API secrets are long and random, so a plain digest is as strong as a slow one and costs microseconds. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash)
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function parseMasterKey(text: string): Buffer | null {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return bytes.length === MASTER_KEY_BYTES ? bytes : null
}

/**
 * Files that hold personal data and lie outside the database (backups, archived months) are compressed and sealed under the
 * master key. A file is a header and segments; each segment is authenticated with its number, the header and whether it is
 * the last, so that nothing can be cut, moved, added or taken from another file unseen, and none of it is given out before
 * that was checked. One segment is in memory at a time. ADR 53 has the format, byte by byte.
 */

const MAGIC = Buffer.from('BURSAR\0\x01', 'latin1')
const SALT_BYTES = 32
const HEADER_BYTES = MAGIC.length + KEY_ID_BYTES + SALT_BYTES
export const SEGMENT_BYTES = 256 * 1024
const GZIP = Buffer.of(0x1f, 0x8b)

/** Binds the file to a key and a purpose: sealed for one purpose it does not open for another. */
export type Seal = { vault: Vault; purpose: string }

/** Why a file does not open, as what is to be said behind its name. */
export class NotOpened extends Error {}

/** A step of a pipeline. */
export function sealing({ vault, purpose }: Seal) {
  return async function* (plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const salt = randomBytes(SALT_BYTES)
    const header = Buffer.concat([MAGIC, vault.keyId(), salt])
    const key = vault.fileKey(salt, purpose)
    yield header
    for await (const { bytes, number, isLast } of cut(plain, () => SEGMENT_BYTES)) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast))
      cipher.setAAD(header)
      yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    }
  }
}

/** The step that undoes it; throws NotOpened. */
function opening({ vault, purpose }: Seal) {
  return async function* (sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let header: Buffer = Buffer.alloc(0)
    let key: Buffer = header
    for await (const { bytes, number, isLast } of cut(sealed, sealedSize)) {
      if (number === 0) {
        header = Buffer.from(bytes.subarray(0, HEADER_BYTES))
        refuseHeader(header, vault)
        key = vault.fileKey(header.subarray(-SALT_BYTES), purpose)
      }
      const segment = number === 0 ? bytes.subarray(HEADER_BYTES) : bytes
      const plain = openSegment(segment, { key, header, nonce: nonceOf(number, isLast) })
      if (plain !== null) yield plain
      else if (isLast && openSegment(segment, { key, header, nonce: nonceOf(number, false) }) !== null)
        throw new NotOpened('is cut short: its end is missing')
      else
        throw new NotOpened(
          `is damaged, cut short or put together from other parts: its segment ${number + 1} does not open`,
        )
    }
  }
}

/** The header lies before the first segment. */
function sealedSize(number: number): number {
  return (number === 0 ? HEADER_BYTES : 0) + SEGMENT_BYTES + TAG_BYTES
}

function refuseHeader(header: Buffer, vault: Vault): void {
  if (header.subarray(0, GZIP.length).equals(GZIP))
    throw new NotOpened(
      'is not encrypted, so it is not a file of this Bursar: everybody can read it, and nobody vouches for what is in it',
    )
  if (!header.subarray(0, MAGIC.length - 1).equals(MAGIC.subarray(0, -1)))
    throw new NotOpened('is not a file that Bursar sealed')
  if (header[MAGIC.length - 1] !== MAGIC.at(-1))
    throw new NotOpened('has a later format: open it with the release that wrote it')
  if (header.length < HEADER_BYTES) throw new NotOpened('is cut short: it ends in its header')
  if (!header.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES).equals(vault.keyId()))
    throw new NotOpened(
      'was made under another master key: set MASTER_KEY to the one of that time, without it nobody can read the file',
    )
}

function openSegment(
  segment: Buffer,
  { key, header, nonce }: { key: Buffer; header: Buffer; nonce: Buffer },
): Buffer | null {
  if (segment.length < TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(header)
  decipher.setAuthTag(segment.subarray(-TAG_BYTES))
  const plain = decipher.update(segment.subarray(0, -TAG_BYTES))
  try {
    decipher.final()
    return plain
  } catch {
    return null
  }
}

/** Every file has a key of its own, so counting is enough: no nonce comes twice under one key. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6)
  nonce.writeUInt8(isLast ? 1 : 0, NONCE_BYTES - 1)
  return nonce
}

type SealedPiece = { bytes: Buffer; number: number; isLast: boolean }

/** Pieces of the sizes that are asked for; the last is what is left, and there always is one. */
async function* cut(
  source: AsyncIterable<Buffer>,
  sizeOf: (number: number) => number,
): AsyncGenerator<SealedPiece> {
  let number = 0
  let bytes: Buffer = Buffer.allocUnsafe(sizeOf(number))
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      if (filled === bytes.length) {
        yield { bytes, number, isLast: false }
        bytes = Buffer.allocUnsafe(sizeOf(++number))
        filled = 0
      }
      const copied = chunk.copy(bytes, filled, at)
      filled += copied
      at += copied
    }
  }
  yield { bytes: bytes.subarray(0, filled), number, isLast: true }
}

/** Opens and decompresses a sealed file; each chunk of the file itself goes to `onChunk`. */
export function readSealed(path: string, seal: Seal, onChunk: (chunk: Buffer) => void): Readable {
  const tell = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      onChunk(chunk)
      yield chunk
    }
  }
  // Who reads the result gets its error.
  const source = createReadStream(path, { highWaterMark: SEGMENT_BYTES })
  return pipeline(source, tell, opening(seal), createGunzip(), () => {})
}
