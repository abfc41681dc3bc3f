import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../errors.ts'

/** Names whose turn it is: a school's, that of the network a stranger comes from, or a job's. */
export type Asker = { name: string }

const askers = new AsyncLocalStorage<Asker>()
/** What runs for nobody in particular, such as the start of the process or a command, may have all connections. */
const NOBODY = 'nobody'

/** Statements of the act, and of whatever it awaits, wait for a connection in the turns of this asker. */
export function askAs<Result>(asker: Asker, act: () => Result): Result {
  return askers.run(asker, act)
}

/** The request in hand has proved whose it is: from here on it waits in the turns of that school. */
export function countForSchool(instituteId: number): void {
  const asker = askers.getStore()
  if (asker !== undefined) asker.name = `school ${instituteId}`
}

/** A request that has waited longer for a connection is refused. */
const LONGEST_WAIT_MS = 3_000

/** What one asker leaves to others, who would wait for the end of a lock that all its requests wait for. */
const LEFT_TO_OTHERS = 0.25

type GiveBack = () => void
type Waiting = { grant: (giveBack: GiveBack) => void; timer: NodeJS.Timeout }

/**
 * Hands out the connections of a pool. When all are taken, a connection that is given back goes to each asker in turn, so whoever
 * sends very many requests waits for his own, and everybody else waits for one statement of each asker at most.
 */
export class ConnectionTurns {
  #free: number
  readonly #mostOfOne: number
  readonly #held = new Map<string, number>()
  /** The keys stand in the order of the turns: whoever had one goes to the end. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #waitingCount = 0

  constructor(size: number) {
    this.#free = size
    this.#mostOfOne = Math.max(1, Math.floor(size * (1 - LEFT_TO_OTHERS)))
  }

  get waiting(): number {
    return this.#waitingCount
  }

  /** Answers at once, without a promise, when a connection is free. */
  take(): GiveBack | Promise<GiveBack> {
    const name = askers.getStore()?.name ?? NOBODY
    if (this.#free > 0 && this.#mayHave(name)) return this.#lend(name)
    const own = this.#waiting.getOrInsertComputed(name, () => new Set())
    const { promise, resolve, reject } = Promise.withResolvers<GiveBack>()
    const refuse = (): void => {
      this.#remove(name, own, waiting)
      reject(unavailable('The service is briefly unavailable. Please retry.'))
    }
    const waiting: Waiting = { grant: resolve, timer: setTimeout(refuse, LONGEST_WAIT_MS) }
    own.add(waiting)
    this.#waitingCount++
    return promise
  }

  #lend(name: string): GiveBack {
    this.#free--
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1)
    return () => {
      this.#free++
      const held = (this.#held.get(name) ?? 1) - 1
      if (held === 0) this.#held.delete(name)
      else this.#held.set(name, held)
      this.#lendNext()
    }
  }

  #mayHave(name: string): boolean {
    return name === NOBODY || (this.#held.get(name) ?? 0) < this.#mostOfOne
  }

  #lendNext(): void {
    for (const [name, own] of this.#waiting) {
      const [waiting] = own
      if (waiting === undefined || !this.#mayHave(name)) continue
      this.#remove(name, own, waiting)
      if (own.size > 0) {
        this.#waiting.delete(name)
        this.#waiting.set(name, own)
      }
      clearTimeout(waiting.timer)
      waiting.grant(this.#lend(name))
      return
    }
  }

  #remove(name: string, own: Set<Waiting>, waiting: Waiting): void {
    own.delete(waiting)
    this.#waitingCount--
    if (own.size === 0) this.#waiting.delete(name)
  }
}
