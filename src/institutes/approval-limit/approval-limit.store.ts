import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'

export async function findLimit(db: Queryable, instituteId: number): Promise<Paise | null> {
  const [row] = await db.query<{ above: Paise }>(
    'select above_paise as above from approval_limits where institute_id = $1',
    [instituteId],
  )
  return row?.above ?? null
}

export async function writeLimit(
  tx: Transaction,
  instituteId: number,
  abovePaise: Paise | null,
): Promise<void> {
  if (abovePaise === null)
    await tx.query('delete from approval_limits where institute_id = $1', [instituteId])
  else
    await tx.query(
      `insert into approval_limits (institute_id, above_paise) values ($1, $2)
       on conflict (institute_id) do update set above_paise = excluded.above_paise`,
      [instituteId, abovePaise],
    )
}
