import type { OptionalFee } from '../../fees/optional/optional-fee.rules.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { StudentOrigin } from '../students.rules.ts'
import type { Enrolment } from './enrolment.rules.ts'

const enrolments = new Table<Enrolment>('enrolments', {
  id: 'text',
  studentId: 'text',
  feeId: 'text',
  optionId: 'text',
  amountPaise: 'bigint',
  firstDay: 'date',
  lastDay: 'date',
  reason: 'text',
  madeAt: 'timestamptz',
  madeBy: 'text',
})
const ofInstitute = enrolments.with<{ instituteId: number }>({ instituteId: 'int' })

/** Adds new ones; of those that are there only the last day changes. */
export async function writeEnrolments(
  tx: Transaction,
  instituteId: number,
  rows: readonly Enrolment[],
): Promise<void> {
  await ofInstitute.insert(
    tx,
    rows.map(row => ({ ...row, instituteId })),
    { onConflict: 'on conflict (institute_id, id) do update set last_day = excluded.last_day' },
  )
}

/** Everything that these children have or had, in order. */
export async function readEnrolments(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Enrolment[]> {
  return db.query<Enrolment>(
    `select ${enrolments.columns('e')} from enrolments e where e.institute_id = $1 and e.student_id = any($2)
     order by e.student_id, e.first_day, e.id`,
    [instituteId, studentIds],
  )
}

/** The enrolments of one fee that nobody has taken back. */
export async function readStanding(db: Queryable, instituteId: number, feeId: string): Promise<Enrolment[]> {
  return db.query<Enrolment>(
    `select ${enrolments.columns('e')} from enrolments e
     where e.institute_id = $1 and e.fee_id = $2 and e.last_day >= e.first_day order by e.student_id, e.first_day, e.id`,
    [instituteId, feeId],
  )
}

export async function hasEnrolments(db: Queryable, instituteId: number, feeId: string): Promise<boolean> {
  const rows = await db.query('select 1 from enrolments where institute_id = $1 and fee_id = $2 limit 1', [
    instituteId,
    feeId,
  ])
  return rows.length > 0
}

/** Options that a child has or had, whose rows stay. */
export async function listUsedOptions(db: Queryable, instituteId: number, feeId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'select distinct option_id as id from enrolments where institute_id = $1 and fee_id = $2',
    [instituteId, feeId],
  )
  return rows.map(({ id }) => id)
}

/** How many active children have each option on a day; of a fee that is charged once, ever. */
export async function countChildren(
  db: Queryable,
  instituteId: number,
  { fee, on }: { fee: Pick<OptionalFee, 'id' | 'periods'>; on: string },
): Promise<Map<string, number>> {
  const rows = await db.query<{ optionId: string; children: number }>(
    `select e.option_id as "optionId", count(distinct e.student_id)::int as children
     from enrolments e join students s on s.institute_id = e.institute_id and s.id = e.student_id and s.status = 'active'
     where e.institute_id = $1 and e.fee_id = $2 and e.first_day <= e.last_day
       and ($4 or (e.first_day <= $3 and e.last_day >= $3)) group by e.option_id`,
    [instituteId, fee.id, on, fee.periods.length === 0],
  )
  return new Map(rows.map(row => [row.optionId, row.children]))
}

export type Candidate = {
  id: string
  collectorCode: string
  identifier: string
  fullname: string
  grade: string
  section: string | null
  category: string | null
  origin: StudentOrigin
  status: 'active' | 'dropped'
  academicYearStart: number
}

/** Whom an optional fee is for: children by their ids or admission numbers, or the active ones of a class. */
export type Who =
  | { studentIds: readonly string[] }
  | { identifiers: readonly string[] }
  | { grade: string; section: string | null }

export async function findCandidates(
  db: Queryable,
  instituteId: number,
  { who, year, limit }: { who: Who; year: number; limit: number },
): Promise<Candidate[]> {
  const [condition, values] =
    'studentIds' in who
      ? ['s.id = any($3)', [who.studentIds]]
      : 'identifiers' in who
        ? ['s.academic_year_start = $3 and lower(s.identifier) = any($4)', [year, who.identifiers.map(lower)]]
        : [
            `s.status = 'active' and s.academic_year_start = $3 and lower(btrim(s.grade)) = lower(btrim($4))
             and ($5::text is null or lower(btrim(s.section)) = lower(btrim($5)))`,
            [year, who.grade, who.section],
          ]
  return db.query<Candidate>(
    `select s.id, s.collector_code as "collectorCode", s.identifier, s.fullname, s.grade, s.section, s.category, s.origin,
       s.status, s.academic_year_start as "academicYearStart"
     from students s where s.institute_id = $1 and ${condition} order by s.id limit $2`,
    [instituteId, limit, ...values],
  )
}

const lower = (text: string): string => text.toLowerCase()

/** The records of another year of the same children, by the id of this year's. */
export async function findInYear(
  db: Queryable,
  instituteId: number,
  { studentIds, year }: { studentIds: readonly string[]; year: number },
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; nextId: string }>(
    `select distinct on (s.id) s.id, n.id as "nextId" from students s
     join students n on n.institute_id = s.institute_id and n.identifier = s.identifier
       and n.academic_year_start = $3 and n.status = 'active'
     where s.institute_id = $1 and s.id = any($2) order by s.id, n.collector_code = s.collector_code desc, n.id`,
    [instituteId, studentIds, year],
  )
  return new Map(rows.map(row => [row.id, row.nextId]))
}
