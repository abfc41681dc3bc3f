import { unavailable } from '../errors.ts'
import { writeRefusal } from './errors.ts'
import type { Queryable } from './transaction.ts'

const TELL_AGAIN_MS = 60_000

/** Told at most once a minute that the database takes no writes. */
export type OnWritesRefused = (reason: string, error: unknown) => void

/** Whether the database takes writes: a standby does not, nor one whose disk is full. */
export class WriteRefusals {
  readonly #onRefused: OnWritesRefused | undefined
  #isRefusing = false
  #toldMs = -Infinity

  constructor(onRefused: OnWritesRefused | undefined) {
    this.#onRefused = onRefused
  }

  /** Answers whether the error is such a refusal. */
  note(error: unknown): boolean {
    const reason = writeRefusal(error)
    if (reason === null) return false
    this.#isRefusing = true
    const nowMs = performance.now()
    if (nowMs - this.#toldMs >= TELL_AGAIN_MS) {
      this.#toldMs = nowMs
      this.#onRefused?.(reason, error)
    }
    return true
  }

  async assertNone(db: Queryable): Promise<void> {
    const [row] = await db.query<{ isReadOnly: boolean }>(
      `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    )
    if (row?.isReadOnly === true) throw unavailable('The database is read-only.')
    // Only a write shows that the disk is no longer full, so one is tried after writes have failed.
    if (!this.#isRefusing) return
    await db.query('update schema_migrations set applied_at = applied_at where version = 1')
    this.#isRefusing = false
  }
}
