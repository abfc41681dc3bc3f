import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { RECORD_COLUMNS, toRecord, type RecordRow, type StudentRecord } from '../students.store.ts'
import type { RolloverCounts, RolloverOptions } from './rollover.rules.ts'

export type Years = { fromYearStart: number; fromYearEnd: number; toYearStart: number; toYearEnd: number }

export type RolloverProblem = { studentId: string; identifier: string; message: string }

export type Rollover = Years & {
  id: string
  options: RolloverOptions
  state: 'running' | 'done'
  seenUntil: string
  counts: RolloverCounts
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
  seenUntil: 'text',
  counts: 'jsonb',
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

/** Held until the commit; another process passes it by. */
export async function lockRunning(tx: Transaction): Promise<(Rollover & { instituteId: number }) | null> {
  const [row] = await tx.query<Rollover & { instituteId: number }>(
    `select ${ofInstitute.columns('r')} from rollovers r where r.state = 'running'
     order by r.created_at limit 1 for update skip locked`,
  )
  return row ?? null
}

export async function updateRollover(tx: Transaction, instituteId: number, one: Rollover): Promise<void> {
  await ofInstitute.update(tx, [{ ...one, instituteId }], {
    key: ['instituteId', 'id'],
    set: ['state', 'seenUntil', 'counts', 'problems', 'finishedAt'],
  })
}

/** A student of the old year. */
export type Rolled = StudentRecord & {
  /** Its record of the new year: the same identifier, and a user in common. */
  nextId: string | null
  isCarried: boolean
}

/** The next active students of the old year, by id. Held until the commit when they are to be changed. */
export async function readBatch(
  db: Queryable,
  instituteId: number,
  { fromYearStart, fromYearEnd, toYearStart, toYearEnd }: Years,
  { after, limit, isLocked }: { after: string; limit: number; isLocked: boolean },
): Promise<Rolled[]> {
  const rows = await db.query<RecordRow & { nextId: string | null; isCarried: boolean }>(
    `select ${RECORD_COLUMNS},
       (select n.id from students n where n.institute_id = s.institute_id and n.identifier = s.identifier
          and n.academic_year_start = $5 and n.academic_year_end = $6
          and exists (select from student_users a join student_users b on b.institute_id = a.institute_id
            and b.registration_id = a.registration_id and b.student_id = n.id
            where a.institute_id = s.institute_id and a.student_id = s.id)
        order by n.id limit 1) as "nextId",
       exists (select from student_transfers t
         join students n on n.institute_id = t.institute_id and n.id = t.other_student_id
           and n.academic_year_start = $5 and n.academic_year_end = $6
         where t.institute_id = s.institute_id and t.student_id = s.id) as "isCarried"
     from students s where s.institute_id = $1 and s.academic_year_start = $2 and s.academic_year_end = $3
       and s.status = 'active' and s.id > $4
     order by s.id limit $7 ${isLocked ? 'for update of s' : ''}`,
    [instituteId, fromYearStart, fromYearEnd, after, toYearStart, toYearEnd, limit],
  )
  return rows.map(({ nextId, isCarried, ...row }) => ({ ...toRecord(row), nextId, isCarried }))
}

export type Transfer = {
  studentId: string
  otherStudentId: string
  componentType: string
  amountPaise: Paise
}

const transfers = new Table<Transfer & { instituteId: number; rolloverId: string; transferredAt: Date }>(
  'student_transfers',
  {
    instituteId: 'int',
    studentId: 'text',
    otherStudentId: 'text',
    componentType: 'text',
    amountPaise: 'bigint',
    rolloverId: 'text',
    transferredAt: 'timestamptz',
  },
)

export async function insertTransfers(
  tx: Transaction,
  common: { instituteId: number; rolloverId: string; transferredAt: Date },
  rows: readonly Transfer[],
): Promise<void> {
  await transfers.insert(
    tx,
    rows.map(row => ({ ...row, ...common })),
  )
}
