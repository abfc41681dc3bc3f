import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { FlexSettings } from '../rules/schedule.rules.ts'

const FIELDS = [
  ...(['productName', 'instalments', 'dayOfMonth', 'downpaymentPercent', 'offered'] as const),
  'chargeComponents',
] as const

const SETTINGS = new Table<FlexSettings & { instituteId: number }>('flex_settings', {
  instituteId: 'int',
  productName: 'text',
  instalments: 'int',
  dayOfMonth: 'int',
  downpaymentPercent: 'int',
  offered: 'jsonb',
  chargeComponents: 'jsonb',
})

export async function readSettings(db: Queryable, instituteId: number): Promise<FlexSettings | null> {
  const [row] = await db.query<FlexSettings>(
    `select ${SETTINGS.columns('s', FIELDS)} from flex_settings s where s.institute_id = $1`,
    [instituteId],
  )
  return row ?? null
}

export async function saveSettings(
  tx: Transaction,
  instituteId: number,
  settings: FlexSettings,
): Promise<void> {
  const onConflict = `on conflict (institute_id) do update set ${SETTINGS.excluded(FIELDS)}`
  await SETTINGS.insert(tx, [{ instituteId, ...settings }], { onConflict })
}
