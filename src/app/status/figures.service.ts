import type { SharedFigure } from '../../http/metrics.ts'
import { readDueWork, type DueWork } from '../../console/operator/jobs.service.ts'
import { readBooksCheck, type BooksCheck } from '../../payments/reconcile/nightly.service.ts'
import type { Context } from '../../platform/context.ts'
import { readStandbys, type Standby } from './status.store.ts'

/** What /metrics reads from the database when it is asked: it holds for all processes. */
export function sharedFigures(ctx: Pick<Context, 'db' | 'clock'>): SharedFigure[] {
  const { db } = ctx
  // Two figures of one page are read by one statement.
  let reading: Promise<DueWork[]> | null = null
  const dueWork = async (read: (work: DueWork) => number) => {
    reading ??= readDueWork(ctx).finally(() => (reading = null))
    return new Map((await reading).map(work => [work.kind, read(work)] as const))
  }
  const standbys = async (read: (standby: Standby) => number | null) =>
    new Map(
      (await readStandbys(db)).flatMap(standby => {
        const value = read(standby)
        return value === null ? [] : [[standby.name, value] as const]
      }),
    )
  const books = async (read: (check: BooksCheck) => number) => {
    const check = await readBooksCheck(db)
    return new Map(check === null ? [] : [['', read(check)] as const])
  }
  return [
    {
      name: 'bursar_due_rows',
      help: 'Rows that are due, by what has to be done with them; at most 10000',
      label: 'work',
      read: () => dueWork(({ due }) => due),
    },
    {
      name: 'bursar_due_oldest_seconds',
      help: 'For how long the oldest of them has been due; 0 when nothing is due',
      label: 'work',
      read: () => dueWork(({ lateMs }) => Math.max(0, lateMs / 1_000)),
    },
    {
      name: 'bursar_standby_lag_bytes',
      help: 'What a standby has still to apply; none without standbys, or without the right to see them',
      label: 'standby',
      read: () => standbys(({ lagBytes }) => lagBytes),
    },
    {
      name: 'bursar_standby_lag_seconds',
      help: 'How far a standby is behind',
      label: 'standby',
      read: () => standbys(({ lagSeconds }) => lagSeconds),
    },
    {
      name: 'bursar_standbys',
      help: 'Standbys that follow the server that takes the writes',
      read: async () => new Map([['', (await readStandbys(db)).length]]),
    },
    {
      name: 'bursar_standbys_expected',
      help: 'Servers that DATABASE_URL names besides that one',
      read: () => Promise.resolve(new Map([['', db.serverCount - 1]])),
    },
    {
      name: 'bursar_books_differences',
      help: 'What the last nightly check of the books found to differ',
      read: () => books(({ differences }) => differences),
    },
    {
      name: 'bursar_books_unchecked',
      help: 'Institutes whose books the last nightly check could not read',
      read: () => books(({ unchecked }) => unchecked.length),
    },
    {
      name: 'bursar_books_last_check_timestamp_seconds',
      help: 'When the last nightly check of the books was complete',
      read: () => books(({ at }) => Date.parse(at) / 1_000),
    },
  ]
}
