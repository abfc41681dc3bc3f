import type { OrderKind, OrderState } from '../../orders/orders.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { ListedKind, ListStatus, OrderSearch } from './orders.rules.ts'

export type OrderRow = {
  id: string
  kind: OrderKind
  state: OrderState
  collectorCode: string
  name: string
  phone: string
  email: string
  identifier: string | null
  studentName: string | null
  studentId: string | null
  pageId: string | null
  expiresAt: Date | null
  paidAt: Date | null
  createdAt: Date
  amountPaise: Paise
  refundedPaise: Paise
}

export type OrderListFilter = {
  kinds: readonly ListedKind[]
  status?: ListStatus | undefined
  collectorCode?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  pageId?: string | undefined
  studentId?: string | undefined
  search?: OrderSearch | undefined
  cursor?: string | undefined
}

/** Said in so many words: the indexes hold no others. */
const LISTED = `o.kind in ('order', 'link', 'page', 'student')`

const COLUMNS = `o.id, o.kind, o.state, o.collector_code as "collectorCode", o.name, o.phone, o.email, o.identifier,
  o.student_name as "studentName", o.student_id as "studentId", o.page_id as "pageId", o.expires_at as "expiresAt",
  o.paid_at as "paidAt", o.created_at as "createdAt",
  (select coalesce(sum(l.amount_paise), 0)::bigint from order_lines l
   where l.institute_id = o.institute_id and l.order_id = o.id) as "amountPaise",
  (select coalesce(sum(r.amount_paise), 0)::bigint from refunds r where r.institute_id = o.institute_id
     and r.order_id = o.id and r.kind = 'requested' and r.state <> 'failed') as "refundedPaise"`

/**
 * Newest first, by keyset: the cursor is the id of the last one shown. Each kind is read along its own index and the
 * first few of each are merged; only what is looked for by something rarer is looked for in all kinds at once.
 */
export async function listOrders(
  db: Queryable,
  instituteId: number,
  filter: OrderListFilter,
  page: { now: Date; limit: number },
): Promise<OrderRow[]> {
  const values: unknown[] = [instituteId, filter.kinds, page.limit]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const where = conditions(instituteId, filter, page.now, bind)
  const isRare = filter.search !== undefined || filter.pageId !== undefined || filter.studentId !== undefined
  const last = 'order by o.created_at desc, o.id desc limit $3'
  const found = isRare
    ? `select o.* from orders o where o.kind = any($2) and ${where} ${last}`
    : `select o.* from unnest($2::text[]) k cross join lateral (
         select * from orders o where o.kind = k and ${where} ${last}) o ${last}`
  return db.query<OrderRow>(
    `select ${COLUMNS} from (${found}) o order by o.created_at desc, o.id desc`,
    values,
  )
}

/** `order_words` begins each word with the institute; what is typed may be the beginning of the rest. */
function wordsQuery(instituteId: number, anyOf: readonly string[][]): string {
  const term = (word: string): string =>
    `'${instituteId}:${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
  return anyOf.map(words => `(${words.map(term).join(' & ')})`).join(' | ')
}

function conditions(
  instituteId: number,
  filter: OrderListFilter,
  now: Date,
  bind: (value: unknown) => string,
): string {
  const where = ['o.institute_id = $1', LISTED]
  const { search } = filter
  if (filter.status !== undefined) where.push(statusCondition(filter.status, () => bind(now)))
  if (filter.collectorCode !== undefined) where.push(`o.collector_code = ${bind(filter.collectorCode)}`)
  if (filter.createdFrom !== undefined) where.push(`o.created_at >= ${bind(filter.createdFrom)}`)
  if (filter.createdBefore !== undefined) where.push(`o.created_at < ${bind(filter.createdBefore)}`)
  if (filter.pageId !== undefined) where.push(`o.page_id = ${bind(filter.pageId)}`)
  if (filter.studentId !== undefined) where.push(`o.student_id = ${bind(filter.studentId)}`)
  if (search?.kind === 'id') where.push(`o.id = ${bind(search.id)}`)
  if (search?.kind === 'words') {
    where.push(`order_words(o.institute_id, o.name, o.student_name, o.identifier, o.phone)
      @@ lower(${bind(wordsQuery(instituteId, search.anyOf))})::tsquery`)
  }
  if (filter.cursor !== undefined) {
    where.push(`(o.created_at, o.id) < (select c.created_at, c.id from orders c
      where c.institute_id = $1 and c.id = ${bind(filter.cursor)})`)
  }
  return where.join(' and ')
}

/** All but the paid ones say so, which lets them be read along their own index. */
function statusCondition(status: ListStatus, bindNow: () => string): string {
  switch (status) {
    case 'unpaid':
      return `o.state <> 'paid' and o.state = 'unpaid' and (o.expires_at is null or o.expires_at > ${bindNow()})`
    case 'expired':
      return `o.state <> 'paid' and (o.state = 'expired' or (o.state = 'unpaid' and o.expires_at <= ${bindNow()}))`
    case 'cancelled':
      return `o.state <> 'paid' and o.state = 'cancelled'`
    case 'paid':
      return `o.state = 'paid'`
    default:
      return assertNever(status)
  }
}

export async function isOrder(db: Queryable, instituteId: number, id: string): Promise<boolean> {
  const rows = await db.query('select 1 from orders where institute_id = $1 and id = $2', [instituteId, id])
  return rows.length === 1
}
