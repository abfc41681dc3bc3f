import type { FieldProblem } from '../platform/errors.ts'
import type { Student } from './students.rules.ts'

/** How an order says whose dues it pays; an identifier alone says nothing. */
export type Naming = {
  studentId?: string | null | undefined
  settleDues?: boolean | undefined
  identifier: string | null
  grade: string | null
  academicYearStart: number | null
  academicYearEnd: number | null
}

type Known = Pick<Student, 'id' | 'grade' | 'academicYearStart' | 'academicYearEnd'>

/** Without a student it pays nobody's dues. */
export type Picked = { studentId: string | null; problem: FieldProblem | null }

const MOST_LISTED = 4

export function pickNamed(
  naming: Naming,
  byId: ReadonlyMap<string, Known>,
  byIdentifier: ReadonlyMap<string, readonly Known[]>,
): Picked {
  const { studentId, settleDues = false, identifier } = naming
  if (studentId !== null && studentId !== undefined) {
    if (byId.has(studentId)) return { studentId, problem: null }
    return refused('service_student_id', 'is no student of this institute')
  }
  if (!settleDues) return { studentId: null, problem: null }
  if (identifier === null) return refused('identifier', 'is required with settle_dues')
  const fitting = (byIdentifier.get(identifier) ?? []).filter(student => fits(student, naming))
  const [student, another] = fitting
  if (student === undefined)
    return refused('identifier', 'fits no student, so settle_dues cannot pay any dues')
  if (another === undefined) return { studentId: student.id, problem: null }
  const some = fitting.slice(0, MOST_LISTED).map(nameOf).join(', ')
  const more = fitting.length > MOST_LISTED ? ' and others' : ''
  return refused(
    'identifier',
    `fits several students: ${some}${more}; add academic_year_start, grade or service_student_id`,
  )
}

function fits(student: Known, { grade, academicYearStart, academicYearEnd }: Naming): boolean {
  return (
    (grade === null || student.grade === grade) &&
    (academicYearStart === null || student.academicYearStart === academicYearStart) &&
    (academicYearEnd === null || student.academicYearEnd === academicYearEnd)
  )
}

function nameOf({ grade, academicYearStart, academicYearEnd }: Known): string {
  return `class ${grade} of ${academicYearStart}–${academicYearEnd}`
}

function refused(key: string, message: string): Picked {
  return { studentId: null, problem: { key, message } }
}
