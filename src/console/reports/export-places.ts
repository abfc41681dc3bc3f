import { BursarError } from '../../platform/errors.ts'
import { EXPORTS } from '../../platform/limits.rules.ts'

const RETRY_AFTER_S = 5

/** How many lists are being exported, by school: one school's slow downloads take no place of another's. */
export class ExportPlaces {
  readonly #taken = new Map<number, number>()

  /** Answers what gives the place back. */
  take(instituteId: number): () => void {
    const own = this.#taken.get(instituteId) ?? 0
    const all = this.#taken.values().reduce((sum, count) => sum + count, 0)
    if (own >= EXPORTS.perSchool)
      throw new BursarError('RLE00000', 'Several exports are being made already. Try again in a moment.', {
        retryAfterS: RETRY_AFTER_S,
      })
    if (all >= EXPORTS.inAll)
      throw new BursarError('SYE00001', 'Very many exports are being made. Try again in a moment.', {
        retryAfterS: RETRY_AFTER_S,
      })
    this.#taken.set(instituteId, own + 1)
    return () => {
      const left = (this.#taken.get(instituteId) ?? 1) - 1
      if (left === 0) this.#taken.delete(instituteId)
      else this.#taken.set(instituteId, left)
    }
  }
}
