import type { Institute } from '../../institutes/institutes.rules.ts'
import { ACCOUNT_CODES, balanceOf, CHART } from '../../ledger/ledger.rules.ts'
import { listMismatches } from '../../payments/mismatches/settle-mismatch.service.ts'
import { DAY_MS, dayOf } from '../../platform/calendar.ts'
import { badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { ledgerCursor, parseLedgerCursor, type ReconciliationStatus } from './books.rules.ts'
import * as store from './books.store.ts'
import type { Query } from '../../platform/db/query.ts'
import type { Report } from '../reports/export.service.ts'
import { count, day, moment, money, text, type Column } from '../reports/reports.rules.ts'

export type { LedgerRow, ReconciliationSums } from './books.store.ts'
export { checkBooks } from '../../payments/reconcile/reconcile.service.ts'

const MATCHED_MS = 30 * DAY_MS

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
  (instituteId: number, filter: store.ReconciliationFilter, range?: PageRange) => Query
> = {
  matched: store.matchedQuery,
  mismatched: store.mismatchedQuery,
  expected: store.expectedQuery,
}

export type ReconciliationItem = store.ReconciliationRow & {
  status: ReconciliationStatus
  canRefund: boolean
  canTake: boolean
}

export async function listReconciliation(
  { db }: Context,
  institute: Institute,
  { cursor, limit, ...filter }: ReconciliationFilter & PageRange,
): Promise<Page<ReconciliationItem>> {
  const { status } = filter
  if (status === 'mismatched' && cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw badCursor()
  const query = QUERIES[status](institute.id, filter, { cursor, limit: limit + 1 })
  const rows = await db.query<store.ReconciliationRow>(query.text, query.values)
  const ids = status === 'mismatched' ? rows.map(row => row.id) : []
  const open = ids.length === 0 ? [] : await listMismatches({ db }, institute.id, ids)
  const byId = new Map(open.map(one => [one.id, one]))
  return toPage(
    rows.map(row => {
      const mismatch = byId.get(row.id)
      return {
        ...row,
        orderId: row.orderId ?? mismatch?.orderId ?? null,
        status,
        canRefund: mismatch !== undefined,
        canTake: mismatch?.canTake ?? false,
      }
    }),
    limit,
    row => row.id,
  )
}

const ITEM_COLUMNS: readonly Column<store.ReconciliationRow>[] = [
  moment('When (IST)', row => row.at),
  text('What', row => row.kind),
  text('Id', row => row.id),
  text('Provider', row => row.provider),
  text("Provider's id", row => row.providerRef),
  text('UTR', row => row.utr),
  day('Expected on', row => row.dueOn),
  money('Our amount', row => row.knownPaise),
  money('Reported', row => row.reportedPaise),
  text('Problem', row => row.problem),
  text('Order', row => row.orderId),
]

export function reconciliationReport(
  institute: Institute,
  filter: ReconciliationFilter,
): Report<store.ReconciliationRow> {
  return {
    name: `reconciliation-${filter.status}`,
    title: 'Reconciliation',
    query: QUERIES[filter.status](institute.id, filter),
    columns: ITEM_COLUMNS,
  }
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
  { cursor: sent, limit, ...filter }: store.LedgerFilter & PageRange,
): Promise<Page<store.LedgerRow>> {
  const cursor = sent === undefined ? undefined : parseLedgerCursor(sent)
  if (cursor === null) throw badCursor()
  const query = store.ledgerQuery(institute.id, filter, { cursor, limit: limit + 1 })
  return toPage(await db.query<store.LedgerRow>(query.text, query.values), limit, ledgerCursor)
}

const LEDGER_COLUMNS: readonly Column<store.LedgerRow>[] = [
  moment('When (IST)', row => row.occurredAt),
  count('Posting', row => row.postingId),
  text('What happened', row => row.kind),
  text('To what', row => row.reference),
  text('From (credit)', row => CHART[row.source].name),
  text('To (debit)', row => CHART[row.destination].name),
  money('Amount', row => row.amountPaise),
]

export function ledgerReport(institute: Institute, filter: store.LedgerFilter): Report<store.LedgerRow> {
  const query = store.ledgerQuery(institute.id, filter)
  return { name: 'ledger', title: 'Ledger', query, columns: LEDGER_COLUMNS }
}
