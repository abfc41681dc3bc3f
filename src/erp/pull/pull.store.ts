import type { Queryable } from '../../platform/db/database.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import type { StudentChange } from '../../students/profile/profile.rules.ts'
import type { StudentKey } from '../../students/students.rules.ts'

export const PULL_REASONS = ['flex_setup', 'presentation', 'reminder', 'init', 'test', 'console'] as const
export type PullReason = (typeof PULL_REASONS)[number]

/** One time that an ERP was asked, and what came of it. */
export type Fetch = {
  id: string
  studentId: string | null
  identifier: string
  reason: PullReason
  fetchedAt: Date
  durationMs: number
  outcome: 'found' | 'refused' | 'unavailable'
  httpStatus: number | null
  code: string | null
  message: string | null
  problems: readonly FieldProblem[]
  changes: readonly StudentChange[]
}

const erpFetches = new Table<Fetch>('erp_fetches', {
  id: 'text',
  studentId: 'text',
  identifier: 'text',
  reason: 'text',
  fetchedAt: 'timestamptz',
  durationMs: 'int',
  outcome: 'text',
  httpStatus: 'int',
  code: 'text',
  message: 'text',
  problems: 'jsonb',
  changes: 'jsonb',
})
const ofInstitute = erpFetches.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertFetches(
  db: Queryable,
  fetches: readonly (Fetch & { instituteId: number })[],
): Promise<void> {
  await ofInstitute.insert(db, fetches)
}

/** Lists a student's fetches, newest first: ids sort by when they were made. */
export async function listFetches(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  page: PageRange,
): Promise<Page<Fetch>> {
  return list<Fetch>(
    db,
    {
      select: erpFetches.columns('f'),
      from: 'erp_fetches f',
      scope: [
        ['f.institute_id = $1', instituteId],
        ['f.student_id = $1', studentId],
      ],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}
