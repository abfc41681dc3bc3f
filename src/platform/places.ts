import { BursarError } from './errors.ts'

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
