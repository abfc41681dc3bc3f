import { field, query } from '../../http/wire/input.ts'
import { LONGEST_SEARCH, SHORTEST_SEARCH } from './search.rules.ts'

export const searchQuery = query({
  q: field.text(
    'Beginnings of words for students; ids, admission numbers, receipt numbers, bank references and UTRs for the rest.',
    'kabir',
    LONGEST_SEARCH,
    SHORTEST_SEARCH,
  ),
})
