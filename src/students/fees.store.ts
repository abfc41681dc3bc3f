import type { Queryable, Transaction } from '../platform/db.ts'
import type { Paise } from '../platform/money.ts'
import type { Discount, FeeChange, FeeComponent } from './fees.rules.ts'

export async function readFees(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<FeeComponent[]> {
  return tx.query<FeeComponent>(
    `select component_type as "componentType", position, fee_paise as "feePaise", discounts
     from fee_components where institute_id = $1 and student_id = $2 order by position`,
    [instituteId, studentId],
  )
}

export type FeeChangeContext = { changedAt: Date; source: 'registration' | 'update' | 'pull' | 'late_fee' }

/** Sets the changed components and writes each change down. */
export async function applyFeeChanges(
  tx: Transaction,
  instituteId: number,
  studentId: string,
  changes: readonly FeeChange[],
  context: FeeChangeContext,
): Promise<void> {
  if (changes.length === 0) return
  const columns = [
    changes.map(change => change.componentType),
    changes.map(change => change.position),
    changes.map(change => change.after.feePaise),
    changes.map(change => JSON.stringify(change.after.discounts)),
  ]
  await tx.query(
    `insert into fee_components (institute_id, student_id, component_type, position, fee_paise, discounts)
     select $1, $2, c.type, c.position, c.fee, c.discounts::jsonb
     from unnest($3::text[], $4::int[], $5::bigint[], $6::text[]) as c (type, position, fee, discounts)
     on conflict (institute_id, student_id, component_type)
       do update set fee_paise = excluded.fee_paise, discounts = excluded.discounts`,
    [instituteId, studentId, ...columns],
  )
  await tx.query(
    `insert into fee_changes (institute_id, student_id, component_type, changed_at, source, note,
       fee_before_paise, discounts_before, fee_after_paise, discounts_after)
     select $1, $2, c.type, $3, $4, c.note, c.fee_before, c.before::jsonb, c.fee_after, c.after::jsonb
     from unnest($5::text[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[])
       as c (type, fee_after, after, note, fee_before, before)`,
    [
      instituteId,
      studentId,
      context.changedAt,
      context.source,
      columns[0],
      columns[2],
      columns[3],
      changes.map(change => change.note),
      changes.map(change => change.before?.feePaise ?? null),
      changes.map(change => (change.before === null ? null : JSON.stringify(change.before.discounts))),
    ],
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
