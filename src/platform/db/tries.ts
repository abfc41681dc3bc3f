import { admitTry, uncount, type Tries, type Waits } from '../rate-limits.rules.ts'
import type { Database, Transaction } from './database.ts'

/** A table that counts tries. `lock` holds the row, which it makes if need be; null when there were no tries before. */
export type TriesTable = {
  lock(tx: Transaction, key: string): Promise<Tries | null>
  write(tx: Transaction, key: string, tries: Tries): Promise<void>
}

export type TrySubject = {
  key: string
  limit: Waits
  /** Counts what the first subject does without a wait: a network that keeps guessing adds nothing more to it. */
  isShared?: true
}

/** Counts a try of all subjects, which are always named in the same order; answers until when one of them has to wait. */
export async function countTries(
  db: Database,
  table: TriesTable,
  subjects: readonly TrySubject[],
): Promise<Date | null> {
  return db.transaction(async tx => {
    const now = new Date()
    let ofOwn = 0
    for (const [at, { key, limit, isShared = false }] of subjects.entries()) {
      const admission = admitTry(await table.lock(tx, key), now, limit)
      if (admission.kind === 'blocked') return admission.until
      if (at === 0) ofOwn = admission.tries.failures
      if (!isShared || ofOwn <= (subjects[0]?.limit.free ?? 0)) await table.write(tx, key, admission.tries)
    }
    return null
  })
}

/** It was no failure; those before it stand. */
export async function uncountTries(
  db: Database,
  table: TriesTable,
  subjects: readonly TrySubject[],
): Promise<void> {
  await db.transaction(async tx => {
    for (const { key, limit } of subjects) {
      const tries = await table.lock(tx, key)
      if (tries !== null) await table.write(tx, key, uncount(tries, limit))
    }
  })
}
