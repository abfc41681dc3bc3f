import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { paiseOf, sumPaise, type Paise } from '../../platform/money.ts'
import type { Query } from '../../platform/db/query.ts'
import { sumWays, type WaySum } from '../home/home.store.ts'
import { receiptOf } from '../money/receipts.rules.ts'
import type { Report } from './export.service.ts'
import type { RegisterRow } from './register.list.ts'
import { readDays, type Days, type Period, day, money, text } from './reports.rules.ts'
import * as store from './register.store.ts'
import { moneyVoucher, type LedgerNames, type Voucher } from './tally/tally.rules.ts'
import { readLedgerNames } from './tally/tally.service.ts'

/** What stands for a row of the register in Tally. */
export async function registerVouchers(
  ctx: Context,
  institute: Institute,
): Promise<(row: RegisterRow) => Voucher[]> {
  const names = await readLedgerNames(ctx, institute)
  return row => [voucherOf(row, names)]
}

/** What comes at the counter goes into the cash box or the school's own account; all else is held by the provider first. */
function voucherOf(row: RegisterRow, names: LedgerNames): Voucher {
  const direct = /^cash$/i.test(row.mode) ? names.cash : names.direct
  const student = row.studentName ?? row.payer
  const who = row.identifier === null ? student : `${student} (${row.identifier})`
  // The narration names what was sold on a payment page; fees have a ledger that says it.
  const labels = row.components.flatMap(({ label }) => label ?? [])
  const verb = row.kind === 'refund' ? 'Given back to' : 'Received from'
  return moneyVoucher(
    {
      id: row.id,
      day: dayOf(row.at),
      number: receiptOf(row),
      reference: row.reference,
      narration: [`${verb} ${row.payer} for ${who}`, ...labels, `${row.source} ${row.mode}`, row.id].join(
        ', ',
      ),
      amountPaise: row.amountPaise,
      lines: row.components,
      account: row.source === 'direct' ? direct : names.clearing,
    },
    names,
  )
}

export type Amounts = Omit<store.CollectionRow, 'period' | 'componentType'>
export type Collection = Days & {
  by: Period
  rows: store.CollectionRow[]
  components: (Amounts & { componentType: string })[]
  ways: WaySum[]
  totals: Amounts
}

type AskedCollection = Partial<Days> & { by: Period }

const MOST_ROWS = 10_000

function readRange(
  { clock }: Context,
  institute: Institute,
  asked: AskedCollection,
): Days & { query: Query } {
  const { from, to } = readDays(asked, asked.by, dayOf(clock.now()))
  const range = { from: startOfDay(from), before: startOfDay(dayAfter(to)), by: asked.by }
  return { from, to, query: store.collectionQuery(institute.id, range) }
}

/** Sums what came by period and component, and all of it. */
export async function readCollection(
  ctx: Context,
  institute: Institute,
  asked: AskedCollection,
): Promise<Collection> {
  const { from, to, query } = readRange(ctx, institute, asked)
  const days = { from: startOfDay(from), before: startOfDay(dayAfter(to)) }
  const [rows, ways] = await Promise.all([
    store.listCollection(ctx.db, query, MOST_ROWS + 1),
    sumWays(ctx.db, institute.id, days),
  ])
  if (rows.length > MOST_ROWS) throw badField('from', 'is too long ago for so many components; ask for less')
  const byType = Map.groupBy(rows, row => row.componentType)
  const components = [...byType.keys()]
    .toSorted()
    .map(componentType => ({ componentType, ...addUp(byType.get(componentType) ?? []) }))
  return { from, to, by: asked.by, rows, components, ways, totals: addUp(rows) }
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

export function collectionReport(
  ctx: Context,
  institute: Institute,
  asked: AskedCollection,
): Report<store.CollectionRow> {
  const { query } = readRange(ctx, institute, asked)
  return {
    name: 'collection',
    title: 'Collection',
    query,
    columns: [
      day(asked.by === 'day' ? 'Day' : 'Month from', row => row.period),
      text('Fee', row => readableComponent(row.componentType)),
      money('Online', row => row.onlinePaise),
      money('Flex', row => row.flexPaise),
      money('At the school', row => row.directPaise),
      money('Cred', row => row.credPaise),
      money('Collected', row => row.collectedPaise),
      money('Given back', row => row.refundedPaise),
      money('Net', row => row.netPaise),
    ],
  }
}
