import { newEvent } from '../events/define-event.ts'
import { recordEvents } from '../events/events.service.ts'
import {
  checkCatalogue,
  type CodeInUse,
  rememberEntries,
  unseenEntries,
} from '../institutes/catalogue.service.ts'
import {
  branchFilter,
  branchFor,
  type CatalogueEntry,
  type Institute,
} from '../institutes/institutes.rules.ts'
import { refuseIfLeft } from '../institutes/institutes.service.ts'
import { linkEvents } from './order.events.ts'
import {
  assertCancellable,
  type NewOrder,
  type Order,
  type OrderAddress,
  type OrderToPay,
  type PublicKind,
  requireOrderAt,
  requireReturnUrl,
  unpaidOrder,
} from './orders.rules.ts'
import * as store from './orders.store.ts'
import { findExpired, firstExpiry, listOpenOf, listOrdersOf, lockExpired } from './orders.store.ts'
import {
  countedOrders,
  type OrderSearchFilter,
  ordersQuery,
  searchOrders as search,
} from './search-orders.store.ts'
import type { Context } from '../platform/context.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { badField, badFields, unavailable } from '../platform/errors.ts'
import { type Command, replayIfDone, stillRunning, transact } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { takeDue } from '../platform/jobs/due-rows.ts'
import { findNamedStudents } from '../students/students.service.ts'

export type { OrderSearchFilter } from './search-orders.store.ts'
export { orderColumns, toOrder, type OrderRow } from './orders.store.ts'

/** An order as it is asked for; the rest of it is made here. */
export type AskedOrder = Omit<NewOrder, 'id' | 'collectorCode' | 'createdAt'> & {
  kind: PublicKind
  /** Whether it pays the dues of the student that its identifier fits. */
  settleDues?: boolean
  collectorCode: string | null
}

/** Throws if some of these lines are on the way to the student's fees already. */
type RefuseOnTheWay = (
  ctx: Pick<Context, 'db' | 'clock'>,
  asked: { instituteId: number; studentId: string; lines: AskedOrder['lines'] },
) => Promise<void>

/** Throws if some of these lines cannot be paid online in a branch. */
type RefuseUnchargeable = (asked: {
  instituteId: number
  collectorCode: string
  lines: AskedOrder['lines']
}) => Promise<void>

export type OrderChecks = { onTheWay: RefuseOnTheWay; unchargeable: RefuseUnchargeable }

export type CreatedOrder = { orderId: string; redirectUrl: string }

export async function createOrder(
  ctx: Context,
  command: Command<CreatedOrder>,
  institute: Institute,
  { settleDues, ...input }: AskedOrder,
  refuse: OrderChecks,
): Promise<CreatedOrder> {
  const { db, clock } = ctx
  const now = clock.now()
  if (input.expiresAt !== null && input.expiresAt <= now)
    throw badField('expires_at', 'must be in the future')
  requireReturnUrl(input.callbackUrl, ctx.mode)
  const collectorCode = branchFor(institute, input.collectorCode)
  const codes = codesInUse(input)
  await checkCatalogue(db, institute, codes)
  const newCodes = unseenEntries(db, institute, codes)
  await refuse.unchargeable({ instituteId: institute.id, collectorCode, lines: input.lines })
  const studentId = await payingFor(ctx, institute, { ...input, settleDues: settleDues ?? false })
  if (studentId !== null)
    await refuse.onTheWay(ctx, { instituteId: institute.id, studentId, lines: input.lines })
  const order = unpaidOrder({ ...input, id: newId('order'), collectorCode, studentId, createdAt: now })
  const result = { orderId: order.id, redirectUrl: `${ctx.publicUrl}/pay/${institute.code}/${order.id}` }
  await insertOnce(db, command, institute, { order, newCodes }, result)
  rememberEntries(db, institute, newCodes)
  return result
}

async function insertOnce(
  db: Database,
  { idempotency, audit }: Command<CreatedOrder>,
  institute: Institute,
  { order, newCodes }: { order: Order; newCodes: CatalogueEntry[] },
  result: CreatedOrder,
): Promise<void> {
  const insert = (on: Queryable): ReturnType<typeof store.insertOrder> =>
    store.insertOrder(on, institute.id, order, { newCodes, idempotency, result })
  const { isNew, isFree } = await (audit === undefined ? insert(db) : insertSeen(db, audit, insert, result))
  if (!isFree) throw stillRunning()
  if (isNew) return
  if (idempotency !== undefined) await replayIfDone(db, institute.id, idempotency)
  throw unavailable('The earlier answer to this Idempotency-Key lapsed at this moment. Please retry.')
}

/** The student whose dues it pays, if it says so: an identifier alone does not. */
async function payingFor(ctx: Context, institute: Institute, asked: AskedOrder): Promise<string | null> {
  const [named] = await findNamedStudents(ctx, institute.id, [asked])
  if (named?.problem) throw badFields([named.problem])
  return named?.studentId ?? null
}

/** One statement is enough for an order; one that is audited gets a transaction around both. */
async function insertSeen(
  db: Database,
  audit: NonNullable<Command<CreatedOrder>['audit']>,
  insert: (on: Queryable) => ReturnType<typeof store.insertOrder>,
  result: CreatedOrder,
): ReturnType<typeof store.insertOrder> {
  return db.transaction(async tx => {
    const done = await insert(tx)
    if (done.isNew && done.isFree) await audit(tx, result)
    return done
  })
}

export async function getOrder(
  ctx: Context,
  institute: Institute,
  address: OrderAddress | undefined,
  id: string,
): Promise<Order> {
  return requireOrderAt(await store.findOrder(ctx.db, institute.id, id), address)
}

