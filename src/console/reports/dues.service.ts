import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import { badField } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import { dueCursor, parseDueCursor, type Grouping } from './dues.rules.ts'
import * as store from './dues.store.ts'
import type { Report } from './export.service.ts'
import { count, day, moment, money, text, type Column } from './reports.rules.ts'

export { DEFAULTER_SORTING, type AgeingRow, type DefaulterRow } from './dues.store.ts'

export type Ageing = {
  today: string
  by: Grouping
  groups: store.AgeingRow[]
  total: store.AgeingRow
  onTheWayPaise: Paise
}

/** What is owed, by how late it is. Late fees are not in it: they grow by the day and are asked for with the payment. */
export async function readAgeing(
  { db, clock }: Context,
  institute: Institute,
  asked: store.AskedAgeing,
): Promise<Ageing> {
  const today = dayOf(clock.now())
  const [rows, onTheWayPaise] = await Promise.all([
    store.listAgeing(db, store.ageingQuery(institute.id, today, asked)),
    store.sumOnTheWay(db, institute.id, asked),
  ])
  const total = rows.find(row => row.key === null)
  if (total === undefined) throw badField('by', 'makes too many groups to show')
  return { today, by: asked.by, groups: rows.filter(row => row.key !== null), total, onTheWayPaise }
}

const TITLES: Record<Grouping, string> = { component: 'Component', grade: 'Grade', branch: 'Branch' }

export function ageingReport(
  { clock }: Context,
  institute: Institute,
  asked: store.AskedAgeing,
): Report<store.AgeingRow> {
  const label = (key: string): string => (asked.by === 'component' ? readableComponent(key) : key)
  return {
    name: 'ageing',
    title: 'Ageing',
    query: store.ageingQuery(institute.id, dayOf(clock.now()), asked),
    columns: [
      text(TITLES[asked.by], row => (row.key === null ? 'All' : label(row.key))),
      count('Students', row => row.students),
      money('Not due', row => row.notDuePaise),
      money('0-30 days', row => row.days30Paise),
      money('31-60 days', row => row.days60Paise),
      money('61-90 days', row => row.days90Paise),
      money('Over 90 days', row => row.over90Paise),
      money('No due day', row => row.noDueDayPaise),
      money('Total', row => row.totalPaise),
    ],
  }
}

export async function listDefaulters(
  { db, clock }: Context,
  institute: Institute,
  { cursor: sent, limit, ...asked }: store.AskedDefaulters & PageRange,
): Promise<Page<store.DefaulterRow>> {
  const cursor = sent === undefined ? undefined : parseDueCursor(sent)
  if (cursor === null) throw badCursor()
  const range = { cursor, limit: limit + 1 }
  const { text: statement, values } = store.defaultersQuery(institute.id, dayOf(clock.now()), asked, range)
  return toPage(await db.query<store.DefaulterRow>(statement, values), limit, dueCursor)
}

const DEFAULTER_COLUMNS: readonly Column<store.DefaulterRow>[] = [
  text('Student', row => row.fullname),
  text('Identifier', row => row.identifier),
  text('Grade', row => row.grade),
  text('Branch', row => row.collectorCode),
  text('Contact', row => row.contactName),
  text('Phone', row => row.contactNumber),
  text('E-mail', row => row.contactEmail),
  money('Owed', row => row.owedPaise),
  money('Owed in all', row => row.totalPaise),
  day('Due since', row => row.oldestDueOn),
  count('Days late', row => row.daysLate),
  moment('Last paid (IST)', row => row.lastPaidAt),
  money('Last payment', row => row.lastPaidPaise),
  text('On an instalment plan', row => (row.hasPlan ? 'Yes' : 'No')),
  money('On the way', row => row.onTheWayPaise),
]

export function defaultersReport(
  { clock }: Context,
  institute: Institute,
  asked: store.AskedDefaulters,
): Report<store.DefaulterRow> {
  const today = dayOf(clock.now())
  return {
    name: 'defaulters',
    title: 'Defaulters',
    query: store.defaultersQuery(institute.id, today, asked),
    counted: store.countedDefaulters(institute.id, today, asked),
    columns: DEFAULTER_COLUMNS,
  }
}
