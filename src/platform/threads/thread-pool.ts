import { Worker } from 'node:worker_threads'
import { unavailable } from '../errors.ts'
import type { ThreadReply } from './serve-thread.ts'

export type ThreadLimits = {
  /** How long a thread may work for one use, not counting while it waits for us. */
  maxMs: number
  /** Of its heap. */
  maxHeapMb: number
  /** How many work at a time. */
  threads: number
  /** How many uses may wait for a thread; further ones are refused. */
  maxWaiting: number
  /** How long an unused thread is kept; 0: each use has a thread of its own. */
  idleMs: number
}

/** What is given away is not copied, and cannot be used here any more. */
type AskThread<Ask, Answer> = (question: Ask, given?: ArrayBuffer[]) => Promise<Answer>

/** A thread ended before it answered: too much time, too much memory, or a crash. Another use gets a new thread. */
export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure'
  readonly reason: 'time' | 'memory' | 'crash'

  constructor(reason: ThreadFailure['reason'], cause?: unknown) {
    super(`a worker thread was ended: ${reason}`, { cause })
    this.reason = reason
  }
}

/**
 * Work that strangers can make long or large, done in threads: requests are answered meanwhile, and what exceeds its
 * limits ends its thread instead of the process. A thread's module calls `serveThread`.
 */
export class ThreadPool<Ask, Answer> {
  readonly #module: URL
  readonly #limits: ThreadLimits
  readonly #idle: Thread<Ask, Answer>[] = []
  readonly #waiting: (() => void)[] = []
  #inUse = 0

  constructor(module: URL, limits: ThreadLimits) {
    this.#module = module
    this.#limits = limits
  }

  /** One thread for as many questions as the use has, one after the other. */
  async use<Result>(act: (ask: AskThread<Ask, Answer>) => Promise<Result>): Promise<Result> {
    await this.#enter()
    const thread = this.#take()
    try {
      return await act((question, given) => thread.ask(question, given))
    } finally {
      this.#release(thread)
    }
  }

  async #enter(): Promise<void> {
    if (this.#inUse < this.#limits.threads) {
      this.#inUse++
      return
    }
    if (this.#waiting.length >= this.#limits.maxWaiting)
      throw unavailable('Too much of this is being done at the moment. Retry in a few seconds.')
    // A finished task hands its slot to the next.
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await promise
  }

  #take(): Thread<Ask, Answer> {
    const thread = this.#idle.pop() ?? new Thread<Ask, Answer>(this.#module, this.#limits)
    thread.begin()
    return thread
  }

  #release(thread: Thread<Ask, Answer>): void {
    const { idleMs } = this.#limits
    if (idleMs === 0 || thread.isBusy) thread.end()
    if (!thread.isEnded) {
      this.#idle.push(thread)
      thread.endAfter(idleMs, () => this.#idle.splice(this.#idle.indexOf(thread), 1))
    }
    const next = this.#waiting.shift()
    if (next === undefined) this.#inUse--
    else next()
  }
}

class Thread<Ask, Answer> {
  readonly #worker: Worker
  readonly #maxMs: number
  #leftMs = 0
  #pending: PromiseWithResolvers<Answer> | null = null
  #failure: ThreadFailure | null = null
  #idleTimer: NodeJS.Timeout | undefined

  constructor(module: URL, { maxHeapMb, maxMs }: ThreadLimits) {
    this.#maxMs = maxMs
    this.#worker = new Worker(module, {
      // What reads hostile files has no business with our secrets.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
    })
    this.#worker
      .on('message', (reply: ThreadReply<Answer>) => {
        if ('error' in reply) this.#pending?.reject(new Error(reply.error))
        else this.#pending?.resolve(reply.answer)
      })
      .on('error', error => this.#fail(new ThreadFailure(isOutOfMemory(error) ? 'memory' : 'crash', error)))
      .on('exit', () => this.#fail(new ThreadFailure('crash')))
      .unref()
  }

  get isBusy(): boolean {
    return this.#pending !== null
  }

  get isEnded(): boolean {
    return this.#failure !== null
  }

  begin(): void {
    clearTimeout(this.#idleTimer)
    this.#leftMs = this.#maxMs
  }

  async ask(question: Ask, given: ArrayBuffer[] = []): Promise<Answer> {
    if (this.#failure !== null) throw this.#failure
    const pending = Promise.withResolvers<Answer>()
    this.#pending = pending
    const start = performance.now()
    const timer = setTimeout(() => this.#fail(new ThreadFailure('time')), Math.max(0, this.#leftMs))
    try {
      this.#worker.postMessage(question, given)
      return await pending.promise
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - start
      this.#pending = null
    }
  }

  end(): void {
    this.#fail(new ThreadFailure('crash'))
  }

  endAfter(idleMs: number, onEnd: () => void): void {
    this.#idleTimer = setTimeout(() => {
      onEnd()
      this.end()
    }, idleMs).unref()
  }

  #fail(failure: ThreadFailure): void {
    if (this.#failure !== null) return
    this.#failure = failure
    this.#pending?.reject(failure)
    void this.#worker.terminate()
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
