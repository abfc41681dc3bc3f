import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { oneOf } from '../../platform/db/query.ts'
import { Table } from '../../platform/db/table.ts'
import type { IconSide, Logo, School, SchoolChange } from './school.rules.ts'

const schools = new Table<School & { id: number }>('institutes', {
  id: 'int',
  name: 'text',
  address: 'text',
  phone: 'text',
  email: 'text',
  pan: 'text',
  affiliation: 'text',
  receiptNote: 'text',
  familyReceipt: 'text',
  bankAccounts: 'jsonb',
  messagesFrom: 'int',
  messagesUntil: 'int',
  color: 'text',
  logoTag: 'text',
})

export async function findSchools(
  db: Queryable,
  ids: readonly number[],
): Promise<(School & { id: number })[]> {
  const { is, value } = oneOf('i.id', ids)
  return db.query(`select ${schools.columns('i')} from institutes i where ${is}`, [value])
}

/** Holds it until the transaction ends. */
export async function lockSchool(tx: Transaction, id: number): Promise<School | null> {
  const [row] = await tx.query<School & { id: number }>(
    `select ${schools.columns('i')} from institutes i where i.id = $1 for update`,
    [id],
  )
  if (row === undefined) return null
  const { id: _id, ...school } = row
  return school
}

export async function updateSchool(tx: Transaction, id: number, s: SchoolChange): Promise<void> {
  await tx.query(
    `update institutes set name = $2, address = $3, phone = $4, email = $5, pan = $6, affiliation = $7, receipt_note = $8,
       bank_accounts = $9, messages_from = $10, messages_until = $11, color = $12, family_receipt = $13 where id = $1`,
    [
      id,
      s.name,
      s.address,
      s.phone,
      s.email,
      s.pan,
      s.affiliation,
      s.receiptNote,
      JSON.stringify(s.bankAccounts),
      s.messagesFrom,
      s.messagesUntil,
      s.color,
      s.familyReceipt,
    ],
  )
}

export async function writeLogo(
  tx: Transaction,
  id: number,
  { tag, mediaType, content, icons }: Logo & { tag: string; icons: Readonly<Record<IconSide, Uint8Array>> },
): Promise<void> {
  await tx.query(
    `insert into institute_logos (institute_id, tag, media_type, content, icon_192, icon_512) values ($1, $2, $3, $4, $5, $6)
     on conflict (institute_id) do update set tag = $2, media_type = $3, content = $4, icon_192 = $5, icon_512 = $6`,
    [id, tag, mediaType, content, icons[192], icons[512]],
  )
  await setLogoTag(tx, id, tag)
}

export async function deleteLogo(tx: Transaction, id: number): Promise<void> {
  await tx.query('delete from institute_logos where institute_id = $1', [id])
  await setLogoTag(tx, id, null)
}

async function setLogoTag(tx: Transaction, id: number, tag: string | null): Promise<void> {
  await tx.query('update institutes set logo_tag = $2 where id = $1', [id, tag])
}

export async function findLogo(db: Queryable, id: number, tag: string): Promise<Logo | null> {
  const [row] = await db.query<Logo>(
    'select media_type as "mediaType", content from institute_logos where institute_id = $1 and tag = $2',
    [id, tag],
  )
  return row ?? null
}

export async function findIcon(
  db: Queryable,
  id: number,
  { tag, side }: { tag: string; side: IconSide },
): Promise<Buffer | null> {
  const [row] = await db.query<{ icon: Buffer | null }>(
    `select icon_${side} as icon from institute_logos where institute_id = $1 and tag = $2`,
    [id, tag],
  )
  return row?.icon ?? null
}
