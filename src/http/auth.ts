import { hash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../institutes/institutes.rules.ts'
import { authenticate, recordKeyUse } from '../institutes/keys.service.ts'
import { BursarError } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'

/**
 * Basic authentication. A verified header is remembered for a few seconds under a salted digest, so that a
 * busy ERP costs one look-up every few seconds and a revoked key dies within five, on every process.
 */
const REMEMBERED_MS = 3_000
/** Headers come from outside, guesses among them. */
const MAX_REMEMBERED = 10_000
const USE_RECORDED_EVERY_MS = 60_000

type RememberedCaller = { caller: Caller | null; until: number }

export class Authenticator {
  readonly #ctx: Context
  readonly #salt = randomBytes(16).toString('hex')
  readonly #remembered = new Map<string, RememberedCaller>()
  readonly #underWay = new Map<string, Promise<Caller | null>>()
  readonly #useRecordedAt = new Map<string, number>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  async identify(header: string | undefined): Promise<Caller> {
    const caller = header === undefined ? null : await this.#lookUp(header)
    if (caller === null) {
      throw new BursarError(
        'AUE00000',
        'Send Basic authentication with an active API key and its secret (Authorization: Basic base64(key:secret)).',
      )
    }
    return caller
  }

  async #lookUp(header: string): Promise<Caller | null> {
    const digest = hash('sha256', this.#salt + header)
    const now = Date.now()
    const remembered = this.#remembered.get(digest)
    if (remembered !== undefined && remembered.until > now) return remembered.caller
    // Requests that come together ask once.
    return this.#underWay.getOrInsertComputed(digest, () =>
      this.#ask(header, digest, now).finally(() => this.#underWay.delete(digest)),
    )
  }

  async #ask(header: string, digest: string, now: number): Promise<Caller | null> {
    const credentials = parseBasic(header)
    const found =
      credentials === null ? null : await authenticate(this.#ctx, credentials.keyId, credentials.secret)
    const caller = found?.caller ?? null
    // Once the school has left, nobody here may answer for it by what he remembers: it goes on in another cell.
    if (found?.isLeaving !== true) this.#remember(digest, { caller, until: now + REMEMBERED_MS })
    if (caller !== null) this.#recordUse(caller.keyId, now)
    return caller
  }

  #remember(digest: string, entry: RememberedCaller): void {
    // Deleting first moves the entry to the end, so the oldest is always the first.
    this.#remembered.delete(digest)
    this.#remembered.set(digest, entry)
    if (this.#remembered.size <= MAX_REMEMBERED) return
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
  }

  #recordUse(keyId: string, now: number): void {
    if (now - (this.#useRecordedAt.get(keyId) ?? 0) < USE_RECORDED_EVERY_MS) return
    this.#useRecordedAt.set(keyId, now)
    // "Last used" is a courtesy; a database that is away must not fail the request for it.
    recordKeyUse(this.#ctx, [keyId]).catch(() => this.#useRecordedAt.delete(keyId))
  }
}

export function challenge(reply: FastifyReply): void {
  reply.header('www-authenticate', 'Basic realm="fee-collection"')
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('the route has no authentication')
  return request.caller
}

function parseBasic(header: string): { keyId: string; secret: string } | null {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || text.includes('\u0000')) return null
  return { keyId: text.slice(0, colon), secret: text.slice(colon + 1) }
}
