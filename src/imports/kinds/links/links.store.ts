import { Table } from '../../../platform/db/table.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import type { Paise } from '../../../platform/money.ts'
import type { ImportKey } from '../../imports.store.ts'

type ImportLink = {
  instituteId: number
  importId: string
  rowNo: number
  orderId: string
  isRepeated: boolean
}

const links = new Table<ImportLink>('import_links', {
  instituteId: 'int',
  importId: 'text',
  rowNo: 'int',
  orderId: 'text',
  isRepeated: 'boolean',
})

export async function insertLinks(tx: Transaction, rows: readonly ImportLink[]): Promise<void> {
  await links.insert(tx, rows)
}

/**
 * Takes the keys for links that are about to be made; answers those that were free. One that names its row by a
 * reference is taken for ever, the others until the moment given. A concurrent request for the same waits here.
 */
export async function takeKeys(
  tx: Transaction,
  instituteId: number,
  wanted: readonly { key: Buffer; orderId: string; isForEver: boolean }[],
  { now, freeBefore }: { now: Date; freeBefore: Date },
): Promise<Set<string>> {
  await tx.query(
    `delete from import_link_keys where institute_id = $1 and row_key = any($2::bytea[]) and made_at < $3`,
    [instituteId, wanted.filter(link => !link.isForEver).map(link => link.key), freeBefore],
  )
  const rows = await tx.query<{ key: Buffer }>(
    `insert into import_link_keys as k (institute_id, row_key, order_id, made_at)
     select $1, l.key, l.order_id, $4 from unnest($2::bytea[], $3::text[]) as l (key, order_id) order by l.key
     on conflict (institute_id, row_key) do nothing returning k.row_key as key`,
    [instituteId, wanted.map(link => link.key), wanted.map(link => link.orderId), now],
  )
  return new Set(rows.map(row => row.key.toString('hex')))
}

/** The link that each of these keys stands for, by the key in hex. */
export async function findKeys(
  db: Queryable,
  instituteId: number,
  keys: readonly Buffer[],
): Promise<Map<string, { orderId: string; madeAt: Date }>> {
  const rows = await db.query<{ key: Buffer; orderId: string; madeAt: Date }>(
    `select row_key as key, order_id as "orderId", made_at as "madeAt" from import_link_keys
     where institute_id = $1 and row_key = any($2)`,
    [instituteId, keys],
  )
  return new Map(rows.map(({ key, orderId, madeAt }) => [key.toString('hex'), { orderId, madeAt }]))
}

export type MadeLink = Omit<ImportLink, 'instituteId' | 'importId'> & {
  name: string
  phone: string
  email: string
  identifier: string | null
  /** The student whose dues the link pays. */
  studentId: string | null
  studentName: string | null
  amountPaise: Paise
}

/** Every link of a file, in its order. */
export async function listLinks(db: Queryable, { instituteId, id }: ImportKey): Promise<MadeLink[]> {
  return db.query<MadeLink>(
    `select ${links.columns('r', ['rowNo', 'orderId', 'isRepeated'])}, o.name, o.phone, o.email, o.identifier,
       o.student_id as "studentId", o.student_name as "studentName", (select sum(l.amount_paise)::bigint from order_lines l
        where l.institute_id = o.institute_id and l.order_id = o.id) as "amountPaise"
     from import_links r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     where r.institute_id = $1 and r.import_id = $2 order by r.row_no`,
    [instituteId, id],
  )
}
