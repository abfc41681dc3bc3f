import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badField } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import { type Grouping, count, money, text } from './reports.rules.ts'
import * as store from './dues.store.ts'
import type { Report } from './export.service.ts'

export type { AgeingRow } from './dues.store.ts'

export type Ageing = {
  today: string
  by: Grouping
  groups: store.AgeingRow[]
  total: store.AgeingRow
  overdue: store.Overdue
  onTheWayPaise: Paise
}

/** What is owed, by how late it is; a late fee is as late as the fees that it is for. */
export async function readAgeing(
  { db, clock }: Context,
  institute: Institute,
  asked: store.AskedAgeing,
): Promise<Ageing> {
  const today = dayOf(clock.now())
  const { by, ...filter } = asked
  const [rows, overdue, onTheWayPaise] = await Promise.all([
    store.listAgeing(db, store.ageingQuery(institute.id, today, asked)),
    store.sumOverdue(db, institute.id, today, filter),
    store.sumOnTheWay(db, institute.id, today, asked),
  ])
  const total = rows.find(row => row.key === null)
  if (total === undefined) throw badField('by', 'makes too many groups to show')
  return { today, by, groups: rows.filter(row => row.key !== null), total, overdue, onTheWayPaise }
}

const TITLES: Record<Grouping, string> = { component: 'Fee', grade: 'Class', branch: 'Branch' }

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
