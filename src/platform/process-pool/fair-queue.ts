/** For whom work is done, such as a school, and whether somebody waits for it at this moment. */
export type Turn = { share: number | string; isUrgent: boolean }

/** After so many urgent ones in a row the others have a turn too: mails leave even while people ask all day. */
const URGENT_IN_A_ROW = 4

/**
 * What waits for a place. Shares take turns, so that one with hundreds waiting holds up another by a single turn. What is
 * urgent goes first, and of one share the newest: who asked last still waits for it, while the oldest may have left.
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
