import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../orders/orders.rules.ts'
import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import { toPage, type Page } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { paiseOf, sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import type { Query } from '../money/query.ts'
import { receiptOf } from '../money/settlements.service.ts'
import { exportReport, type ExportedFile, type ExportFor } from './export.service.ts'
import { readDays, type Days, type Period } from './register.rules.ts'
import * as store from './register.store.ts'
import { moneyVoucher, type LedgerNames, type Voucher } from './tally/tally.rules.ts'
import { readLedgerNames } from './tally/tally.service.ts'
import type { Column, Format } from './reports.rules.ts'

export type { RegisterFilter, RegisterRow } from './register.store.ts'

export async function listRegister(
  { db }: Context,
  institute: Institute,
  filter: store.RegisterFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<store.RegisterRow>> {
  const query = store.registerQuery(institute.id, filter, { cursor, limit: limit + 1 })
  if (query === null) return { rows: [], nextCursor: undefined }
  return toPage(await db.query<store.RegisterRow>(query.text, query.values), limit, row => row.id)
}

const COLUMNS: readonly Column<store.RegisterRow>[] = [
  { title: 'When (IST)', kind: 'moment', value: row => row.at },
  { title: 'What', kind: 'text', value: row => row.kind },
  { title: 'Source', kind: 'text', value: row => row.source },
  { title: 'Mode', kind: 'text', value: row => row.mode },
  { title: 'Payer', kind: 'text', value: row => row.payer },
  { title: 'Student', kind: 'text', value: row => row.studentName },
  { title: 'Identifier', kind: 'text', value: row => row.identifier },
  { title: 'Components', kind: 'text', value: componentsOf },
  { title: 'Amount', kind: 'money', value: row => toRupees(row.amountPaise) },
  { title: 'Receipt', kind: 'text', value: receiptOf },
  { title: 'Reference', kind: 'text', value: row => row.reference },
  { title: 'UTR of settlement', kind: 'text', value: row => row.utr },
  { title: 'Id', kind: 'text', value: row => row.id },
]

function componentsOf({ lines }: store.RegisterRow): string {
  return lines
    .map(line => `${readableComponent(line.componentType)} ${(line.amountPaise / 100).toFixed(2)}`)
    .join('; ')
}

export async function exportRegister(
  ctx: Context,
  institute: Institute,
  filter: store.RegisterFilter,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const query = store.registerQuery(institute.id, filter)
  if (query === null) throw badField('source', 'has nothing of this kind: nothing to export')
  const names = await readLedgerNames(ctx, institute)
  return exportReport<store.RegisterRow>(
    ctx,
    {
      name: 'payments',
      title: 'Payments',
      query,
      columns: COLUMNS,
      vouchers: row => [voucherOf(row, names)],
    },
    format,
    by,
  )
}

/** What comes at the counter goes into the payment context or the school's own account; all else is held by the provider first. */
function voucherOf(row: store.RegisterRow, names: LedgerNames): Voucher {
  const direct = /^cash$/i.test(row.mode) ? names.cash : names.direct
  const student = row.studentName ?? row.payer
  const who = row.identifier === null ? student : `${student} (${row.identifier})`
  const verb = row.kind === 'refund' ? 'Given back to' : 'Received from'
  return moneyVoucher(
    {
      id: row.id,
      day: dayOf(row.at),
      number: receiptOf(row),
      reference: row.reference,
      narration: `${verb} ${row.payer} for ${who}, ${row.source} ${row.mode}, ${row.id}`,
      amountPaise: row.amountPaise,
      lines: row.lines,
      account: row.source === 'direct' ? direct : names.clearing,
    },
    names,
  )
}

type Amounts = Omit<store.CollectionRow, 'period' | 'componentType'>
export type Collection = Days & {
  by: Period
  rows: store.CollectionRow[]
  components: (Amounts & { componentType: string })[]
  totals: Amounts
}

const MOST_ROWS = 10_000

function readRange(
  { clock }: Context,
  institute: Institute,
  asked: Partial<Days> & { by: Period },
): Days & { query: Query } {
  const { from, to } = readDays(asked, asked.by, dayOf(clock.now()))
  const range = { from: startOfDay(from), before: startOfDay(dayAfter(to)), by: asked.by }
  return { from, to, query: store.collectionQuery(institute.id, range) }
}

/** By period and component, and what they add up to. */
export async function readCollection(
  ctx: Context,
  institute: Institute,
  asked: Partial<Days> & { by: Period },
): Promise<Collection> {
  const { from, to, query } = readRange(ctx, institute, asked)
  const rows = await store.listCollection(ctx.db, query, MOST_ROWS + 1)
  if (rows.length > MOST_ROWS) throw badField('from', 'is too long ago for so many components; ask for less')
  const types = [...new Set(rows.map(row => row.componentType))].toSorted()
  const components = types.map(componentType => ({
    componentType,
    ...addUp(rows.filter(row => row.componentType === componentType)),
  }))
  return { from, to, by: asked.by, rows, components, totals: addUp(rows) }
}

function addUp(rows: readonly Amounts[]): Amounts {
  const sum = (of: (row: Amounts) => Paise): Paise => sumPaise(rows.map(of))
  return {
    onlinePaise: sum(row => row.onlinePaise),
    flexPaise: sum(row => row.flexPaise),
    directPaise: sum(row => row.directPaise),
    credPaise: sum(row => row.credPaise),
    collectedPaise: sum(row => row.collectedPaise),
    refundedPaise: sum(row => row.refundedPaise),
    netPaise: paiseOf(rows.reduce((total, row) => total + row.netPaise, 0)),
  }
}

const money = (title: string, of: (row: store.CollectionRow) => Paise): Column<store.CollectionRow> => ({
  title,
  kind: 'money',
  value: row => toRupees(of(row)),
})

export async function exportCollection(
  ctx: Context,
  institute: Institute,
  asked: Partial<Days> & { by: Period },
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const { query } = readRange(ctx, institute, asked)
  const columns: Column<store.CollectionRow>[] = [
    { title: asked.by === 'day' ? 'Day' : 'Month from', kind: 'day', value: row => row.period },
    { title: 'Component', kind: 'text', value: row => readableComponent(row.componentType) },
    money('Online', row => row.onlinePaise),
    money('Flex', row => row.flexPaise),
    money('Direct', row => row.directPaise),
    money('Cred', row => row.credPaise),
    money('Collected', row => row.collectedPaise),
    money('Given back', row => row.refundedPaise),
    money('Net', row => row.netPaise),
  ]
  return exportReport(ctx, { name: 'collection', title: 'Collection', query, columns }, format, by)
}
