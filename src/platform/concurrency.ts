import { setImmediate as turn } from 'node:timers/promises'
import { isMoving, isUnavailable, BursarError } from './errors.ts'

/** Does each, one after the other; one that fails does not stop the rest; failures are thrown at the end. */
export async function forEachSettled<Item>(
  items: Iterable<Item>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await act(item)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Does all of them at once, as nearly always; when that fails, each half by itself, and so on, so that one that fails
 * keeps nobody waiting but itself. A database that is away fails all of them, and is not asked so often. What is of a school
 * that is just moving has not failed: that is thrown when the others are done.
 */
export async function bisectOnFailure<Item>(
  items: readonly Item[],
  act: (some: readonly Item[]) => Promise<void>,
  onFailure: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items
  if (first === undefined) return
  try {
    await act(items)
  } catch (error) {
    if (isUnavailable(error) && (!isMoving(error) || others.length === 0)) throw error
    if (others.length === 0) return onFailure(first, error)
    const half = Math.ceil(items.length / 2)
    await forEachSettled([items.slice(0, half), items.slice(half)], some =>
      bisectOnFailure(some, act, onFailure),
    )
  }
}

/** How long a computation goes on before requests get their turn. */
const SLICE_MS = 5

/** A long computation that can stop between any two steps. Rules write it as a generator, which needs no clock. */
export type Steps<Result> = Generator<undefined, Result, undefined>

export async function runInSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let since = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (performance.now() - since < SLICE_MS) continue
    await turn()
    since = performance.now()
  }
}

/** Runs what it is given in the order in which it came, at most one in a turn of the event loop. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  take(run: () => void): void {
    this.#waiting.push(run)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const run = this.#waiting.shift()
      this.#schedule()
      run?.()
    })
  }
}

type WaitingRow<Row> = { row: Row; resolve: () => void; reject: (error: unknown) => void }

/**
 * Writes the rows of several callers as one statement when they come at the same moment. Each caller hears of its own row
 * alone: one that cannot be written fails nobody else.
 */
export class GatheredWrites<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>
  #waiting: WaitingRow<Row>[] = []

  constructor(write: (rows: readonly Row[]) => Promise<void>) {
    this.#write = write
  }

  add(row: Row): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (this.#waiting.push({ row, resolve, reject }) === 1) setImmediate(() => void this.#writeAll())
    return promise
  }

  async #writeAll(): Promise<void> {
    const all = this.#waiting
    this.#waiting = []
    const write = async (some: readonly WaitingRow<Row>[]): Promise<void> => {
      await this.#write(some.map(({ row }) => row))
      for (const { resolve } of some) resolve()
    }
    try {
      await bisectOnFailure(all, write, async ({ reject }, error) => reject(error))
    } catch (error) {
      // Whoever was written has been told so and ignores this.
      for (const { reject } of all) reject(error)
    }
  }
}

const RETRY_AFTER_S = 5

/** How many large files are being made and downloaded, by school: one school's slow downloads take no place of another's. */
export class Places {
  readonly #taken = new Map<number, number>()
  readonly #most: { perSchool: number; inAll: number }
  readonly #what: string

  constructor(most: { perSchool: number; inAll: number }, what: string) {
    this.#most = most
    this.#what = what
  }

  /** Answers what gives the place back. */
  take(instituteId: number): () => void {
    const own = this.#taken.get(instituteId) ?? 0
    const all = this.#taken.values().reduce((sum, count) => sum + count, 0)
    const told = { retryAfterS: RETRY_AFTER_S }
    if (own >= this.#most.perSchool)
      throw new BursarError(
        'RLE00000',
        `As many ${this.#what} as a school may have at a time are being made or downloaded already. Try again in a moment.`,
        told,
      )
    if (all >= this.#most.inAll)
      throw new BursarError(
        'SYE00001',
        `Very many ${this.#what} are being made. Try again in a moment.`,
        told,
      )
    this.#taken.set(instituteId, own + 1)
    return () => {
      const left = (this.#taken.get(instituteId) ?? 1) - 1
      if (left === 0) this.#taken.delete(instituteId)
      else this.#taken.set(instituteId, left)
    }
  }
}
