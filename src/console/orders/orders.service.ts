import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import { listEntries } from '../../institutes/catalogue.service.ts'
import { badField, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { listAudit, type AuditRow } from '../audit/audit.service.ts'
import { hasCheckout } from './orders.rules.ts'
import * as list from './orders.store.ts'
import * as story from './detail.store.ts'

export type { OrderRow } from './orders.store.ts'

/** A page of orders and links, the newest first: one statement, and one more for a cursor. */
export async function listOrders(
  { db, clock }: Context,
  institute: Institute,
  filter: list.OrderListFilter,
  limit: number,
): Promise<{ orders: list.OrderRow[]; nextCursor: string | undefined }> {
  const { cursor, collectorCode: sent } = filter
  const collectorCode = sent === undefined ? undefined : branchFor(institute, sent)
  if (cursor !== undefined && !(await list.isOrder(db, institute.id, cursor)))
    throw badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
  const range = { now: clock.now(), limit: limit + 1 }
  const found = await list.listOrders(db, institute.id, { ...filter, collectorCode }, range)
  const orders = found.slice(0, limit)
  return { orders, nextCursor: found.length > limit ? orders.at(-1)?.id : undefined }
}

export type OrderDetail = {
  facts: story.OrderRecord
  payments: story.PaymentRecord[]
  refunds: story.RefundRecord[]
  messages: story.MessageRecord[]
  events: story.EventRecord[]
  audit: AuditRow[]
}

const MOST_ACTS = 200

/** Everything of one order, whatever it is for. */
export async function readDetail(ctx: Context, institute: Institute, id: string): Promise<OrderDetail> {
  const { db } = ctx
  const facts = await getRecord(ctx, institute, id)
  const [payments, refunds, messages, events, { entries: audit }] = await Promise.all([
    story.readPayments(db, institute.id, id),
    story.readRefunds(db, institute.id, id),
    story.readMessages(db, institute.id, id),
    story.readEvents(db, institute.id, facts),
    listAudit(ctx, institute.id, { about: id }, MOST_ACTS),
  ])
  return { facts, payments, refunds, messages, events, audit: audit.toReversed() }
}

export async function getRecord(
  { db }: Context,
  institute: Institute,
  id: string,
): Promise<story.OrderRecord> {
  const facts = await story.readRecord(db, institute.id, id)
  if (facts === null) throw notFound('This order')
  return facts
}

/** Where its payer pays; null for what a bank debits or a lender pays. */
export function checkoutUrl(
  { publicUrl }: Context,
  institute: Institute,
  order: Pick<story.OrderRecord, 'id' | 'kind'>,
): string | null {
  return hasCheckout(order.kind) ? `${publicUrl}/pay/${institute.code}/${order.id}` : null
}

export type Choices = {
  branches: Institute['branches']
  components: { code: string; name: string }[]
  grades: { code: string; name: string }[]
  isStrict: boolean
}

/** What a form that asks for an order or a page offers. */
export async function readChoices(ctx: Context, institute: Institute): Promise<Choices> {
  const [components, grades] = await Promise.all([
    listEntries(ctx, institute, 'component'),
    listEntries(ctx, institute, 'grade'),
  ])
  return { branches: institute.branches, components, grades, isStrict: institute.strictCatalogue }
}
