import type { Institute } from '../../institutes/institutes.rules.ts'
import { studentFields } from '../../students/student.input.ts'
import type { Identity } from '../../students/students.rules.ts'
import type { RawProblem, RawRow } from '../files/columns.rules.ts'
import { ROW_FILES } from '../../platform/limits.rules.ts'
import { canonicalName } from '../../platform/names.ts'
import type { RowKeys } from './kind.ts'

/** The columns by which a row names its student. */
const { identifier, grade, academic_year_start, academic_year_end, collector_code } = studentFields
export const identityCells = { identifier, grade, academic_year_start, academic_year_end, collector_code }

export type RowOfStudent = { identity: Identity; collectorCode: string | undefined }

/** What a row says, and of which student. */
export function splitIdentity<Cells extends Identity & { collectorCode?: string | undefined }>(cells: Cells) {
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode, ...rest } = cells
  const owner: RowOfStudent = {
    identity: { identifier, grade, academicYearStart, academicYearEnd },
    collectorCode,
  }
  return { owner, rest }
}

/** What all kinds of rows of students have in common. */
export const ofStudents = {
  limits: ROW_FILES.import,
  maxGroupRows: 1_000,
  rowProblems(institute: Institute, { collectorCode }: RowOfStudent): RawProblem[] {
    const codes = institute.branches.map(branch => branch.collectorCode)
    if (collectorCode === undefined || codes.includes(collectorCode)) return []
    const message = `is not a branch of this institute; its branches are: ${codes.join(', ')}`
    return [{ column: 'collector_code', message }]
  },
}

/** All rows of one student are a group; `unitColumn` tells apart what they say of it. */
export function keysByStudent(unitColumn?: string): (raw: RawRow, branch: string) => RowKeys {
  return (raw, branch) => {
    const unit = unitColumn === undefined ? '' : (raw[unitColumn] ?? '')
    return {
      group: keyOf([...numberOf(raw, branch), raw['grade'] ?? '']),
      unit: unit === '' ? '' : keyOf([unit]),
    }
  }
}

/** The same in whatever class: for lists in which an admission number stands once. */
export function keysByNumber(raw: RawRow, branch: string): RowKeys {
  return { group: keyOf(numberOf(raw, branch)), unit: '' }
}

function numberOf(raw: RawRow, branch: string): unknown[] {
  const { identifier = '', academic_year_start = '', academic_year_end = '' } = raw
  return [identifier, academic_year_start, academic_year_end, raw['collector_code'] ?? branch]
}

/** JSON keeps keys of two rows apart and leaves no character that a database cannot hold. */
function keyOf(parts: readonly unknown[]): string {
  return JSON.stringify(parts.map(part => canonicalName(String(part))))
}
