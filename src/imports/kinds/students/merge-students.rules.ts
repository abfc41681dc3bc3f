import { profileDifference } from '../../../students/students.rules.ts'
import type { Placed, Units } from '../merge.rules.ts'
import type { StudentRow } from './student-rows.schemas.ts'

export type SaidStudent = StudentRow & { registrationIds: string[] }

/**
 * A student may stand in several rows, one for each user that it belongs to. Whatever else they say must be the same:
 * which of two rows is right, and which came last when the file comes again, nobody could tell.
 */
export function mergeStudentRows(rows: readonly Placed<StudentRow>[]): Units<SaidStudent, StudentRow> {
  const [first, ...others] = rows
  if (first === undefined) return { units: [], problems: [] }
  const problems = others.flatMap(({ rowNo, row }) => {
    const column = differenceOf(first.row, row)
    if (column === null) return []
    return [{ rowNo, column, message: `differs from row ${first.rowNo}, which is the same student` }]
  })
  const bad = new Set(problems.map(problem => problem.rowNo))
  const good = rows.filter(({ rowNo }) => !bad.has(rowNo))
  const registrationIds = [...new Set(good.map(({ row }) => row.registrationId))]
  return { units: [{ said: { ...first.row, registrationIds }, rows: good }], problems }
}

function differenceOf(one: StudentRow, other: StudentRow): string | null {
  if (one.collectorCode !== other.collectorCode) return 'collector_code'
  return profileDifference(one.profile, other.profile)
}
