import { paiseOf, sumPaise, type Paise } from '../../../platform/money.ts'

export type DemandSums = {
  demandedPaise: Paise
  carriedInPaise: Paise
  carriedOutPaise: Paise
  collectedPaise: Paise
  lastDemandedPaise: Paise
  lastCollectedPaise: Paise
}

/** `month` is its first day; null for fees without a due day. */
export type DemandRow = DemandSums & { grade: string; month: string | null }

/** What is left: demanded and carried in, less carried out and collected, is outstanding less advance. */
export type Standing = { outstandingPaise: Paise; advancePaise: Paise }
export type GradeStanding = Standing & { grade: string }

export type Demand = {
  yearStart: number
  years: readonly number[]
  grades: (DemandSums & GradeStanding)[]
  months: (DemandSums & { month: string | null })[]
  total: DemandSums & Standing
}

/** The same rows by grade, in the order of their names, and by month. */
export function groupDemand(
  rows: readonly DemandRow[],
  standings: readonly GradeStanding[],
): Pick<Demand, 'grades' | 'months' | 'total'> {
  const byGrade = [...Map.groupBy(rows, row => row.grade)]
  const byMonth = [...Map.groupBy(rows, row => row.month)]
  return {
    grades: byGrade
      .map(([grade, own]) => {
        return { grade, ...addUp(own), ...addStanding(standings.filter(one => one.grade === grade)) }
      })
      .toSorted((one, other) => one.grade.localeCompare(other.grade, 'en', { numeric: true })),
    months: byMonth
      .map(([month, own]) => ({ month, ...addUp(own) }))
      .toSorted((one, other) => (one.month ?? '').localeCompare(other.month ?? '')),
    total: { ...addUp(rows), ...addStanding(standings) },
  }
}

function addStanding(some: readonly Standing[]): Standing {
  return {
    outstandingPaise: sumPaise(some.map(one => one.outstandingPaise)),
    advancePaise: sumPaise(some.map(one => one.advancePaise)),
  }
}

function addUp(rows: readonly DemandSums[]): DemandSums {
  const sum = (of: (row: DemandSums) => Paise): Paise =>
    paiseOf(rows.reduce((total, row) => total + of(row), 0))
  return {
    demandedPaise: sum(row => row.demandedPaise),
    carriedInPaise: sum(row => row.carriedInPaise),
    carriedOutPaise: sum(row => row.carriedOutPaise),
    collectedPaise: sum(row => row.collectedPaise),
    lastDemandedPaise: sum(row => row.lastDemandedPaise),
    lastCollectedPaise: sum(row => row.lastCollectedPaise),
  }
}

/** The academic year that a day is in: it begins on 1 April. */
export function schoolYearOf(day: string): number {
  const { year, month } = Temporal.PlainDate.from(day)
  return month >= 4 ? year : year - 1
}

/** The newest year that has begun; else the newest there is. */
export function presentYear(years: readonly number[], today: string): number {
  const begun = schoolYearOf(today)
  return years.find(one => one <= begun) ?? years[0] ?? begun
}
