import type { Institute } from '../../institutes/institutes.rules.ts'
import {
  findSettlement,
  itemsQuery,
  listSettlements,
  settlementsQuery,
  type Settlement,
  type SettlementFilter,
  type SettlementItem,
} from '../../payments/settlements/read-settlements.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { paiseOf } from '../../platform/money.ts'
import { listAccounts } from '../../providers/accounts/accounts.service.ts'
import { providerTitle } from '../../providers/catalogue.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { count, moment, money, text, type Column } from '../reports/reports.rules.ts'
import { settlementVouchers } from '../reports/tally/tally.rules.ts'
import { readLedgerNames } from '../reports/tally/tally.service.ts'
import * as store from './settlements.store.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

export type ExpectedSettlement = store.ExpectedRow & { isOverdue: boolean }

const MOST_EXPECTED = 400

/** By the day they should reach the bank. Far fewer than payments, so they are shown whole. */
export async function listExpected(
  { db, clock }: Context,
  institute: Institute,
): Promise<ExpectedSettlement[]> {
  const today = dayOf(clock.now())
  const rows = await store.listExpected(db, institute.id, MOST_EXPECTED)
  return rows.map(row => ({ ...row, isOverdue: row.dueOn < today }))
}

export type NamedSettlement = Settlement & { accountName: string }

/** As the API lists them, with the names that the institute gave its accounts; one of the installation has its provider's title. */
export async function listNamedSettlements(
  ctx: Context,
  institute: Institute,
  filter: SettlementFilter,
  range: PageRange,
): Promise<Page<NamedSettlement>> {
  const page = await listSettlements(ctx, institute, filter, range)
  return { ...page, rows: await withNames(ctx, institute, page.rows) }
}

export async function withNames(
  ctx: Context,
  institute: Institute,
  rows: readonly Settlement[],
): Promise<NamedSettlement[]> {
  const accounts = await listAccounts(ctx, institute)
  const names = new Map(accounts.map(({ id, title }) => [id, title]))
  return rows.map(row => ({ ...row, accountName: names.get(row.accountId) ?? providerTitle(row.provider) }))
}

export const SETTLEMENT_SORTING: Sorting = {
  key: 'id',
  columns: {
    settled: by.moment('"settledAt"'),
    gross: by.number('"grossPaise"'),
    net: by.number('"netPaise"'),
    payments: by.number('payments'),
  },
}

const COLUMNS: readonly Column<Settlement>[] = [
  moment('Settled on (IST)', row => row.settledAt),
  text('UTR', row => row.utr),
  text('Branch', row => row.collectorCode),
  text('Provider', row => row.provider),
  count('Payments', row => row.payments),
  money('Gross', row => row.grossPaise),
  money('Charges', row => row.feePaise),
  money('Refunds', row => row.refundPaise),
  money('Net', row => row.netPaise),
  text('Settlement id', row => row.id),
]

export async function settlementsReport(
  ctx: Context,
  institute: Institute,
  filter: SettlementFilter,
): Promise<Report<Settlement>> {
  const names = await readLedgerNames(ctx, institute)
  return {
    name: 'settlements',
    title: 'Settlements',
    query: settlementsQuery(institute.id, filter),
    columns: COLUMNS,
    vouchers: row => settlementVouchers({ ...row, day: dayOf(row.settledAt) }, names),
  }
}

const ITEM_COLUMNS: readonly Column<SettlementItem>[] = [
  moment('When (IST)', row => row.at),
  text('What', row => row.type),
  text('Payer', row => row.payer),
  text('Student', row => row.studentName),
  text('Identifier', row => row.identifier),
  text('Mode', row => row.mode),
  text('Reference', row => row.transactionId),
  text('Receipt', ({ receipt }) => receipt && receiptNumber(receipt)),
  // What was given back is negative, so that the column adds up.
  money('Amount', row => (row.type === 'payment' ? row.amountPaise : paiseOf(0 - row.amountPaise))),
  text('Order', row => row.orderId),
  text('Id', row => row.id),
]

export async function settlementReport(
  ctx: Context,
  institute: Institute,
  idOrUtr: string,
): Promise<Report<SettlementItem>> {
  const { id, utr } = await findSettlement(ctx, institute, idOrUtr)
  return {
    // A UTR is a bank's text; what names a file is ours.
    name: `settlement-${utr.replaceAll(/[^A-Za-z0-9-]/g, '')}`,
    title: 'Settlement',
    query: itemsQuery(institute.id, id),
    columns: ITEM_COLUMNS,
  }
}

/** Of a row that has its receipt's key in two columns. */
export function receiptOf(row: { financialYear: string | null; number: number | null }): string | null {
  const { financialYear, number } = row
  return financialYear === null || number === null ? null : receiptNumber({ financialYear, number })
}
