import type { FieldProblem } from '../platform/errors.ts'
import { sumPaise, type Paise } from '../platform/money.ts'
import { MAX_TOTAL_PAISE } from '../fees/fees.rules.ts'
import { PROFILE_FIELDS, PROFILE_KEYS, type Profile } from './profile/profile.fields.ts'

export type { Profile } from './profile/profile.fields.ts'

export type StudentKey = { instituteId: number; studentId: string }

/** What makes two records the same student, beside the branch. */
export type Identity = {
  identifier: string
  grade: string
  academicYearStart: number
  academicYearEnd: number
}

const IDENTITY_FIELDS = ['academicYearEnd', 'academicYearStart', 'grade', 'identifier'] as const

/** The order is fixed, whatever order they were written in. */
export function identityValues(identity: Identity): unknown[] {
  return IDENTITY_FIELDS.map(key => identity[key])
}

export function profileValues(profile: Profile): unknown[] {
  return PROFILE_KEYS.map(key => profile[key])
}

/** The first field that differs, by its name on the wire. */
export function profileDifference(one: Profile, other: Profile): string | null {
  const key = PROFILE_KEYS.find(name => one[name] !== other[name])
  return key === undefined ? null : PROFILE_FIELDS[key].name
}

/** Who keeps a student's record: the ERP, people of the office, or a file that the office sent. */
export const ORIGINS = ['erp', 'office', 'file'] as const
export type StudentOrigin = (typeof ORIGINS)[number]

export type Student = Identity &
  Profile & {
    id: string
    collectorCode: string
    status: 'active' | 'dropped'
    origin: StudentOrigin
    createdAt: Date
    updatedAt: Date
  }

export type DirectPayment = {
  transactionId: string
  amountPaise: Paise
  paidAt: Date
  mode: string
  settlementUtr: string | null
  notes: string | null
  lines: readonly { componentType: string; amountPaise: Paise }[]
}

/** The profile after a repeat or a pull; what was not sent stays. */
export function mergeProfile(stored: Profile, sent: Profile): Profile {
  const said = PROFILE_KEYS.filter(key => sent[key] !== null && sent[key] !== '').map(key => [key, sent[key]])
  return { ...profileOf(stored), ...(Object.fromEntries(said) as Partial<Profile>) }
}

/** Only what is part of the profile. */
export function profileOf(source: Profile): Profile {
  return Object.fromEntries(PROFILE_KEYS.map(key => [key, source[key]])) as Profile
}

/** Another name and another birthday under one identifier is another child, not a correction. */
export function isSomeoneElse(stored: Profile, sent: Profile): boolean {
  return (
    stored.fullname !== sent.fullname &&
    stored.dateOfBirth !== null &&
    stored.dateOfBirth !== sent.dateOfBirth
  )
}

/**
 * Picks the student that a registration means among those with one identity: that of its branch. One that was registered
 * without a branch and moved since is still meant when a registration comes without a branch again.
 */
export function pickRegistered<One extends { student: { collectorCode: string }; isBranchAssumed: boolean }>(
  known: readonly One[],
  sentBranch: string | undefined,
  branch: string,
): One | undefined {
  return (
    known.find(({ student }) => student.collectorCode === branch) ??
    (sentBranch === undefined ? known.find(one => one.isBranchAssumed) : undefined)
  )
}

/** Nobody is born tomorrow: a slip of the hand, mostly in the year. */
export function birthProblems(
  dateOfBirth: string | null | undefined,
  today: string,
  key: string,
): FieldProblem[] {
  if (dateOfBirth === null || dateOfBirth === undefined || dateOfBirth <= today) return []
  return [{ key, message: 'is in the future; check the year' }]
}

export function paymentProblems(payments: readonly DirectPayment[], path: string): FieldProblem[] {
  const seen = new Set<string>()
  return payments.flatMap((payment, index) => {
    const problems: FieldProblem[] = []
    if (sumPaise(payment.lines.map(line => line.amountPaise)) !== payment.amountPaise) {
      problems.push({ key: `${path}.${index}.amount`, message: 'must equal the sum of its fee_components' })
    }
    if (seen.has(payment.transactionId)) {
      problems.push({
        key: `${path}.${index}.transaction_id`,
        message: 'stands twice; it is unique for a student',
      })
    }
    seen.add(payment.transactionId)
    return problems
  })
}

/** The order of the lines does not matter. */
export function linesText(lines: DirectPayment['lines']): string {
  const texts = lines.map(({ componentType, amountPaise }) => `${amountPaise} ${componentType}`)
  return JSON.stringify(texts.sort())
}

/** What is wrong with payments after which more would be paid for a student than can be summed up exactly. */
export function paidProblems(
  paid: readonly Paise[],
  added: readonly DirectPayment[],
  path: string,
): FieldProblem[] {
  const amounts = [...paid, ...added.map(payment => payment.amountPaise)]
  // Not sumPaise: a sum too large to be exact is an answer here, not an accident.
  if (added.length === 0 || amounts.reduce<number>((sum, one) => sum + one, 0) <= MAX_TOTAL_PAISE) return []
  return [{ key: path, message: 'would make more than 100000000000 rupees paid for this student in all' }]
}

/** Such as 2026-27. */
export function yearName(start: number, end: number): string {
  return start === end ? String(start) : `${start}-${String(end).slice(-2)}`
}

/** How an order says whose dues it pays; an identifier alone says nothing. */
export type Naming = {
  studentId?: string | null | undefined
  settleDues?: boolean | undefined
  identifier: string | null
  grade: string | null
  academicYearStart: number | null
  academicYearEnd: number | null
}

type NameableStudent = Pick<Student, 'id' | 'grade' | 'academicYearStart' | 'academicYearEnd'>

/** An order without a student pays nobody's dues. */
export type PickedStudent = { studentId: string | null; problem: FieldProblem | null }

const MOST_LISTED = 4

export function pickNamed(
  naming: Naming,
  byId: ReadonlyMap<string, NameableStudent>,
  byIdentifier: ReadonlyMap<string, readonly NameableStudent[]>,
): PickedStudent {
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

function fits(student: NameableStudent, { grade, academicYearStart, academicYearEnd }: Naming): boolean {
  return (
    (grade === null || student.grade === grade) &&
    (academicYearStart === null || student.academicYearStart === academicYearStart) &&
    (academicYearEnd === null || student.academicYearEnd === academicYearEnd)
  )
}

function nameOf({ grade, academicYearStart, academicYearEnd }: NameableStudent): string {
  return `class ${grade} of ${academicYearStart}–${academicYearEnd}`
}

function refused(key: string, message: string): PickedStudent {
  return { studentId: null, problem: { key, message } }
}
