import { isHere } from '../../platform/db/query.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { recordColumns, toRecord, type RecordRow, type StudentRecord } from '../students.store.ts'
import type { GradeCounts, RolloverOptions } from './rollover.rules.ts'

export type Years = { fromYearStart: number; fromYearEnd: number; toYearStart: number; toYearEnd: number }

export type RolloverProblem = { studentId: string; identifier: string; fullname: string; message: string }

/** stopped: half way, by a person or because the fee structure of the new year was changed. */
export const ROLLOVER_STATES = ['running', 'done', 'stopped'] as const
type RolloverState = (typeof ROLLOVER_STATES)[number]

export type Rollover = Years & {
  id: string
  options: RolloverOptions
  state: RolloverState
  studentsTotal: number
  seenUntil: string
  grades: readonly GradeCounts[]
  problems: readonly RolloverProblem[]
  createdAt: Date
  finishedAt: Date | null
}

const rollovers = new Table<Rollover>('rollovers', {
  id: 'text',
  fromYearStart: 'int',
  fromYearEnd: 'int',
  toYearStart: 'int',
  toYearEnd: 'int',
  options: 'jsonb',
  state: 'text',
  studentsTotal: 'int',
  seenUntil: 'text',
  grades: 'jsonb',
  problems: 'jsonb',
  createdAt: 'timestamptz',
  finishedAt: 'timestamptz',
})
const ofInstitute = rollovers.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertRollover(tx: Transaction, instituteId: number, one: Rollover): Promise<void> {
  await ofInstitute.insert(tx, [{ ...one, instituteId }])
}

/** The institute has one that is under way. */
export function isUnderWay(error: unknown): boolean {
  return isUniqueViolation(error, 'rollovers_running')
}

