import type { Order, OrderKind, OrderSearch, OrderStatus } from './orders.rules.ts'
import { orderColumns, type OrderRow, toOrder } from './orders.store.ts'
import { assertNever } from '../platform/assert.ts'
import type { Queryable } from '../platform/db/database.ts'
import { allOf, badCursor, type Condition, type Page, type PageRange, toPage } from '../platform/db/list.ts'

export type OrderSearchFilter = {
  kinds: readonly OrderKind[]
  status?: OrderStatus | undefined
  collectorCode?: string | undefined
  grade?: string | undefined
  section?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  pageId?: string | undefined
  studentId?: string | undefined
  search?: OrderSearch | undefined
}

/** Said in so many words: the indexes hold no others. */
const LISTED = `o.kind in ('order', 'link', 'page', 'student')`

/**
 * Newest first, by keyset: the cursor is the id of the last one shown. Each kind is read along its own index and the
 * first few of each are merged; only what is looked for by something rarer is looked for in all kinds at once.
 */
export async function searchOrders(
  db: Queryable,
  instituteId: number,
  filter: OrderSearchFilter,
  { cursor, limit, now }: PageRange & { now: Date },
): Promise<Page<Order>> {
  const values: unknown[] = [instituteId, filter.kinds, limit + 1]
  const where = allOf(values, conditions(instituteId, filter, { cursor, now }))
  const isRare = filter.search !== undefined || filter.pageId !== undefined || filter.studentId !== undefined
  const last = 'order by o.created_at desc, o.id desc limit $3'
  const found = isRare
    ? `select o.* from orders o where o.kind = any($2) and ${where} ${last}`
    : `select o.* from unnest($2::text[]) k cross join lateral (
         select * from orders o where o.kind = k and ${where} ${last}) o ${last}`
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from (${found}) o order by o.created_at desc, o.id desc`,
    values,
  )
  if (cursor !== undefined && rows.length === 0 && !(await isOrder(db, instituteId, cursor)))
    throw badCursor()
  return toPage(rows.map(toOrder), limit, order => order.id)
}

/** All of them for a file, newest first; rows are read by `toOrder`. */
export function ordersQuery(
  instituteId: number,
  filter: OrderSearchFilter,
  now: Date,
): { text: string; values: readonly unknown[] } {
  const values: unknown[] = [instituteId, filter.kinds]
  const where = allOf(values, conditions(instituteId, filter, { cursor: undefined, now }))
  const text = `select ${orderColumns('$1')} from orders o where o.kind = any($2) and ${where}
    order by o.created_at desc, o.id desc`
  return { text, values }
}

/** The same orders without what belongs to each. */
export function countedOrders(
  instituteId: number,
  filter: OrderSearchFilter,
  now: Date,
): { text: string; values: readonly unknown[] } {
  const values: unknown[] = [instituteId, filter.kinds]
  const where = allOf(values, conditions(instituteId, filter, { cursor: undefined, now }))
  return { text: `select from orders o where o.kind = any($2) and ${where}`, values }
}

/** `order_words` begins each word with the institute; what is typed may be the beginning of the rest. */
function wordsQuery(instituteId: number, anyOf: readonly string[][]): string {
  const term = (word: string): string =>
    `'${instituteId}:${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
  return anyOf.map(words => `(${words.map(term).join(' & ')})`).join(' | ')
}

function conditions(
  instituteId: number,
  filter: OrderSearchFilter,
  { cursor, now }: { cursor: string | undefined; now: Date },
): Condition[] {
  const { search } = filter
  return [
    ['o.institute_id = $0'],
    [LISTED],
    filter.status && statusCondition(filter.status, now),
    ['o.collector_code = $1', filter.collectorCode],
    // Orders of an ERP name the grade of a child that may not be registered; its section is only known of one that is.
    [
      `lower(btrim(coalesce(o.grade, (select s.grade from students s where s.institute_id = o.institute_id
        and s.id = o.student_id)))) = lower(btrim($1))`,
      filter.grade,
    ],
    [
      `exists (select from students s where s.institute_id = o.institute_id and s.id = o.student_id
        and lower(btrim(s.section)) = lower(btrim($1)))`,
      filter.section,
    ],
    ['o.created_at >= $1', filter.createdFrom],
    ['o.created_at < $1', filter.createdBefore],
    ['o.page_id = $1', filter.pageId],
    ['o.student_id = $1', filter.studentId],
    search?.kind === 'id' && ['o.id = $1', search.id],
    search?.kind === 'words' && [
      'order_words(o.institute_id, o.name, o.student_name, o.identifier, o.phone) @@ lower($1)::tsquery',
      wordsQuery(instituteId, search.anyOf),
    ],
    [
      '(o.created_at, o.id) < (select c.created_at, c.id from orders c where c.institute_id = $0 and c.id = $1)',
      cursor,
    ],
  ]
}

/** All but the paid ones say so, which lets them be read along their own index. */
function statusCondition(status: OrderStatus, now: Date): Condition {
  switch (status) {
    case 'unpaid':
      return [`o.state <> 'paid' and o.state = 'unpaid' and (o.expires_at is null or o.expires_at > $1)`, now]
    case 'expired':
      return [
        `o.state <> 'paid' and (o.state = 'expired' or (o.state = 'unpaid' and o.expires_at <= $1))`,
        now,
      ]
    case 'cancelled':
      return [`o.state <> 'paid' and o.state = 'cancelled'`]
    case 'paid':
      return [`o.state = 'paid'`]
    default:
      return assertNever(status)
  }
}

async function isOrder(db: Queryable, instituteId: number, id: string): Promise<boolean> {
  const rows = await db.query('select 1 from orders where institute_id = $1 and id = $2', [instituteId, id])
  return rows.length === 1
}
