import type { Institute } from '../../../institutes/institutes.rules.ts'
import { dayOf } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import { day, money, text } from '../reports.rules.ts'
import type { Report } from '../export.service.ts'
import { groupDemand, presentYear, type Demand, type DemandRow } from './demand.rules.ts'
import * as store from './demand.store.ts'

export type { Demand } from './demand.rules.ts'

type DemandRequest = { academicYearStart?: number | undefined }

const MOST_ROWS = 10_000

/** What was demanded of an academic year's students and what came in, by grade and by month, beside the year before. */
export async function readDemand(
  { db, clock }: Context,
  institute: Institute,
  { academicYearStart }: DemandRequest,
): Promise<Demand> {
  const years = await store.listYears(db, institute.id)
  const yearStart = academicYearStart ?? presentYear(years, dayOf(clock.now()))
  const rows = await store.listDemand(db, store.demandQuery(institute.id, yearStart), MOST_ROWS)
  const standings = await store.listStanding(db, institute.id, yearStart)
  return { yearStart, years, ...groupDemand(rows, standings) }
}

export async function demandReport(
  { db, clock }: Context,
  institute: Institute,
  { academicYearStart }: DemandRequest,
): Promise<Report<DemandRow>> {
  const years = await store.listYears(db, institute.id)
  const yearStart = academicYearStart ?? presentYear(years, dayOf(clock.now()))
  return {
    name: `demand-${yearStart}`,
    title: 'Demand and collection',
    query: store.demandQuery(institute.id, yearStart),
    columns: [
      text('Class', row => row.grade),
      day('Month from', row => row.month),
      money('Demanded', row => row.demandedPaise),
      money('Carried in', row => row.carriedInPaise),
      money('Carried out', row => row.carriedOutPaise),
      money('Collected', row => row.collectedPaise),
      money('Demanded last year', row => row.lastDemandedPaise),
      money('Collected last year', row => row.lastCollectedPaise),
    ],
  }
}
