import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import { listEntries } from '../../institutes/catalogue.service.ts'
import { notFound } from '../../platform/errors.ts'
import { badCursor, type Page, type PageRange } from '../../platform/db/list.ts'
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
  page: PageRange,
): Promise<Page<list.OrderRow>> {
  const { collectorCode: sent } = filter
  const collectorCode = sent === undefined ? undefined : branchFor(institute, sent)
  if (page.cursor !== undefined && !(await list.isOrder(db, institute.id, page.cursor))) throw badCursor()
  return list.listOrders(db, institute.id, { ...filter, collectorCode }, { ...page, now: clock.now() })
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
  const [payments, refunds, messages, events, { rows: audit }] = await Promise.all([
    story.readPayments(db, institute.id, id),
    story.readRefunds(db, institute.id, id),
    story.readMessages(db, institute.id, id),
    story.readEvents(db, institute.id, facts),
    listAudit(ctx, institute.id, { about: id, limit: MOST_ACTS }),
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
