import type { FastifyRequest } from 'fastify'
import { badRequest, BursarError, unavailable } from '../../platform/errors.ts'
import { HARMLESS_BYTES } from '../../platform/json.rules.ts'
import { BODIES, JSON_BODY, REQUEST, UPLOADS } from '../../platform/limits.rules.ts'
import { networkOf } from '../../platform/rate-limits.rules.ts'
import { Turns } from '../../platform/concurrency.ts'
import type { ClusterSemaphore } from '../../platform/db/cluster-semaphore.ts'

/** What a part costs beside its bytes: somebody who sends a body byte by byte takes memory for each. */
const PART_BYTES = 256

type BodyCallback = (error: Error | null, body?: Buffer) => void
type ReceivedRequest = Pick<FastifyRequest, 'raw' | 'ip' | 'caller' | 'bodyUnderWay' | 'routeOptions'>

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
  receive(request: ReceivedRequest, done: BodyCallback): void {
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
    while (body.sender.bytes > BODIES.perSender) if (!this.#dropOldest(body.sender, tooManyBodies())) break
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

function tooManyBodies(): BursarError {
  const megabytes = BODIES.perSender / 1_048_576
  return new BursarError(
    'RLE00000',
    `You are sending bodies of more than ${megabytes} MiB at once. Wait until some of them are answered.`,
    { retryAfterS: 1 },
  )
}

/** Who sends a file: an API key or a person, and for which institute. */
export type Uploader = { key: string; instituteId: number }

/** Where a process that dies has its permits taken back. */
type Semaphore = Pick<ClusterSemaphore, 'tryAcquire'>

const SWEEP_MS = 1_000
/** Files take seconds, so a caller that is refused need not come back at once. */
const RETRY_AFTER_S = 5

/**
 * Files that are arriving or being read. Each lies in the temporary folder until its request is answered, so they are
 * counted before the first byte of a body is read: by key and by school over all processes, which may share the folder,
 * and all together in this one.
 */
export class Uploads {
  readonly #open = new Set<Upload>()
  readonly #semaphore: Semaphore
  /** When the process is about to end, files that are still coming end with it. */
  #endMs = Infinity

  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore
  }

  get size(): number {
    return this.#open.size
  }

  start(): () => void {
    const timer = setInterval(() => this.sweep(performance.now()), SWEEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** A stop waits for files no longer than for any other request. */
  endSoon(nowMs: number): void {
    this.#endMs = nowMs + REQUEST.seconds * 1_000
  }

  /** Counts it here; `admit` asks what others are sending. */
  begin(by: Uploader): Upload {
    const others = [...this.#open]
    // Who sends too much to this process alone is told without asking the database.
    if (others.filter(other => other.by.key === by.key).length >= UPLOADS.perKey) throw tooManyOfKey()
    if (others.filter(other => other.by.instituteId === by.instituteId).length >= UPLOADS.perSchool)
      throw tooManyOfSchool()
    if (others.length >= UPLOADS.inAll)
      throw new BursarError('SYE00001', 'Very many files are being sent. Retry in a few seconds.', {
        retryAfterS: RETRY_AFTER_S,
      })
    const upload = new Upload(by, this.#semaphore, () => this.#open.delete(upload))
    this.#open.add(upload)
    return upload
  }

  /** Ends those that come too slowly or not at all, and answers how many. */
  sweep(nowMs: number): number {
    let ended = 0
    for (const upload of this.#open) {
      const problem = upload.isComing && nowMs >= this.#endMs ? isStopping() : upload.problemAt(nowMs)
      if (problem === null) continue
      upload.stop(problem)
      ended++
    }
    return ended
  }
}

export class Upload {
  readonly by: Uploader
  readonly #semaphore: Semaphore
  readonly #stopped = Promise.withResolvers<never>()
  readonly #onEnd: () => void
  readonly #permits: (() => void)[] = []
  #isOver = false
  readonly #begunMs = performance.now()
  #bytes = 0
  /** Null once all of it has come. */
  #lastByteMs: number | null = this.#begunMs

  constructor(by: Uploader, semaphore: Semaphore, onEnd: () => void) {
    this.by = by
    this.#semaphore = semaphore
    this.#onEnd = onEnd
    // Whoever waits for bytes is told; nobody may be waiting.
    this.#stopped.promise.catch(() => {})
  }

  /** Takes its place among those of all processes, or says why there is none. */
  async admit(): Promise<void> {
    const { key, instituteId } = this.by
    try {
      await this.#take(`uploads by ${key}`, UPLOADS.perKey, tooManyOfKey)
      await this.#take(`uploads of school ${instituteId}`, UPLOADS.perSchool, tooManyOfSchool)
    } catch (error) {
      this.end()
      throw error
    }
  }

  async #take(name: string, most: number, refusal: () => BursarError): Promise<void> {
    const release = await this.#semaphore.tryAcquire(name, most)
    if (release === null) throw refusal()
    this.#permits.push(release)
    if (!this.#isOver) return
    // The sender went away meanwhile, and nobody ends it a second time.
    this.end()
    throw cutShort()
  }

  /** The next of something that may never come. */
  next<Value>(coming: Promise<Value>): Promise<Value> {
    return Promise.race([coming, this.#stopped.promise])
  }

  took(bytes: number, nowMs: number): void {
    this.#bytes += bytes
    this.#lastByteMs = nowMs
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isComing(): boolean {
    return this.#lastByteMs !== null
  }

  /** Why it is not waited for any longer; null while it comes as quickly as it must. */
  problemAt(nowMs: number): BursarError | null {
    if (this.#lastByteMs === null) return null
    if (nowMs - this.#lastByteMs >= UPLOADS.idleSeconds * 1_000)
      return badRequest(`Nothing of the file came for ${UPLOADS.idleSeconds} seconds. Send it again.`)
    const allowedMs = (REQUEST.seconds + this.#bytes / UPLOADS.bytesPerSecond) * 1_000
    if (nowMs - this.#begunMs < allowedMs) return null
    const least = `${UPLOADS.bytesPerSecond / 1_000} kB a second after the first ${REQUEST.seconds} seconds`
    return badRequest(
      `The file comes too slowly: at least ${least} are needed. Use a faster line, or split it.`,
    )
  }

  stop(problem: BursarError): void {
    this.#stopped.reject(problem)
  }

  arrived(): void {
    this.#lastByteMs = null
  }

  end(): void {
    this.#isOver = true
    for (const release of this.#permits.splice(0)) release()
    this.#onEnd()
  }
}

const isStopping = (): BursarError => unavailable('Bursar is being restarted. Send the file again.')

const tooManyOfKey = (): BursarError => tooManyUploads(`You are sending ${UPLOADS.perKey} files already.`)

const tooManyOfSchool = (): BursarError =>
  tooManyUploads(`${UPLOADS.perSchool} files of this school are being sent or read already.`)

function tooManyUploads(text: string): BursarError {
  return new BursarError('RLE00000', `${text} Wait until one of them is answered.`, {
    retryAfterS: RETRY_AFTER_S,
  })
}
