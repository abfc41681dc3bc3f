import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { DemandSums } from './demand.rules.ts'
import type { Demand } from './demand.service.ts'

const AMOUNT = 123456.5

const sums = outputOf<DemandSums>()
const sumFields = {
  demanded: sums.signedAmount('Fees less concessions, rupees.', AMOUNT),
  collected: sums.signedAmount('Came in less refunds.', AMOUNT),
  last_demanded: sums.signedAmount('Of the year before.', AMOUNT),
  last_collected: sums.signedAmount('Of the year before, in the same month.', AMOUNT),
}

const grade = outputOf<Demand['grades'][number]>()
const month = outputOf<Demand['months'][number]>()
const out = outputOf<Demand>()
export const demandOutput = out.object({
  academic_year_start: out.integer('The academic year.', 2026, one => one.yearStart),
  years: out.list('Years that can be asked for.', numbers(), one => one.years.map(year => ({ year }))),
  grades: out.list('By class.', grade.object({ grade: grade.text('The class.', '5'), ...sumFields })),
  months: out.list(
    'By month; fees without a due day stand first, without one.',
    month.object({ month: month.optional.day('Its first day.', '2026-06-01'), ...sumFields }),
  ),
  total: out.one('All of it.', sums.object(sumFields)),
})
export type DemandAnswer = Shown<typeof demandOutput>

function numbers() {
  const year = outputOf<{ year: number }>()
  return year.object({ year: year.integer('It starts in.', 2026) })
}
