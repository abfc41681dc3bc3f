import { choicesQuery } from '../../api/choices.ts'
import { queryClient } from '../../api/query-client.ts'
import { sessionQuery } from '../../api/session.ts'
import { keptSearch } from '../../ui/table/use-filters.ts'
import { academicYearOf } from './use-student.ts'

/**
 * What the list of students is narrowed to when it is opened with nothing asked of it: the academic year of today, as a
 * filter that is seen and can be taken away. Whoever took it away in this tab sees all years until the tab is closed.
 */
export async function firstView(institute: string): Promise<Record<string, string>> {
  const left = keptSearch(`/i/${institute}/students`)
  const isCleared = left !== undefined && Object.keys(left).length === 0
  if (isCleared) return {}
  const { now } = await queryClient.ensureQueryData(sessionQuery)
  // The page itself says so if they cannot be read.
  const choices = await queryClient.ensureQueryData(choicesQuery(institute)).catch(() => undefined)
  const year = String(academicYearOf(now))
  return choices?.years.some(({ code }) => code === year) ? { academic_year_start: year } : {}
}
