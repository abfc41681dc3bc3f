import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { Paise } from '../platform/money.ts'
import { recomputeAtCommit } from './balances.store.ts'
import type { Discount, FeeChange, FeeComponent } from './fees.rules.ts'

export async function readFees(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<FeeComponent[]> {
  return (await readFeesOf(tx, instituteId, [studentId])).get(studentId) ?? []
}

/** By student, in the order registered. */
export async function readFeesOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, FeeComponent[]>> {
  const rows = await db.query<FeeComponent & { studentId: string }>(
    `select f.student_id as "studentId", f.component_type as "componentType", f.position, f.fee_paise as "feePaise",
       f.discounts from unnest($2::text[]) as asked (id)
     join fee_components f on f.institute_id = $1 and f.student_id = asked.id order by f.student_id, f.position`,
    [instituteId, studentIds],
  )
  return Map.groupBy(rows, row => row.studentId)
}

export type FeeChangeContext = {
  changedAt: Date
  source: 'registration' | 'update' | 'pull' | 'late_fee' | 'import'
}

/** Sets the changed components, of however many students, and writes each change down. */
export async function applyFeeChanges(
  tx: Transaction,
  instituteId: number,
  changes: readonly (FeeChange & { studentId: string })[],
  { changedAt, source }: FeeChangeContext,
): Promise<void> {
  if (changes.length === 0) return
  const columns = [
    changes.map(change => change.studentId),
    changes.map(change => change.componentType),
    changes.map(change => change.after.feePaise),
    changes.map(change => JSON.stringify(change.after.discounts)),
  ]
  await tx.query(
    `insert into fee_components (institute_id, student_id, component_type, position, fee_paise, discounts)
     select $1, c.student_id, c.type, c.position, c.fee, c.discounts::jsonb
     from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::int[])
       as c (student_id, type, fee, discounts, position)
     on conflict (institute_id, student_id, component_type)
       do update set fee_paise = excluded.fee_paise, discounts = excluded.discounts`,
    [instituteId, ...columns, changes.map(change => change.position)],
  )
  await tx.query(
    `insert into fee_changes (institute_id, student_id, component_type, changed_at, source, note,
       fee_before_paise, discounts_before, fee_after_paise, discounts_after)
     select $1, c.student_id, c.type, $6, $7, c.note, c.fee_before, c.before::jsonb, c.fee_after, c.after::jsonb
     from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $8::text[], $9::bigint[], $10::text[])
       as c (student_id, type, fee_after, after, note, fee_before, before)`,
    [
      instituteId,
      ...columns,
      changedAt,
      source,
      changes.map(change => change.note),
      changes.map(change => change.before?.feePaise ?? null),
      changes.map(change => (change.before === null ? null : JSON.stringify(change.before.discounts))),
    ],
  )
  recomputeAtCommit(
    tx,
    instituteId,
    changes.map(change => change.studentId),
  )
}

export type RecordedChange = {
  componentType: string
  changedAt: Date
  source: string
  note: string | null
  feeBeforePaise: Paise | null
  discountsBefore: Discount[] | null
  feeAfterPaise: Paise
  discountsAfter: Discount[]
}

/** Of each component. */
const MAX_HISTORY = 100

/** Newest first. */
export async function readFeeHistory(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<RecordedChange[]> {
  return db.query<RecordedChange>(
    `select component_type as "componentType", changed_at as "changedAt", source, note,
       fee_before_paise as "feeBeforePaise", discounts_before as "discountsBefore",
       fee_after_paise as "feeAfterPaise", discounts_after as "discountsAfter"
     from (select *, row_number() over (partition by component_type order by change_no desc) as age
       from fee_changes where institute_id = $1 and student_id = $2) as changes
     where age <= ${MAX_HISTORY} order by change_no desc`,
    [instituteId, studentId],
  )
}
