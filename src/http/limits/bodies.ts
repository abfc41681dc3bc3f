import type { FastifyRequest } from 'fastify'
import { badRequest, BursarError, unavailable } from '../../platform/errors.ts'
import { HARMLESS_BYTES } from '../../platform/json.rules.ts'
import { BODIES, JSON_BODY } from '../../platform/limits.rules.ts'
import { networkOf } from '../../platform/rate-limits.rules.ts'
import { Turns } from '../../platform/concurrency.ts'

/** What a part costs beside its bytes: somebody who sends a body byte by byte takes memory for each. */
const PART_BYTES = 256

type BodyCallback = (error: Error | null, body?: Buffer) => void
type Received = Pick<FastifyRequest, 'raw' | 'ip' | 'caller' | 'bodyUnderWay' | 'routeOptions'>

/** A school by its keys, or else the network that a request comes from. */
type Sender = { name: string; bytes: number; bodies: Set<Body> }

/**
 * Bodies that lie in memory, from their first byte until they are answered. Whoever keeps very many under way loses
 * the oldest of them that nobody works on yet: a sender beyond its share, and beyond the sum of all the one that holds most.
 * So there is room for a new one, whoever comes and however many connections somebody else leaves half said.
 */
export class Bodies {
  readonly #senders = new Map<string, Sender>()
  /** Large ones that arrive together are parsed in one turn of the event loop each, with other requests in between. */
  readonly #turns = new Turns()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  /** Reads a body whole. It counts until `release`. */
  receive(request: Received, done: BodyCallback): void {
    const { raw, caller, ip, routeOptions } = request
    const name = caller === null ? `network ${networkOf(ip)}` : `school ${caller.institute.id}`
    const sender = this.#senders.getOrInsertComputed(name, () => ({ name, bytes: 0, bodies: new Set() }))
    // A form of the families' pages may be shorter than a body of the API.
    const body = new Body(sender, Math.min(routeOptions.bodyLimit ?? JSON_BODY.bytes, JSON_BODY.bytes), done)
    sender.bodies.add(body)
    request.bodyUnderWay = body
    if (Number(raw.headers['content-length'] ?? 0) > body.most) return this.#refuse(body, tooLarge(body.most))
    if (isGone(request)) return this.#refuse(body, cutShort())
    raw
      .on('data', (part: Buffer) => this.#take(body, part))
      .on('end', () => this.#hand(body))
      .on('error', () => this.#refuse(body, cutShort()))
  }

  release(body: Body): void {
    const { sender } = body
    if (!sender.bodies.delete(body)) return
    this.#bytes -= body.cost
    sender.bytes -= body.cost
    if (sender.bodies.size === 0) this.#senders.delete(sender.name)
  }

  #take(body: Body, part: Buffer): void {
    if (body.isSettled) return
    body.parts.push(part)
    body.length += part.length
    const cost = part.length + PART_BYTES
    body.cost += cost
    body.sender.bytes += cost
    this.#bytes += cost
    if (body.length > body.most) this.#refuse(body, tooLarge(body.most))
    while (body.sender.bytes > BODIES.perSender) if (!this.#dropOldest(body.sender, tooMany())) break
    while (this.#bytes > BODIES.inAll) if (!this.#dropOldest(this.#largest(), tooMuchOfAll())) break
  }

  #hand(body: Body): void {
    if (body.length < HARMLESS_BYTES) body.hand()
    else this.#turns.take(() => body.hand())
  }

  /** Drops the oldest body that is still arriving or waits for its turn; the one that arrives now may be it. */
  #dropOldest(sender: Sender, error: BursarError): boolean {
    const oldest = sender.bodies.values().find(body => !body.isSettled)
    if (oldest === undefined) return false
    this.#refuse(oldest, error)
    return true
  }

  #refuse(body: Body, error: BursarError): void {
    body.refuse(error)
    this.release(body)
  }

  #largest(): Sender {
    let largest: Sender | undefined
    for (const sender of this.#senders.values()) if (sender.bytes > (largest?.bytes ?? -1)) largest = sender
    if (largest === undefined) throw new Error('bytes are held by nobody')
    return largest
  }
}

/** One body, until it is answered. */
class Body {
  readonly sender: Sender
  /** Bytes. */
  readonly most: number
  parts: Buffer[] = []
  length = 0
  /** Bytes of memory that it counts for. */
  cost = 0
  readonly #done: BodyCallback
  #isSettled = false

  constructor(sender: Sender, most: number, done: BodyCallback) {
    this.sender = sender
    this.most = most
    this.#done = done
  }

  /** Refused, or handed to whoever works on it. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  hand(): void {
    if (!this.#isSettled) this.#settle(null, Buffer.concat(this.parts, this.length))
  }

  refuse(error: BursarError): void {
    this.#settle(error)
  }

  #settle(error: BursarError | null, whole?: Buffer): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.parts = []
    this.#done(error, whole)
  }
}

export type { Body as BodyUnderWay }

/** Its sender went away while something else was waited for: of its body nothing comes any more, not even its end. */
export function isGone({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  return raw.destroyed
}

export const cutShort = (): BursarError => badRequest('The body was cut short.')

function tooLarge(most: number): BursarError {
  const size = most < 1_048_576 ? `${most / 1_024} KiB` : `${most / 1_048_576} MiB`
  return new BursarError('HUE00004', `The body is larger than ${size}. Send it in smaller parts.`)
}

function tooMuchOfAll(): BursarError {
  return unavailable('Too much is being sent at this moment. Please retry.')
}

function tooMany(): BursarError {
  const megabytes = BODIES.perSender / 1_048_576
  return new BursarError(
    'RLE00000',
    `You are sending bodies of more than ${megabytes} MiB at once. Wait until some of them are answered.`,
    { retryAfterS: 1 },
  )
}
