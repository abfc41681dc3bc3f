import type { Queryable } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { CheckResult } from './check.rules.ts'

/** One run; the newest one that passed is the certificate of the integration. */
export type IntegrationCheck = {
  id: string
  collectorCode: string
  checkedAt: Date
  documentVersion: string
  hasPassed: boolean
  checks: readonly CheckResult[]
}

const table = new Table<IntegrationCheck>('integration_checks', {
  id: 'text',
  collectorCode: 'text',
  checkedAt: 'timestamptz',
  documentVersion: 'text',
  hasPassed: 'boolean',
  checks: 'jsonb',
})
const ofInstitute = table.with<{ instituteId: number }>({ instituteId: 'int' })

const KEPT = 20

/** Keeps the last few of a branch, and the last one that passed. */
export async function insertCheck(
  tx: Queryable,
  check: IntegrationCheck & { instituteId: number },
): Promise<void> {
  await ofInstitute.insert(tx, [check])
  await tx.query(
    `delete from integration_checks where institute_id = $1 and collector_code = $2 and id in (
       select id from (
         select id, row_number() over (order by id desc) as age,
           has_passed and row_number() over (partition by has_passed order by id desc) = 1 as is_certificate
         from integration_checks where institute_id = $1 and collector_code = $2) ranked
       where age > $3 and not is_certificate)`,
    [check.instituteId, check.collectorCode, KEPT],
  )
}

export async function findLatest(
  db: Queryable,
  instituteId: number,
  collectorCode: string,
  { mustPass }: { mustPass: boolean },
): Promise<IntegrationCheck | null> {
  const [check] = await db.query<IntegrationCheck>(
    `select ${table.columns('c')} from integration_checks c
     where c.institute_id = $1 and c.collector_code = $2 and (c.has_passed or not $3::boolean)
     order by c.id desc limit 1`,
    [instituteId, collectorCode, mustPass],
  )
  return check ?? null
}
