import type { Ground } from '../platform/ground.ts'
import * as store from './operator-jobs.store.ts'
import type { LetterKind } from './operator.rules.ts'

export type { DeadLetter } from './operator-jobs.store.ts'

export type Jobs = { jobs: store.Job[]; deadLetters: Record<LetterKind, number> }

export async function readJobs({ db, clock }: Ground): Promise<Jobs> {
  const [jobs, deadLetters] = await Promise.all([store.readJobs(db, clock.now()), store.countDeadLetters(db)])
  return { jobs, deadLetters }
}

export async function listDeadLetters(
  { db }: Ground,
  kind: LetterKind,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ letters: store.DeadLetter[]; nextCursor: string | undefined }> {
  const found = await store.listDeadLetters(db, kind, { cursor, limit: limit + 1 })
  const letters = found.slice(0, limit)
  return { letters, nextCursor: found.length > limit ? letters.at(-1)?.id : undefined }
}
