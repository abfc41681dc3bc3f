import type { Institute } from '../../institutes/institutes.rules.ts'
import { ACCOUNT_CODES, balanceOf, CHART } from '../../ledger/ledger.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { badCursor, toPage, type Page } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees, ZERO, type Paise } from '../../platform/money.ts'
import { ledgerCursor, parseLedgerCursor, type ReconciliationStatus } from './books.rules.ts'
import * as store from './books.store.ts'
import type { Query } from './query.ts'
import { exportReport, type ExportedFile, type ExportFor } from '../reports/export.service.ts'
import type { Column, Format } from '../reports/reports.rules.ts'

export type { LedgerFilter, LedgerRow, ReconciliationRow, ReconciliationSums } from './books.store.ts'
export { checkBooks } from '../../payments/reconcile/reconcile.service.ts'

type Range = { cursor: string | undefined; limit: number }

const MATCHED_MS = 30 * 86_400_000

export async function sumReconciliation(
  { db, clock }: Context,
  institute: Institute,
): Promise<store.ReconciliationSums> {
  const now = clock.now()
  const since = new Date(now.getTime() - MATCHED_MS)
  return store.sumReconciliation(db, institute.id, { since, today: dayOf(now) })
}

export type ReconciliationFilter = store.ReconciliationFilter & { status: ReconciliationStatus }

const QUERIES: Record<
  ReconciliationStatus,
  (instituteId: number, filter: store.ReconciliationFilter, range?: Range) => Query
> = {
  matched: store.matchedQuery,
  mismatched: store.mismatchedQuery,
  expected: store.expectedQuery,
}

export async function listReconciliation(
  { db }: Context,
  institute: Institute,
  filter: ReconciliationFilter,
  { cursor, limit }: Range,
): Promise<Page<store.ReconciliationRow>> {
  if (filter.status === 'mismatched' && cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw badCursor()
  const query = QUERIES[filter.status](institute.id, filter, { cursor, limit: limit + 1 })
  return toPage(await db.query<store.ReconciliationRow>(query.text, query.values), limit, row => row.id)
}

const rupees = (amount: Paise | null): number | null => (amount === null ? null : toRupees(amount))

const ITEM_COLUMNS: readonly Column<store.ReconciliationRow>[] = [
  { title: 'When (IST)', kind: 'moment', value: row => row.at },
  { title: 'What', kind: 'text', value: row => row.kind },
  { title: 'Id', kind: 'text', value: row => row.id },
  { title: 'Provider', kind: 'text', value: row => row.provider },
  { title: "Provider's id", kind: 'text', value: row => row.providerRef },
  { title: 'UTR', kind: 'text', value: row => row.utr },
  { title: 'Expected on', kind: 'day', value: row => row.dueOn },
  { title: 'Our amount', kind: 'money', value: row => rupees(row.knownPaise) },
  { title: 'Reported', kind: 'money', value: row => rupees(row.reportedPaise) },
  { title: 'Problem', kind: 'text', value: row => row.problem },
  { title: 'Order', kind: 'text', value: row => row.orderId },
]

export async function exportReconciliation(
  ctx: Context,
  institute: Institute,
  filter: ReconciliationFilter,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const query = QUERIES[filter.status](institute.id, filter)
  const name = `reconciliation-${filter.status}`
  return exportReport(ctx, { name, title: 'Reconciliation', query, columns: ITEM_COLUMNS }, format, by)
}

export type Account = store.AccountRow & { name: string; meaning: string; balancePaise: Paise }

/** Every account, also those without a transfer. */
export async function listAccounts({ db }: Context, institute: Institute): Promise<Account[]> {
  const sums = new Map((await store.sumAccounts(db, institute.id)).map(row => [row.account, row]))
  return ACCOUNT_CODES.map(account => {
    const row = sums.get(account) ?? { account, receivedPaise: ZERO, sentPaise: ZERO, transfers: 0 }
    const { name, meaning } = CHART[account]
    return { ...row, name, meaning, balancePaise: balanceOf(account, row) }
  })
}

export async function listLedger(
  { db }: Context,
  institute: Institute,
  filter: store.LedgerFilter,
  { cursor: sent, limit }: Range,
): Promise<Page<store.LedgerRow>> {
  const cursor = sent === undefined ? undefined : parseLedgerCursor(sent)
  if (cursor === null) throw badCursor()
  const { text, values } = store.ledgerQuery(institute.id, filter, { cursor, limit: limit + 1 })
  return toPage(await db.query<store.LedgerRow>(text, values), limit, ledgerCursor)
}

const LEDGER_COLUMNS: readonly Column<store.LedgerRow>[] = [
  { title: 'When (IST)', kind: 'moment', value: row => row.occurredAt },
  { title: 'Posting', kind: 'count', value: row => row.postingId },
  { title: 'What happened', kind: 'text', value: row => row.kind },
  { title: 'To what', kind: 'text', value: row => row.reference },
  { title: 'From (credit)', kind: 'text', value: row => CHART[row.source].name },
  { title: 'To (debit)', kind: 'text', value: row => CHART[row.destination].name },
  { title: 'Amount', kind: 'money', value: row => toRupees(row.amountPaise) },
]

export async function exportLedger(
  ctx: Context,
  institute: Institute,
  filter: store.LedgerFilter,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const query = store.ledgerQuery(institute.id, filter)
  return exportReport(ctx, { name: 'ledger', title: 'Ledger', query, columns: LEDGER_COLUMNS }, format, by)
}
