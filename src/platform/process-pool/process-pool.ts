import { fork, type ChildProcess, type Serializable } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { unavailable } from '../errors.ts'
import type { Reply } from './serve.ts'

export type ProcessLimits = {
  /** How long a process may work for one use, not counting while it waits for us. */
  maxMs: number
  /** Limit of the process's heap. */
  maxHeapMb: number
  /** How many work at a time. */
  processes: number
  /** How many uses of one share may wait for a process, urgent ones and others each; what is beyond is refused. */
  maxWaiting: number
  /** How long an unused process is kept; 0: each use has a process of its own. */
  idleMs: number
}

/** A process ended before it answered: too much time, too much memory, or a crash. Another use gets a new one. */
export class ProcessFailure extends Error {
  override readonly name = 'ProcessFailure'
  readonly reason: 'time' | 'memory' | 'crash'

  constructor(reason: ProcessFailure['reason'], cause?: unknown) {
    super(`a helper process was ended: ${reason}`, { cause })
    this.reason = reason
  }
}

/**
 * Work that strangers can make long or large, done in processes of their own: requests are answered meanwhile, and what
 * exceeds its limits ends that process. A thread would not do: V8 may answer a heap limit by ending the whole process
 * that the thread belongs to. The module of a process calls `serveProcess`.
 */
export class ProcessPool<Ask, Answer> {
  readonly #module: URL
  readonly #limits: ProcessLimits
  #idle: Helper<Ask, Answer>[] = []
  readonly #waiting: FairQueue<PromiseWithResolvers<void>>
  #inUse = 0

  constructor(module: URL, limits: ProcessLimits) {
    this.#module = module
    this.#limits = limits
    this.#waiting = new FairQueue(limits.maxWaiting)
  }

  /** One process for as many questions as the use has, one after the other. */
  async use<Result>(
    act: (ask: (question: Ask) => Promise<Answer>) => Promise<Result>,
    turn: Turn,
  ): Promise<Result> {
    await this.#enter(turn)
    const helper = this.#take()
    try {
      return await act(question => helper.ask(question))
    } finally {
      this.#release(helper)
    }
  }

  async #enter(turn: Turn): Promise<void> {
    if (this.#inUse < this.#limits.processes) {
      this.#inUse++
      return
    }
    // A finished task hands its slot to the next.
    const place = Promise.withResolvers<void>()
    const refused = this.#waiting.push(turn, place)
    refused?.reject(unavailable('Too much of this is being done at the moment. Retry in a few seconds.'))
    await place.promise
  }

  #take(): Helper<Ask, Answer> {
    // Their time is over, or the kernel has killed them because memory ran out.
    this.#idle = this.#idle.filter(one => !one.isEnded)
    const helper = this.#idle.pop() ?? new Helper<Ask, Answer>(this.#module, this.#limits)
    helper.begin()
    return helper
  }

  #release(helper: Helper<Ask, Answer>): void {
    const { idleMs } = this.#limits
    if (idleMs === 0 || helper.isBusy) helper.end()
    if (!helper.isEnded) {
      this.#idle.push(helper)
      helper.endAfter(idleMs)
    }
    const next = this.#waiting.next()
    if (next === undefined) this.#inUse--
    else next.resolve()
  }
}

class Helper<Ask, Answer> {
  readonly #child: ChildProcess
  readonly #maxMs: number
  #leftMs = 0
  #pending: PromiseWithResolvers<Answer> | null = null
  #failure: ProcessFailure | null = null
  #idleTimer: NodeJS.Timeout | undefined

  constructor(module: URL, { maxHeapMb, maxMs }: ProcessLimits) {
    this.#maxMs = maxMs
    this.#child = fork(module, {
      execArgv: [`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=16', '--v8-pool-size=1'],
      // A process that reads hostile files gets none of our secrets.
      env: compileCache(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child
      .on('message', reply => {
        const message = reply as Reply<Answer>
        if ('error' in message) this.#pending?.reject(new Error(message.error))
        else this.#pending?.resolve(message.answer)
      })
      .on('error', error => this.#fail(new ProcessFailure('crash', error)))
      .on('exit', (_code, signal) =>
        this.#fail(new ProcessFailure(isOutOfMemory(signal) ? 'memory' : 'crash')),
      )
      .unref()
    this.#child.channel?.unref()
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

  async ask(question: Ask): Promise<Answer> {
    if (this.#failure !== null) throw this.#failure
    const pending = Promise.withResolvers<Answer>()
    this.#pending = pending
    const start = performance.now()
    const timer = setTimeout(() => this.#fail(new ProcessFailure('time')), Math.max(0, this.#leftMs))
    try {
      this.#child.send(question as Serializable, error => {
        if (error !== null) this.#fail(new ProcessFailure('crash', error))
      })
      return await pending.promise
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - start
      this.#pending = null
    }
  }

  end(): void {
    this.#fail(new ProcessFailure('crash'))
  }

  endAfter(idleMs: number): void {
    this.#idleTimer = setTimeout(() => this.end(), idleMs).unref()
  }

  #fail(failure: ProcessFailure): void {
    if (this.#failure !== null) return
    this.#failure = failure
    this.#pending?.reject(failure)
    this.#child.kill('SIGKILL')
  }
}

/** How V8 ends a process whose heap is full. */
function isOutOfMemory(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
}

/** A process reads the compiled code of earlier ones back, which halves the work of its start. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  // It answers the folder of this version of Node below the one that was set.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** Names for whom work is done, such as a school, and whether somebody waits for it now. */
export type Turn = { share: number | string; isUrgent: boolean }

/** After so many urgent ones in a row the others have a turn too: mails leave even while people ask all day. */
const URGENT_IN_A_ROW = 4

/**
 * Work that waits for a process. Shares take turns, so that one with hundreds waiting holds up another by a single turn.
 * Urgent work goes first, and of one share the newest: who asked last still waits for it, while the oldest may have left.
 */
export class FairQueue<Entry> {
  readonly #maxOfShare: number
  /** The share whose turn is next stands first. */
  readonly #urgent = new Map<Turn['share'], Entry[]>()
  readonly #others = new Map<Turn['share'], Entry[]>()
  #urgentInARow = 0

  constructor(maxOfShare: number) {
    this.#maxOfShare = maxOfShare
  }

  /** Returns the entry that has no room: the oldest urgent one, since nobody may wait for it any more, or else the new one. */
  push({ share, isUrgent }: Turn, entry: Entry): Entry | null {
    const lane = isUrgent ? this.#urgent : this.#others
    const waiting = lane.getOrInsertComputed(share, () => [])
    if (!isUrgent && waiting.length >= this.#maxOfShare) return entry
    waiting.push(entry)
    return waiting.length > this.#maxOfShare ? (waiting.shift() ?? null) : null
  }

  next(): Entry | undefined {
    const isOthersTurn = this.#urgent.size === 0 || this.#urgentInARow >= URGENT_IN_A_ROW
    const lane = isOthersTurn && this.#others.size > 0 ? this.#others : this.#urgent
    this.#urgentInARow = lane === this.#urgent ? this.#urgentInARow + 1 : 0
    for (const [share, waiting] of lane) {
      const entry = lane === this.#urgent ? waiting.pop() : waiting.shift()
      lane.delete(share)
      if (waiting.length > 0) lane.set(share, waiting)
      return entry
    }
    return undefined
  }
}
