import type { Queryable } from '../../platform/db/database.ts'
import type { ErpAuth, ErpSettings } from './settings.rules.ts'
import type { LookupParameter } from '../erp.rules.ts'

export type StoredSettings = ErpSettings & { instituteId: number; secretSealed: Buffer | null }

type Row = {
  institute_id: number
  collector_code: string | null
  fetch_url: string
  auth_kind: ErpAuth['kind']
  auth_name: string | null
  auth_secret_sealed: Buffer | null
  lookup: LookupParameter[]
  custom_schedule: boolean
  max_calls: number
  updated_at: Date
}

const COLUMNS = `institute_id, collector_code, fetch_url, auth_kind, auth_name, auth_secret_sealed, lookup, custom_schedule,
  max_calls, updated_at`

/** Of these institutes, with those of their branches. */
export async function listSettings(
  db: Queryable,
  instituteIds: readonly number[],
): Promise<StoredSettings[]> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from erp_settings where institute_id = any($1) order by institute_id, collector_code nulls first`,
    [instituteIds],
  )
  return rows.map(toSettings)
}

export async function saveSettings(
  db: Queryable,
  settings: Omit<StoredSettings, 'updatedAt'>,
): Promise<StoredSettings> {
  const { auth } = settings
  const [row] = await db.query<Row>(
    `insert into erp_settings (institute_id, collector_code, fetch_url, auth_kind, auth_name, auth_secret_sealed, lookup,
       custom_schedule, max_calls)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (institute_id, collector_code) do update set fetch_url = excluded.fetch_url,
       auth_kind = excluded.auth_kind, auth_name = excluded.auth_name, auth_secret_sealed = excluded.auth_secret_sealed,
       lookup = excluded.lookup, custom_schedule = excluded.custom_schedule, max_calls = excluded.max_calls,
       updated_at = now()
     returning ${COLUMNS}`,
    [
      settings.instituteId,
      settings.collectorCode,
      settings.url,
      auth.kind,
      auth.kind === 'none' ? null : auth.kind === 'basic' ? auth.username : auth.headerName,
      settings.secretSealed,
      settings.lookup,
      settings.customSchedule,
      settings.maxCalls,
    ],
  )
  if (row === undefined) throw new Error('saved settings did not come back')
  return toSettings(row)
}

/** False when there are none. */
export async function deleteSettings(
  db: Queryable,
  instituteId: number,
  collectorCode: string | null,
): Promise<boolean> {
  const rows = await db.query(
    `delete from erp_settings where institute_id = $1 and collector_code is not distinct from $2::text returning 1`,
    [instituteId, collectorCode],
  )
  return rows.length > 0
}

function toSettings(row: Row): StoredSettings {
  return {
    instituteId: row.institute_id,
    collectorCode: row.collector_code,
    url: row.fetch_url,
    auth: toAuth(row.auth_kind, row.auth_name ?? ''),
    secretSealed: row.auth_secret_sealed,
    lookup: row.lookup,
    customSchedule: row.custom_schedule,
    maxCalls: row.max_calls,
    updatedAt: row.updated_at,
  }
}

function toAuth(kind: ErpAuth['kind'], name: string): ErpAuth {
  if (kind === 'none') return { kind }
  return kind === 'basic' ? { kind, username: name } : { kind, headerName: name }
}
