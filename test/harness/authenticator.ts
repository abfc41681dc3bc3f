import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** An authenticator in software: makes passkeys with keys of their own and signs what a site asks of it. */
type Flags = { isVerified?: boolean }

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

export class Authenticator {
  readonly #origin: string
  readonly #credentialId = randomBytes(16)
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject }
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** What `navigator.credentials.create` answers, as JSON. */
  register(optionsText: string, { isVerified = true }: Flags = {}): string {
    const options = JSON.parse(optionsText) as { challenge: string; rp: { id: string } }
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const publicKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#credentialId.length)
    const authData = Buffer.concat([
      this.#head(options.rp.id, ATTESTED | flagsOf(isVerified)),
      Buffer.alloc(16),
      length,
      this.#credentialId,
      publicKey,
    ])
    const attestation = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** What `navigator.credentials.get` answers, as JSON. */
  authenticate(optionsText: string, { isVerified = true }: Flags = {}): string {
    const options = JSON.parse(optionsText) as { challenge: string; rpId: string }
    const clientData = this.#clientData('webauthn.get', options.challenge)
    this.counter++
    const authData = this.#head(options.rpId, flagsOf(isVerified))
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    })
  }

  #head(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), counter])
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }))
  }

  #answer(response: object): string {
    const id = this.#credentialId.toString('base64url')
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }
}

const flagsOf = (isVerified: boolean): number => USER_PRESENT | (isVerified ? USER_VERIFIED : 0)

/** As much of RFC 8949 as an authenticator writes. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string')
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([cborHead(5, value.size), ...[...value].flat().map(one => cbor(one))])
  throw new Error('an authenticator writes nothing else')
}

function cborHead(type: number, size: number): Buffer {
  if (size < 24) return Buffer.of((type << 5) | size)
  return size < 256 ? Buffer.of((type << 5) | 24, size) : Buffer.of((type << 5) | 25, size >> 8, size & 255)
}
