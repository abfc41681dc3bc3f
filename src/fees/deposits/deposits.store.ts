import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { CARRIED_DUES } from './deposits.rules.ts'

type DepositSum = {
  studentId: string
  componentType: string
  payablePaise: Paise
  paidPaise: Paise
  /** What counts as settled here because it is owed in a later year. */
  carriedPaise: Paise
}

/** Deposits that something was paid of, as this transaction sees them. */
export async function readDepositSums(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<DepositSum[]> {
  return db.query<DepositSum>(
    `select b.student_id as "studentId", b.component_type as "componentType",
       b.fee_paise - b.discount_paise as "payablePaise", b.paid_paise as "paidPaise",
       (${CARRIED_DUES}) as "carriedPaise"
     from student_balance_sums b join catalogue_entries c on c.institute_id = b.institute_id and c.kind = 'component'
       and c.code = b.component_type and c.is_deposit
     where b.institute_id = $1 and b.student_id = any($2) and b.paid_paise > 0
     order by b.student_id, b.component_type`,
    [instituteId, studentIds],
  )
}

type Returned = { studentId: string; componentType: string; amountPaise: Paise }

export async function readReturned(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Returned[]> {
  return db.query<Returned>(
    `select c.student_id as "studentId", c.component_type as "componentType",
       sum(coalesce(c.fee_before_paise, 0) - c.fee_after_paise)::bigint as "amountPaise"
     from fee_changes c where c.institute_id = $1 and c.student_id = any($2) and c.source = 'deposit'
     group by c.student_id, c.component_type`,
    [instituteId, studentIds],
  )
}

type Undoable = { componentType: string; returnedPaise: Paise; advancePaise: Paise }

/** Deposits of a record of which something was given back, with what stands there beyond their price. */
export async function readUndoable(
  db: Queryable,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  componentType: string | null,
): Promise<Undoable[]> {
  return db.query<Undoable>(
    `select b.component_type as "componentType", c.paise as "returnedPaise",
       greatest(b.paid_paise + b.discount_paise - b.fee_paise, 0)::bigint as "advancePaise"
     from student_balance_sums b
     cross join lateral (select sum(coalesce(c.fee_before_paise, 0) - c.fee_after_paise)::bigint as paise
       from fee_changes c where c.institute_id = b.institute_id and c.student_id = b.student_id
         and c.component_type = b.component_type and c.source = 'deposit') c
     where b.institute_id = $1 and b.student_id = $2 and ($3::text is null or b.component_type = $3) and c.paise > 0
     order by b.component_type`,
    [instituteId, studentId, componentType],
  )
}
