import type { Institute } from '../../institutes/institutes.rules.ts'
import { receiptNumber } from '../../payments/receipts/receipts.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import { notFound } from '../../platform/errors.ts'
import { toPage, type Page } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import * as store from './settlements.store.ts'
import { exportReport, type ExportedFile, type ExportFor } from '../reports/export.service.ts'
import type { Column, Format } from '../reports/reports.rules.ts'
import { settlementVouchers } from '../reports/tally/tally.rules.ts'
import { readLedgerNames } from '../reports/tally/tally.service.ts'

export type { ExpectedRow, SettlementFilter, SettlementItemRow, SettlementRow } from './settlements.store.ts'

type Range = { cursor: string | undefined; limit: number }

export async function listSettlements(
  { db }: Context,
  institute: Institute,
  filter: store.SettlementFilter,
  { cursor, limit }: Range,
): Promise<Page<store.SettlementRow>> {
  const { text, values } = store.settlementsQuery(institute.id, filter, { cursor, limit: limit + 1 })
  return toPage(await db.query<store.SettlementRow>(text, values), limit, row => row.id)
}

export type SettlementDetail = store.SettlementRow & { components: store.ComponentSum[] }

export async function readSettlement(
  { db }: Context,
  institute: Institute,
  id: string,
): Promise<SettlementDetail> {
  const [settlement, components] = await Promise.all([
    store.findSettlement(db, institute.id, id),
    store.sumComponents(db, institute.id, id),
  ])
  if (settlement === null) throw notFound('This settlement')
  return { ...settlement, components }
}

export async function listSettlementItems(
  ctx: Context,
  institute: Institute,
  id: string,
  { cursor, limit }: Range,
): Promise<Page<store.SettlementItemRow>> {
  if ((await store.findSettlement(ctx.db, institute.id, id)) === null) throw notFound('This settlement')
  const { text, values } = store.settlementItemsQuery(institute.id, id, { cursor, limit: limit + 1 })
  return toPage(await ctx.db.query<store.SettlementItemRow>(text, values), limit, row => row.id)
}

const MOST_EXPECTED = 400

/** By the day they should reach the bank. Far fewer than payments, so they are shown whole. */
export async function listExpected(
  { db, clock }: Context,
  institute: Institute,
): Promise<(store.ExpectedRow & { isOverdue: boolean })[]> {
  const today = dayOf(clock.now())
  const rows = await store.listExpected(db, institute.id, MOST_EXPECTED)
  return rows.map(row => ({ ...row, isOverdue: row.dueOn < today }))
}

const COLUMNS: readonly Column<store.SettlementRow>[] = [
  { title: 'Settled on (IST)', kind: 'moment', value: row => row.settledAt },
  { title: 'UTR', kind: 'text', value: row => row.utr },
  { title: 'Branch', kind: 'text', value: row => row.collectorCode },
  { title: 'Provider', kind: 'text', value: row => row.provider },
  { title: 'Payments', kind: 'count', value: row => row.payments },
  { title: 'Gross', kind: 'money', value: row => toRupees(row.grossPaise) },
  { title: 'Fees', kind: 'money', value: row => toRupees(row.feePaise) },
  { title: 'Refunds', kind: 'money', value: row => toRupees(row.refundPaise) },
  { title: 'Net', kind: 'money', value: row => toRupees(row.netPaise) },
  { title: 'Settlement id', kind: 'text', value: row => row.id },
]

export async function exportSettlements(
  ctx: Context,
  institute: Institute,
  filter: store.SettlementFilter,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const names = await readLedgerNames(ctx, institute)
  return exportReport<store.SettlementRow>(
    ctx,
    {
      name: 'settlements',
      title: 'Settlements',
      query: store.settlementsQuery(institute.id, filter),
      columns: COLUMNS,
      vouchers: row => settlementVouchers({ ...row, day: dayOf(row.settledAt) }, names),
    },
    format,
    by,
  )
}

const ITEM_COLUMNS: readonly Column<store.SettlementItemRow>[] = [
  { title: 'When (IST)', kind: 'moment', value: row => row.at },
  { title: 'What', kind: 'text', value: row => row.kind },
  { title: 'Payer', kind: 'text', value: row => row.payer },
  { title: 'Student', kind: 'text', value: row => row.studentName },
  { title: 'Identifier', kind: 'text', value: row => row.identifier },
  { title: 'Mode', kind: 'text', value: row => row.mode },
  { title: 'Reference', kind: 'text', value: row => row.transactionId },
  { title: 'Receipt', kind: 'text', value: receiptOf },
  { title: 'Amount', kind: 'money', value: row => toRupees(row.amountPaise) },
  { title: 'Order', kind: 'text', value: row => row.orderId },
  { title: 'Id', kind: 'text', value: row => row.id },
]

export async function exportSettlementItems(
  ctx: Context,
  institute: Institute,
  id: string,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const settlement = await store.findSettlement(ctx.db, institute.id, id)
  if (settlement === null) throw notFound('This settlement')
  return exportReport<store.SettlementItemRow>(
    ctx,
    {
      // An UTR is a bank's text; what names a file is ours.
      name: `settlement-${settlement.utr.replaceAll(/[^A-Za-z0-9-]/g, '')}`,
      title: 'Settlement',
      query: store.settlementItemsQuery(institute.id, id),
      columns: ITEM_COLUMNS,
    },
    format,
    by,
  )
}

export function receiptOf(row: { financialYear: string | null; number: number | null }): string | null {
  const { financialYear, number } = row
  return financialYear === null || number === null ? null : receiptNumber({ financialYear, number })
}
