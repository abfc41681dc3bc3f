import type { FieldProblem } from '../../platform/errors.ts'
import type { Identity, Profile, Student } from '../students.rules.ts'

/** What a correction says of a student; a field that it does not name stays as it is. */
export type SentProfile = {
  [Name in keyof (Identity & Profile & { collectorCode: string })]?: Student[Name] | undefined
}

export type ProfileDecision =
  | { kind: 'unchanged' }
  | { kind: 'invalid'; problems: FieldProblem[] }
  /** A new academic year is a new record; this one's fees and payments stay this year's. */
  | { kind: 'other_year' }
  /** `isIdentityChanged`: no two students may share identifier, grade, year and branch. */
  | { kind: 'changed'; student: Student; isIdentityChanged: boolean }

export function decideProfile(stored: Student, sent: SentProfile): ProfileDecision {
  const named = Object.entries(sent).filter(([, value]) => value !== undefined)
  const student: Student = { ...stored, ...Object.fromEntries(named) }
  // The years as they would be: one of them may have been sent alone.
  if (student.academicYearEnd < student.academicYearStart) {
    const problem = { key: 'academic_year_end', message: 'must not be before academic_year_start' }
    return { kind: 'invalid', problems: [problem] }
  }
  const isOther = (name: keyof Student): boolean => student[name] !== stored[name]
  if (isOther('academicYearStart') || isOther('academicYearEnd')) return { kind: 'other_year' }
  const changed = named.filter(([name]) => isOther(name as keyof Student))
  if (changed.length === 0) return { kind: 'unchanged' }
  return { kind: 'changed', student, isIdentityChanged: IDENTITY.some(isOther) }
}

const IDENTITY = ['identifier', 'grade', 'collectorCode'] as const