/**
 * Finds an order of any kind for the hosted page, whose address does not say the kind. Nobody pays an instalment there, but
 * one that was debited can be read; tranches belong to the lender.
 */
export async function findOrder(ctx: Context, institute: Institute, id: string): Promise<Order | null> {
  const order = await store.findOrder(ctx.db, institute.id, id)
  return order === null || !hasPage(order) ? null : order
}

function hasPage({ kind, state }: Pick<Order, 'kind' | 'state'>): boolean {
  if (kind === 'loan') return false
  return kind !== 'instalment' || state === 'paid' || state === 'reversed'
}

/** The same with its institute, by the codes in the page's address: all that most of its requests need, read at once. */
export async function findOrderToPay(
  { db }: Context,
  code: string,
  id: string,
): Promise<{ institute: Institute; order: OrderToPay | null } | null> {
  const found = await store.findOrderToPay(db, code, id)
  if (found === null) {
    await refuseIfLeft(db, 'code', code)
    return null
  }
  const { institute, order } = found
  return { institute, order: order !== null && hasPage(order) ? order : null }
}

/** Keeps the order of the ids. */
export async function findOrders(
  { db }: { db: Queryable },
  institute: Pick<Institute, 'id'>,
  ids: readonly string[],
): Promise<Order[]> {
  const found = new Map((await store.findOrders(db, institute.id, ids)).map(order => [order.id, order]))
  return ids.flatMap(id => found.get(id) ?? [])
}

/** Nobody can start to pay it any more; a payment on its way still wins. Answers it as it was. */
export async function cancelOrder(
  ctx: Context,
  command: Command<Order>,
  target: { institute: Institute; address?: OrderAddress; id: string },
): Promise<Order> {
  const { institute, address, id } = target
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const order = requireOrderAt(await store.lockOrder(tx, institute.id, id), address)
    assertCancellable(order, now)
    await close(tx, [{ instituteId: institute.id, order, state: 'cancelled', at: now }])
    return order
  })
}

/** Several that may be cancelled and whose locks the caller holds. */
export async function cancelLocked(
  tx: Transaction,
  instituteId: number,
  orders: readonly Order[],
  at: Date,
): Promise<void> {
  await close(
    tx,
    orders.map(order => ({ instituteId, order, state: 'cancelled', at })),
  )
}

/** Orders for people: several kinds, by what somebody typed. */
export async function searchOrders(
  { db, clock }: Context,
  institute: Institute,
  filter: OrderSearchFilter,
  page: PageRange,
): Promise<Page<Order>> {
  const collectorCode = branchFilter(institute, filter.collectorCode)
  return search(db, institute.id, { ...filter, collectorCode }, { ...page, now: clock.now() })
}

/** The same as one statement, for a file of all that fit. */
export function orderListQuery(
  { clock }: Pick<Context, 'clock'>,
  institute: Institute,
  filter: OrderSearchFilter,
): ReturnType<typeof ordersQuery> {
  const collectorCode = branchFilter(institute, filter.collectorCode)
  return ordersQuery(institute.id, { ...filter, collectorCode }, clock.now())
}

/** A statement that has as many rows and reads nothing of them, for counting. */
export function orderCountQuery(
  { clock }: Pick<Context, 'clock'>,
  institute: Institute,
  filter: OrderSearchFilter,
): ReturnType<typeof countedOrders> {
  const collectorCode = branchFilter(institute, filter.collectorCode)
  return countedOrders(institute.id, { ...filter, collectorCode }, clock.now())
}

/** Writes down that a batch has expired, with the event of each link; answers how many there were. */
export async function expireOrders(ctx: Context, limit: number): Promise<number> {
  const now = ctx.clock.now()
  return takeDue(ctx.db, await findExpired(ctx.db, now, limit), async (tx, keys) => {
    const due = await lockExpired(tx, now, keys)
    await close(
      tx,
      due.map(({ expiresAt, ...one }) => ({ ...one, state: 'expired', at: expiresAt })),
    )
    return due.length
  })
}

export async function nextExpiry(ctx: Context): Promise<Date | null> {
  return firstExpiry(ctx.db)
}

async function close(tx: Transaction, closings: readonly store.Closing[]): Promise<void> {
  if (closings.length === 0) return
  await store.closeOrders(tx, closings)
  const links = closings.filter(({ order }) => order.kind === 'link')
  await recordEvents(
    tx,
    links.map(({ instituteId, order, state, at }) => {
      const { id: resourceId, collectorCode } = order
      const about = { instituteId, collectorCode, resourceId, occurredAt: at }
      const closed = { ...order, state, closedAt: at }
      return newEvent(linkEvents, `payment_link.payment.${state}`, about, { order: closed })
    }),
  )
}

function codesInUse(input: Pick<AskedOrder, 'lines' | 'grade'>): CodeInUse[] {
  const components = input.lines.map((line, index): CodeInUse => {
    return { kind: 'component', code: line.componentType, key: `details.${index}.component_type` }
  })
  return input.grade === null
    ? components
    : [...components, { kind: 'grade', code: input.grade, key: 'grade' }]
}

/** Lists the orders for a student's dues, newest first. */
export async function listDuesOrders(
  { db }: Context,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<Order[]> {
  return listOrdersOf(db, { instituteId, studentId, kind: 'student' }, limit)
}

/** What a payer could still pay for these students: of their dues, or by an order or link that names one. */
export async function listPayable(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  now: Date,
): Promise<Order[]> {
  return listOpenOf(db, instituteId, studentIds, { kinds: ['student', 'order', 'link'], now })
}
