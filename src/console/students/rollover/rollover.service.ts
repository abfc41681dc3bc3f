import type { Institute } from '../../../institutes/institutes.rules.ts'
import type { Context } from '../../../platform/context.ts'
import * as store from './rollover.store.ts'

const MOST_YEARS = 3
const BY_GRADE = new Intl.Collator('en', { numeric: true })

/** What the form of a rollover begins with. */
export async function listGrades(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<store.GradeOfYear[]> {
  const grades = await store.listGrades(db, institute.id, { mostYears: MOST_YEARS })
  return grades.toSorted(
    (one, other) =>
      other.academicYearStart - one.academicYearStart ||
      other.academicYearEnd - one.academicYearEnd ||
      BY_GRADE.compare(one.grade, other.grade),
  )
}
