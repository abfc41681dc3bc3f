import { BursarError } from '../../platform/errors.ts'
import { UPLOADS } from '../../platform/limits.rules.ts'

/** Who sends a file: an API key or a person, and for which institute. */
export type Uploader = { key: string; instituteId: number }

const SWEEP_MS = 1_000
/** Files take seconds, so a caller that is refused need not come back at once. */
const RETRY_AFTER_S = 5

/**
 * Files that are arriving or being read, in one process. Each lies in the temporary folder until its request is answered,
 * so they are counted before the first byte of a body is read: by key, by school, and all together.
 */
export class Uploads {
  readonly #open = new Set<Upload>()

  get size(): number {
    return this.#open.size
  }

  start(): () => void {
    const timer = setInterval(() => this.sweep(performance.now()), SWEEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  begin(by: Uploader): Upload {
    const others = [...this.#open].filter(({ by: other }) => other.instituteId === by.instituteId)
    if (others.filter(({ by: other }) => other.key === by.key).length >= UPLOADS.perKey)
      throw tooMany(`You are sending ${UPLOADS.perKey} files already.`)
    if (others.length >= UPLOADS.perSchool)
      throw tooMany(`${UPLOADS.perSchool} files of this school are being sent or read already.`)
    if (this.#open.size >= UPLOADS.inAll)
      throw new BursarError('SYE00001', 'Very many files are being sent. Retry in a few seconds.', {
        retryAfterS: RETRY_AFTER_S,
      })
    const upload = new Upload(by, () => this.#open.delete(upload))
    this.#open.add(upload)
    return upload
  }

  /** Ends those of which nothing came for too long, and answers how many. */
  sweep(nowMs: number): number {
    const idle = [...this.#open].filter(upload => upload.isIdle(nowMs))
    for (const upload of idle) upload.stop()
    return idle.length
  }
}

export class Upload {
  readonly by: Uploader
  readonly #stopped = Promise.withResolvers<never>()
  readonly #onEnd: () => void
  /** Null once all of it has come. */
  #lastByteMs: number | null = performance.now()

  constructor(by: Uploader, onEnd: () => void) {
    this.by = by
    this.#onEnd = onEnd
    // Whoever waits for bytes is told; nobody may be waiting.
    this.#stopped.promise.catch(() => {})
  }

  /** The next of something that may never come. */
  next<Value>(coming: Promise<Value>): Promise<Value> {
    this.#lastByteMs = performance.now()
    return Promise.race([coming, this.#stopped.promise])
  }

  isIdle(nowMs: number): boolean {
    return this.#lastByteMs !== null && nowMs - this.#lastByteMs >= UPLOADS.idleSeconds * 1_000
  }

  stop(): void {
    const text = `Nothing of the file came for ${UPLOADS.idleSeconds} seconds. Send it again.`
    this.#stopped.reject(new BursarError('HUE00000', text))
  }

  arrived(): void {
    this.#lastByteMs = null
  }

  end(): void {
    this.#onEnd()
  }
}

function tooMany(text: string): BursarError {
  return new BursarError('RLE00000', `${text} Wait until one of them is answered.`, {
    retryAfterS: RETRY_AFTER_S,
  })
}
