import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { FoundColumn } from '../../imports/match-columns.service.ts'

const column = outputOf<FoundColumn>()
const columnOutput = column.object({
  title: column.text('Its heading.', 'Adm No'),
  samples: column.texts('What stands in its first rows.', ['ADM-1042']),
  open_day: column.optional.text(
    'A day of it that could be meant in two ways, where nothing in the column says which.',
    '01/02/2015',
  ),
  guess: column.optional.text('The field that it probably holds.', 'identifier'),
})
const found = outputOf<FoundColumn[]>()
export const columnsOutput = found.object({
  columns: found.list('The columns of the file, from left to right.', columnOutput, all => all),
})
export type ColumnsAnswer = Shown<typeof columnsOutput>
