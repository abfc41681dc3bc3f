import type { Institute } from '../../../institutes/institutes.rules.ts'
import type { Context } from '../../../platform/context.ts'
import { readStructures } from '../../../fees/structures/structures.service.ts'
import { badField } from '../../../platform/errors.ts'
import type { WantedRollover } from '../../../students/rollover/rollover.service.ts'
import { yearName } from '../../../students/students.rules.ts'
import { missingForYear } from './rollover.rules.ts'
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

type YearsAsked = Pick<WantedRollover, 'fromYearStart' | 'fromYearEnd' | 'toYearStart' | 'toYearEnd'>

/** What the new year lacks to be charged as this one is. */
export async function listMissing(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  { fromYearStart, fromYearEnd, toYearStart, toYearEnd }: YearsAsked,
): Promise<string[]> {
  const [now, next] = await Promise.all([
    readStructures(db, institute.id, { academicYearStart: fromYearStart, academicYearEnd: fromYearEnd }),
    readStructures(db, institute.id, { academicYearStart: toYearStart, academicYearEnd: toYearEnd }),
  ])
  return missingForYear({ now, next, nextYear: yearName(toYearStart, toYearEnd) }, institute.branches)
}

/** A year is started without what it lacks only by somebody who says so. */
export async function requireStructure(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  { isWithoutStructure, ...years }: YearsAsked & { isWithoutStructure: boolean },
): Promise<void> {
  if (isWithoutStructure) return
  const missing = await listMissing(ctx, institute, years)
  if (missing.length > 0)
    throw badField('without_structure', `must be true to start all the same: ${missing.join(' ')}`)
}
