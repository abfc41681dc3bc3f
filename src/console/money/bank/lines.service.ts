import { allLines, type MatchedLine } from '../../../banking/statements/decide.service.ts'
import type { Institute } from '../../../institutes/institutes.rules.ts'
import { readableComponent } from '../../../platform/names.ts'
import { by, type Sorting } from '../../../platform/db/sorted-list.ts'
import type { Report } from '../../reports/export.service.ts'
import { day, money, text, type Column } from '../../reports/reports.rules.ts'

export const LINE_SORTING: Sorting = {
  key: 'id',
  columns: {
    day: by.day('day'),
    amount: by.number('"amountPaise"'),
    state: by.text('state'),
    text: by.name('text'),
  },
}

const COLUMNS: readonly Column<MatchedLine>[] = [
  day('Day', row => row.day),
  text('What the bank says', row => row.text),
  text('Reference', row => row.reference),
  money('Amount', row => row.amountPaise),
  text('Status', row => readableComponent(row.state.toUpperCase())),
  text('Matched with', row => row.matches.map(match => match.label).join('; ')),
  text('What else it is', row => row.reason),
]

export function linesReport(
  institute: Institute,
  filter: Parameters<typeof allLines>[1],
): Report<MatchedLine> {
  return { name: 'bank-lines', title: 'Bank lines', query: allLines(institute.id, filter), columns: COLUMNS }
}