export async function findRollover(db: Queryable, instituteId: number, id: string): Promise<Rollover | null> {
  const [row] = await db.query<Rollover>(
    `select ${rollovers.columns('r')} from rollovers r where r.institute_id = $1 and r.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export async function listRollovers(
  db: Queryable,
  instituteId: number,
  page: PageRange,
): Promise<Page<Rollover>> {
  return list<Rollover>(
    db,
    {
      select: rollovers.columns('r'),
      from: 'rollovers r',
      scope: [['r.institute_id = $1', instituteId]],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}

/** The oldest that is under way. */
export async function findRunning(db: Database): Promise<(Rollover & { instituteId: number }) | null> {
  const [row] = await db.query<Rollover & { instituteId: number }>(
    `select ${ofInstitute.columns('r')} from rollovers r
     where r.state = 'running' and ${isHere('r.institute_id')} order by r.created_at, r.id limit 1`,
  )
  return row ?? null
}

/** Held until the commit. */
export async function lockRollover(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<Rollover | null> {
  const [row] = await tx.query<Rollover>(
    `select ${rollovers.columns('r')} from rollovers r where r.institute_id = $1 and r.id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

export async function updateRollover(tx: Transaction, instituteId: number, one: Rollover): Promise<void> {
  await ofInstitute.update(tx, [{ ...one, instituteId }], {
    key: ['instituteId', 'id'],
    set: ['state', 'seenUntil', 'grades', 'problems', 'finishedAt'],
  })
}

type CarriedDues = {
  studentId: string
  componentType: string
  fromStudentId: string
  partNo: number
  dueOn: string | null
  amountPaise: Paise
  carriedAt: Date
}

const carriedDues = new Table<CarriedDues & { instituteId: number }>('carried_dues', {
  instituteId: 'int',
  studentId: 'text',
  componentType: 'text',
  fromStudentId: 'text',
  partNo: 'int',
  dueOn: 'date',
  amountPaise: 'bigint',
  carriedAt: 'timestamptz',
})

export async function insertCarriedDues(
  tx: Transaction,
  instituteId: number,
  rows: readonly CarriedDues[],
): Promise<void> {
  await carriedDues.insert(
    tx,
    rows.map(row => ({ ...row, instituteId })),
  )
}

export type CarriedTo = { componentType: string; yearStart: number; yearEnd: number }

/** Finds what was carried from a record at a moment. */
export async function findCarriedTo(
  db: Queryable,
  { instituteId, studentId, at }: { instituteId: number; studentId: string; at: Date },
): Promise<CarriedTo | null> {
  const [row] = await db.query<CarriedTo>(
    `select c.component_type as "componentType", n.academic_year_start as "yearStart", n.academic_year_end as "yearEnd"
     from carried_dues c join students n on n.institute_id = c.institute_id and n.id = c.student_id
     where c.institute_id = $1 and c.from_student_id = $2 and c.carried_at = $3 limit 1`,
    [instituteId, studentId, at],
  )
  return row ?? null
}

/** A student of the old year. */
export type Rolled = StudentRecord & {
  /** Its record of the new year: the same identifier, and a user in common. */
  nextId: string | null
  isCarried: boolean
  /** The record of the new year has a fee under the name that dues are carried under. */
  isTaken: boolean
}

const IN_OLD_YEAR = `s.institute_id = $1 and s.academic_year_start = $2 and s.academic_year_end = $3
  and s.status = 'active'`
const OF_OLD_YEAR = `from students s where ${IN_OLD_YEAR}`

export async function countStudents(
  db: Queryable,
  instituteId: number,
  { fromYearStart, fromYearEnd }: Years,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(`select count(*)::int as count ${OF_OLD_YEAR}`, [
    instituteId,
    fromYearStart,
    fromYearEnd,
  ])
  return row?.count ?? 0
}

/** The ids of the next ones. Who was registered after it was started was not weighed with it, and waits for another. */
export async function listNextIds(
  db: Queryable,
  instituteId: number,
  { fromYearStart, fromYearEnd, seenUntil, createdAt }: Rollover,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select s.id ${OF_OLD_YEAR} and s.id > $4 and s.created_at <= $5 order by s.id limit $6`,
    [instituteId, fromYearStart, fromYearEnd, seenUntil, createdAt, limit],
  )
  return rows.map(({ id }) => id)
}

/** The active students of the old year among these, by id. Held until the commit when they are to be changed. */
export async function readBatch(
  db: Queryable,
  instituteId: number,
  { fromYearStart, fromYearEnd, toYearStart, toYearEnd }: Years,
  {
    ids,
    duesComponent,
    isLocked,
  }: { ids: readonly string[]; duesComponent: string | null; isLocked: boolean },
): Promise<Rolled[]> {
  // Locks in a statement of its own: what is read beside a student is then as it is once the student is locked.
  if (isLocked)
    await db.query(`select 1 ${OF_OLD_YEAR} and s.id = any($4) order by s.id for update`, [
      instituteId,
      fromYearStart,
      fromYearEnd,
      ids,
    ])
  const rows = await db.query<RecordRow & Omit<Rolled, keyof StudentRecord>>(
    `select ${recordColumns('$1')}, next.id as "nextId", exists (select from fee_components f where f.institute_id = $1
         and f.student_id = next.id and f.component_type = $7 and f.fee_paise > 0) as "isTaken",
       exists (select from student_transfers t
         join students n on n.institute_id = t.institute_id and n.id = t.other_student_id
           and n.academic_year_start = $5 and n.academic_year_end = $6
         where t.institute_id = $1 and t.student_id = s.id and t.rollover_id is not null) as "isCarried"
     from students s left join lateral (select n.id from students n where n.institute_id = $1 and n.identifier = s.identifier
          and n.academic_year_start = $5 and n.academic_year_end = $6
          and exists (select from student_users a join student_users b on b.institute_id = a.institute_id
            and b.registration_id = a.registration_id and b.student_id = n.id
            where a.institute_id = $1 and a.student_id = s.id)
        order by n.id limit 1) next on true
     where ${IN_OLD_YEAR} and s.id = any($4) order by s.id`,
    [instituteId, fromYearStart, fromYearEnd, ids, toYearStart, toYearEnd, duesComponent],
  )
  return rows.map(({ nextId, isCarried, isTaken, ...row }) => ({
    ...toRecord(row),
    nextId,
    isCarried,
    isTaken,
  }))
}
