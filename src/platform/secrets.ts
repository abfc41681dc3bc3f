import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/**
 * What must be read back (webhook secrets, header values) is sealed with AES-256-GCM under the master key.
 * The purpose is bound in as associated data: a sealed value copied to another row or column does not open.
 */
const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const MASTER_KEY_BYTES = 32
export const KEY_ID_BYTES = 8

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
