import type { ClusterSemaphore } from '../../platform/db/cluster-semaphore.ts'
import { badRequest, BursarError, unavailable } from '../../platform/errors.ts'
import { REQUEST, UPLOADS } from '../../platform/limits.rules.ts'
import { cutShort } from './bodies.ts'

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

const tooManyOfKey = (): BursarError => tooMany(`You are sending ${UPLOADS.perKey} files already.`)

const tooManyOfSchool = (): BursarError =>
  tooMany(`${UPLOADS.perSchool} files of this school are being sent or read already.`)

function tooMany(text: string): BursarError {
  return new BursarError('RLE00000', `${text} Wait until one of them is answered.`, {
    retryAfterS: RETRY_AFTER_S,
  })
}
