import type { Queryable, Transaction } from '../platform/db/database.ts'

/** Locks in the order of ids, so that two who lock many cannot deadlock. */
const LOCK = `select from students where institute_id = $1 and id = any($2) order by id for no key update`

/** A component that nothing says anything of any more stays as a row of zeros. */
const RECOMPUTE = `
  insert into student_balances as b (institute_id, student_id, component_type, fee_paise, discount_paise, paid_paise)
  select $1, student_id, component_type, coalesce(s.fee_paise, 0), coalesce(s.discount_paise, 0), coalesce(s.paid_paise, 0)
  from (select * from student_balance_sums where institute_id = $1 and student_id = any($2)) s
  full join (
    select student_id, component_type from student_balances where institute_id = $1 and student_id = any($2)
  ) known using (student_id, component_type)
  on conflict (institute_id, student_id, component_type) do update set fee_paise = excluded.fee_paise,
    discount_paise = excluded.discount_paise, paid_paise = excluded.paid_paise
  where (b.fee_paise, b.discount_paise, b.paid_paise)
    is distinct from (excluded.fee_paise, excluded.discount_paise, excluded.paid_paise)`

/**
 * The last statements of whatever changes a fee, a payment or a refund, so nobody waits for another lock with the
 * student's in hand, but for what takes an advance back, which holds the record from its start. Two of them, because each
 * sees what was committed when it began: one that waited for the lock sums up what the other has written.
 */
export function recomputeAtCommit(tx: Transaction, instituteId: number, studentIds: readonly string[]): void {
  const ids = [...new Set(studentIds)]
  tx.endWith(LOCK, [instituteId, ids])
  tx.endWith(RECOMPUTE, [instituteId, ids])
}

/** Students whose balances are not what their fees and payments say. */
export async function listDiffering(db: Queryable, instituteId: number, limit: number): Promise<string[]> {
  const rows = await db.query<{ studentId: string }>(
    `select distinct student_id as "studentId"
     from (select * from student_balance_sums where institute_id = $1) s
     full join (select * from student_balances where institute_id = $1) b using (student_id, component_type)
     where (coalesce(s.fee_paise, 0), coalesce(s.discount_paise, 0), coalesce(s.paid_paise, 0))
       is distinct from (coalesce(b.fee_paise, 0), coalesce(b.discount_paise, 0), coalesce(b.paid_paise, 0))
     limit $2`,
    [instituteId, limit],
  )
  return rows.map(({ studentId }) => studentId)
}

export async function listOwing(
  db: Queryable,
  instituteId: number,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select distinct b.student_id as id from student_balances b
     where b.institute_id = $1 and b.outstanding_paise > 0 and b.student_id > $2 order by b.student_id limit $3`,
    [instituteId, after, limit],
  )
  return rows.map(({ id }) => id)
}
