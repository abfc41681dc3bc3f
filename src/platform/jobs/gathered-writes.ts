import { bisectOnFailure } from '../concurrency.ts'

type Waiting<Row> = { row: Row; resolve: () => void; reject: (error: unknown) => void }

/**
 * What several pieces of work write at the same moment leaves as one statement. Each hears of its own row alone: one that
 * cannot be written fails nobody else.
 */
export class GatheredWrites<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>
  #waiting: Waiting<Row>[] = []

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
    const write = async (some: readonly Waiting<Row>[]): Promise<void> => {
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
