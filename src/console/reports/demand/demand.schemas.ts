import { field, optional, query } from '../../../http/wire/input.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { DemandSums, Standing } from './demand.rules.ts'
import type { Demand } from './demand.service.ts'

export const demandQuery = query({
  academic_year_start: optional(
    field.year('The year that the academic year starts in; the present one if absent.', 2026),
  ),
})

const AMOUNT = 123456.5

const sums = outputOf<DemandSums>()
const sumFields = {
  demanded: sums.signedAmount(
    'Fees of the year less concessions, rupees; without what was carried to it.',
    AMOUNT,
  ),
  carried_in: sums.signedAmount('Dues that a rollover carried to the year.', AMOUNT),
  carried_out: sums.signedAmount(
    'Dues that a rollover carried on to a later year: they are owed there.',
    AMOUNT,
  ),
  collected: sums.signedAmount(
    'Came in less refunds. An advance that was carried counts in the year that it went to.',
    AMOUNT,
  ),
  last_demanded: sums.signedAmount('Of the year before.', AMOUNT),
  last_collected: sums.signedAmount('Of the year before, in the same month.', AMOUNT),
}

const standing = outputOf<Standing>()
const standingFields = {
  outstanding: standing.amount(
    'Left to pay of these fees. Late fees, which are asked for by the day, are in the ageing beside them.',
    AMOUNT,
  ),
  advance: standing.amount(
    'Held beyond what is owed: demanded and carried in, less carried out and collected, is outstanding less advance.',
    AMOUNT,
  ),
}

const grade = outputOf<Demand['grades'][number]>()
const month = outputOf<Demand['months'][number]>()
const total = outputOf<Demand['total']>()
const out = outputOf<Demand>()
export const demandOutput = out.object({
  academic_year_start: out.integer('The academic year.', 2026, one => one.yearStart),
  years: out.list('Years that can be asked for.', numbers(), one => one.years.map(year => ({ year }))),
  grades: out.list(
    'By class.',
    grade.object({ grade: grade.text('The class.', '5'), ...sumFields, ...standingFields }),
  ),
  months: out.list(
    'By month; fees without a due day stand first, without one.',
    month.object({ month: month.optional.day('Its first day.', '2026-06-01'), ...sumFields }),
  ),
  total: out.one('All of it.', total.object({ ...sumFields, ...standingFields })),
})
export type DemandAnswer = Shown<typeof demandOutput>

function numbers() {
  const year = outputOf<{ year: number }>()
  return year.object({ year: year.integer('It starts in.', 2026) })
}
