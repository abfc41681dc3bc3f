import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../orders/orders.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import { badCursor, toPage, type Page } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { exportReport, type ExportedFile, type ExportFor } from './export.service.ts'
import { dueCursor, parseDueCursor, type DefaulterBucket, type Grouping } from './dues.rules.ts'
import * as store from './dues.store.ts'
import type { Column, Format } from './reports.rules.ts'

export type { AgeingRow, DefaulterRow, DuesFilter } from './dues.store.ts'

export type Ageing = { today: string; groups: store.AgeingRow[]; total: store.AgeingRow }
type AskedAgeing = { by: Grouping; filter: store.DuesFilter }

/** What is owed, by how late it is. Late fees are not in it: they grow by the day and are asked for with the payment. */
export async function readAgeing(
  { db, clock }: Context,
  institute: Institute,
  asked: AskedAgeing,
): Promise<Ageing> {
  const today = dayOf(clock.now())
  const rows = await store.listAgeing(db, store.ageingQuery(institute.id, { today, ...asked }))
  const total = rows.find(row => row.key === null)
  if (total === undefined) throw badField('by', 'makes too many groups to show')
  return { today, groups: rows.filter(row => row.key !== null), total }
}

const money = <Row>(title: string, of: (row: Row) => Paise | null): Column<Row> => ({
  title,
  kind: 'money',
  value: row => {
    const amount = of(row)
    return amount === null ? null : toRupees(amount)
  },
})

export async function exportAgeing(
  ctx: Context,
  institute: Institute,
  asked: AskedAgeing,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const today = dayOf(ctx.clock.now())
  const label = (key: string): string => (asked.by === 'component' ? readableComponent(key) : key)
  const columns: Column<store.AgeingRow>[] = [
    { title: TITLES[asked.by], kind: 'text', value: row => (row.key === null ? 'All' : label(row.key)) },
    { title: 'Students', kind: 'count', value: row => row.students },
    money('Not due', row => row.notDuePaise),
    money('0-30 days', row => row.days30Paise),
    money('31-60 days', row => row.days60Paise),
    money('61-90 days', row => row.days90Paise),
    money('Over 90 days', row => row.over90Paise),
    money('No due day', row => row.noDueDayPaise),
    money('Total', row => row.totalPaise),
  ]
  const query = store.ageingQuery(institute.id, { today, ...asked })
  return exportReport(ctx, { name: 'ageing', title: 'Ageing', query, columns }, format, by)
}

const TITLES: Record<Grouping, string> = { component: 'Component', grade: 'Grade', branch: 'Branch' }

type AskedDefaulters = { bucket: DefaulterBucket; filter: store.DuesFilter }

export async function listDefaulters(
  { db, clock }: Context,
  institute: Institute,
  asked: AskedDefaulters,
  { cursor: sent, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<store.DefaulterRow>> {
  const cursor = sent === undefined ? undefined : parseDueCursor(sent)
  if (cursor === null) throw badCursor()
  const today = dayOf(clock.now())
  const range = { cursor, limit: limit + 1 }
  const { text, values } = store.defaultersQuery(institute.id, { today, ...asked }, range)
  return toPage(await db.query<store.DefaulterRow>(text, values), limit, dueCursor)
}

const DEFAULTER_COLUMNS: readonly Column<store.DefaulterRow>[] = [
  { title: 'Student', kind: 'text', value: row => row.fullname },
  { title: 'Identifier', kind: 'text', value: row => row.identifier },
  { title: 'Grade', kind: 'text', value: row => row.grade },
  { title: 'Branch', kind: 'text', value: row => row.collectorCode },
  { title: 'Contact', kind: 'text', value: row => row.contactName },
  { title: 'Phone', kind: 'text', value: row => row.contactNumber },
  { title: 'E-mail', kind: 'text', value: row => row.contactEmail },
  money('Owed', row => row.owedPaise),
  money('Owed in all', row => row.totalPaise),
  { title: 'Due since', kind: 'day', value: row => row.oldestDueOn },
  { title: 'Days late', kind: 'count', value: row => row.daysLate },
  { title: 'Last paid (IST)', kind: 'moment', value: row => row.lastPaidAt },
  money('Last payment', row => row.lastPaidPaise),
  { title: 'On an instalment plan', kind: 'text', value: row => (row.hasPlan ? 'Yes' : 'No') },
]

export async function exportDefaulters(
  ctx: Context,
  institute: Institute,
  asked: AskedDefaulters,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const today = dayOf(ctx.clock.now())
  const query = store.defaultersQuery(institute.id, { today, ...asked })
  const report = { name: 'defaulters', title: 'Defaulters', query, columns: DEFAULTER_COLUMNS }
  return exportReport(ctx, report, format, by)
}
