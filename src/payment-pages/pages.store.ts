import { findDue } from '../platform/jobs/due-rows.ts'
import { nameRows, type RowKey } from '../platform/db/query.ts'
import type { OrderState } from '../orders/orders.rules.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { Page } from './pages.rules.ts'

const pages = new Table<Page>('payment_pages', {
  id: 'text',
  slug: 'text',
  collectorCode: 'text',
  title: 'text',
  description: 'text',
  lines: 'jsonb',
  fields: 'jsonb',
  isPublished: 'boolean',
  closesAt: 'timestamptz',
  maxPayments: 'int',
  callbackUrl: 'text',
  successMessage: 'text',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
})
const ofInstitute = pages.with<{ instituteId: number }>({ instituteId: 'int' })

const COLUMNS = pages.columns('g')

/** A page of an institute ($2) and its places at a moment ($1): those that are paid, and those whose payer can still pay or is paying. */
export const COUNTED = `${COLUMNS},
    (select count(*)::int from orders o
     where o.institute_id = $2 and o.page_id = g.id and o.state = 'paid') as paid,
    (select count(*)::int from orders o
     where o.institute_id = $2 and o.page_id = g.id and o.state = 'unpaid' and o.expires_at > $1)
    + (select count(*)::int from payments p
       join orders o on o.institute_id = p.institute_id and o.id = p.order_id
       where p.institute_id = $2 and p.state in ('created', 'pending') and o.page_id = g.id
         and o.state <> 'paid' and not (o.state = 'unpaid' and o.expires_at > $1)) as paying`

export type CountedPage = { page: Page; paid: number; paying: number }

export type CountedRow = Page & { paid: number; paying: number }

export function toCounted({ paid, paying, ...page }: CountedRow): CountedPage {
  return { page, paid, paying }
}

/** False when another page of the institute has the slug. */
export async function insertPage(tx: Transaction, instituteId: number, page: Page): Promise<boolean> {
  const onConflict = 'on conflict (institute_id, slug) do nothing'
  return (await ofInstitute.insert(tx, [{ ...page, instituteId }], { onConflict })) === 1
}

/** The caller holds its lock. A slug that another page has is the constraint's to refuse. */
export async function updatePage(tx: Transaction, instituteId: number, page: Page): Promise<void> {
  await ofInstitute.update(tx, [{ ...page, instituteId }], {
    key: ['instituteId', 'id'],
    set: [
      'slug',
      'title',
      'description',
      'lines',
      'fields',
      'isPublished',
      'closesAt',
      'maxPayments',
      'callbackUrl',
      'successMessage',
      'updatedAt',
    ],
  })
}

export async function findIdBySlug(db: Queryable, instituteId: number, slug: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    'select id from payment_pages where institute_id = $1 and slug = $2',
    [instituteId, slug],
  )
  return row?.id ?? null
}

export async function findPage(
  db: Queryable,
  instituteId: number,
  { id, now }: { id: string; now: Date },
): Promise<CountedPage | null> {
  const [row] = await db.query<CountedRow>(
    `select ${COUNTED} from payment_pages g where g.institute_id = $2 and g.id = $3`,
    [now, instituteId, id],
  )
  return row === undefined ? null : toCounted(row)
}

/** Finds the page of an order, as it is now; null for an order that came otherwise. */
export async function findPageOfOrder(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<Page | null> {
  const [row] = await db.query<Page>(
    `select ${COLUMNS} from payment_pages g join orders o on o.institute_id = g.institute_id and o.page_id = g.id
     where o.institute_id = $1 and o.id = $2`,
    [instituteId, orderId],
  )
  return row ?? null
}

export async function countTaken(
  tx: Transaction,
  instituteId: number,
  at: { id: string; now: Date },
): Promise<number> {
  const counted = await findPage(tx, instituteId, at)
  return counted === null ? 0 : counted.paid + counted.paying
}

/** The page's lock decides on its places: forms that come at once are taken one after the other. */
export async function lockPage(tx: Transaction, instituteId: number, id: string): Promise<Page | null> {
  const [row] = await tx.query<Page>(
    `select ${COLUMNS} from payment_pages g where g.institute_id = $1 and g.id = $2 for no key update`,
    [instituteId, id],
  )
  return row ?? null
}

export async function listUnpaid(tx: Transaction, instituteId: number, pageId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from orders where institute_id = $1 and page_id = $2 and state = 'unpaid' order by id`,
    [instituteId, pageId],
  )
  return rows.map(row => row.id)
}

const NEVER_PAID = `o.kind = 'page' and o.closed_at < $1 and o.state in ('expired', 'cancelled')
  and not exists (select 1 from payments p where p.institute_id = o.institute_id
    and p.order_id = o.id)`

/** Pages' orders closed before a moment that nobody ever began to pay. */
export async function findUnpaid(db: Database, closedBefore: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, { table: 'orders o', where: NEVER_PAID, order: 'closed_at' }, closedBefore, limit)
}

/** Deletes the orders together with their forms. */
export async function deleteUnpaid(
  tx: Transaction,
  closedBefore: Date,
  keys: readonly RowKey[],
): Promise<number> {
  const these = nameRows(keys, 2)
  const old = await tx.query<RowKey>(
    `select o.institute_id as "instituteId", o.id from orders o where ${these.match('o')} and ${NEVER_PAID}
     for update skip locked`,
    [closedBefore, ...these.values],
  )
  if (old.length === 0) return 0
  const gone = nameRows(old, 1)
  for (const table of ['page_forms', 'order_lines'])
    await tx.query(`delete from ${table} where ${gone.match(table, 'order_id')}`, gone.values)
  await tx.query(`delete from orders where ${gone.match('orders')}`, gone.values)
  return old.length
}

export type FormKey = { instituteId: number; pageId: string; token: string }
export type SentForm = { orderId: string; digest: Buffer; state: OrderState; expiresAt: Date | null }

/** Finds the order of a form that was sent before. */
export async function findForm(tx: Transaction, key: FormKey): Promise<SentForm | null> {
  const [row] = await tx.query<SentForm>(
    `select f.order_id as "orderId", f.digest, o.state, o.expires_at as "expiresAt"
     from page_forms f join orders o on o.institute_id = f.institute_id and o.id = f.order_id
     where f.institute_id = $1 and f.page_id = $2 and f.token = $3`,
    [key.instituteId, key.pageId, key.token],
  )
  return row ?? null
}

export async function saveForm(
  tx: Transaction,
  key: FormKey,
  { orderId, digest }: Pick<SentForm, 'orderId' | 'digest'>,
): Promise<void> {
  await tx.query(
    `insert into page_forms (institute_id, page_id, token, digest, order_id) values ($1, $2, $3, $4, $5)
     on conflict (institute_id, page_id, token) do update set digest = excluded.digest, order_id = excluded.order_id`,
    [key.instituteId, key.pageId, key.token, digest, orderId],
  )
}
