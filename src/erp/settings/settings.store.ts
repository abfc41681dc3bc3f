import type { Queryable } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { ErpAuth, ErpSettings } from './settings.rules.ts'

export type StoredSettings = ErpSettings & { instituteId: number; secretSealed: Buffer | null }

type Row = Omit<StoredSettings, 'auth'> & { authKind: ErpAuth['kind']; authName: string | null }

const table = new Table<Row>('erp_settings', {
  instituteId: 'int',
  collectorCode: 'text',
  url: 'fetch_url text',
  authKind: 'text',
  authName: 'text',
  secretSealed: 'auth_secret_sealed bytea',
  lookup: 'text[]',
  customSchedule: 'boolean',
  maxCalls: 'int',
  updatedAt: 'timestamptz',
})

/** Settings of these institutes and of their branches. */
export async function listSettings(
  db: Queryable,
  instituteIds: readonly number[],
): Promise<StoredSettings[]> {
  const rows = await db.query<Row>(
    `select ${table.columns('e')} from erp_settings e where e.institute_id = any($1)
     order by e.institute_id, e.collector_code nulls first`,
    [instituteIds],
  )
  return rows.map(({ authKind, authName, ...row }) => ({ ...row, auth: toAuth(authKind, authName ?? '') }))
}

const SET = ['url', 'authKind', 'authName', 'secretSealed', 'lookup', 'customSchedule', 'maxCalls'] as const
const UPSERT = `on conflict (institute_id, collector_code) do update set ${table.excluded(SET)}, updated_at = excluded.updated_at`

export async function saveSettings(
  db: Queryable,
  settings: Omit<StoredSettings, 'updatedAt'>,
): Promise<void> {
  const { auth } = settings
  const authName = auth.kind === 'none' ? null : auth.kind === 'basic' ? auth.username : auth.headerName
  await table.insert(db, [{ ...settings, authKind: auth.kind, authName }], {
    only: ['instituteId', 'collectorCode', ...SET],
    onConflict: UPSERT,
  })
}

export async function deleteSettings(
  db: Queryable,
  instituteId: number,
  collectorCode: string | null,
): Promise<void> {
  await db.query(
    `delete from erp_settings where institute_id = $1 and collector_code is not distinct from $2::text`,
    [instituteId, collectorCode],
  )
}

function toAuth(kind: ErpAuth['kind'], name: string): ErpAuth {
  if (kind === 'none') return { kind }
  return kind === 'basic' ? { kind, username: name } : { kind, headerName: name }
}
