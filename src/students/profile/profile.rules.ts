import type { FieldProblem } from '../../platform/errors.ts'
import { mergeProfile, type Identity, type Profile, type Student } from '../students.rules.ts'
import { minPaise, paiseOf, sumPaise, toRupees, ZERO, type Paise } from '../../platform/money.ts'
import {
  mergeFees,
  type FeeChange,
  type FeeComponent,
  type OwnCharges,
  type Price,
} from '../../fees/fees.rules.ts'
import { PROFILE_FIELDS, PROFILE_KEYS } from './profile.fields.ts'

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

export type SourceFee = { componentType: string; feePaise: Paise }

/** The student as the institute's own system has it. */
export type SourceRecord = {
  identity: Identity
  collectorCode: string | null
  /** A field that was not sent is null, and leaves the stored one as it is. */
  profile: Profile
  /** Fees in the order sent; totals are after discounts and before payments. */
  fees: readonly SourceFee[]
}

/** A student and its fees as a pulled record leaves them. */
export type StoredStudent = { student: Student; fees: readonly FeeComponent[]; ownCharges: OwnCharges }

/** One field that changed, by its name on the wire; fees in rupees. */
export type StudentChange = {
  field: string
  before: string | number | boolean | null
  after: string | number | boolean | null
}

export type StudentUpdate = {
  /** The student after the change. */
  student: Student
  fees: readonly FeeChange[]
  /** Anything but its fees. */
  isStudentChanged: boolean
  /** Grade or branch: no two students may share them under one identifier. */
  isIdentityChanged: boolean
  /** Empty when the ERP says what is stored. */
  changes: readonly StudentChange[]
}

/** The branch that a record puts a student into; null when the institute has no such branch. */
export function branchAfter(
  institute: { branches: readonly { collectorCode: string }[] },
  student: { collectorCode: string },
  record: { collectorCode: string | null },
): string | null {
  // An institute with one branch compares no branch codes.
  if (record.collectorCode === null || institute.branches.length === 1) return student.collectorCode
  const isKnown = institute.branches.some(branch => branch.collectorCode === record.collectorCode)
  return isKnown ? record.collectorCode : null
}

/** A record of another academic year is another student record: its fees and payments never mix with this one's. */
export function isOtherYear(student: Identity, { identity }: Pick<SourceRecord, 'identity'>): boolean {
  return (
    student.academicYearStart !== identity.academicYearStart ||
    student.academicYearEnd !== identity.academicYearEnd
  )
}

/** `branch`: the one that the record names, or the student's own when it names none. The record is of the same year. */
export function decideUpdate(stored: StoredStudent, record: SourceRecord, branch: string): StudentUpdate {
  const { student: before, fees, ownCharges } = stored
  // The identifier is the one that was asked for, and may have been changed here since; the year never changes.
  const { grade } = record.identity
  const student: Student = {
    ...before,
    ...mergeProfile(before, record.profile),
    grade,
    collectorCode: branch,
  }
  const feeChanges = replaceFees(fees, record.fees, ownCharges)
  const own = changesBetween(before, student)
  return {
    student,
    fees: feeChanges,
    isStudentChanged: own.length > 0,
    isIdentityChanged: IDENTITY_KEYS.some(name => before[name] !== student[name]),
    changes: [...own, ...feeChanges.flatMap(describeFee)],
  }
}

const IDENTITY_KEYS = ['grade', 'collectorCode'] as const

/** Fields by their names on the wire. */
const COMPARED = [
  ['identifier', 'identifier'],
  ['collector_code', 'collectorCode'],
  ['grade', 'grade'],
  ['academic_year_start', 'academicYearStart'],
  ['academic_year_end', 'academicYearEnd'],
  ...PROFILE_KEYS.map(key => [PROFILE_FIELDS[key].name, key] as const),
] as const

/** Identity and profile, field by field. */
export function changesBetween(before: Student, after: Student): StudentChange[] {
  return COMPARED.flatMap(([field, key]) =>
    before[key] === after[key] ? [] : [{ field, before: before[key], after: after[key] }],
  )
}

/**
 * Fees as the ERP has them. What it sends is a component's total after discounts: it replaces the fee and ends the
 * discounts stored here. A component that it does not send any more costs nothing: the ERP is the source of truth, and
 * a fee that it took back must not be debited. The component stays, at 0, with its history and its place. What was
 * charged here, such as a late fee, is not the ERP's to withdraw: its component never falls below that. What was given back
 * of a deposit, an own charge below 0, is not charged again.
 */
export function replaceFees(
  current: readonly FeeComponent[],
  sent: readonly SourceFee[],
  ownCharges: OwnCharges,
): FeeChange[] {
  const isSent = new Set(sent.map(fee => fee.componentType))
  // What is all our own keeps its concessions, too.
  const gone = current.filter(
    fee => !isSent.has(fee.componentType) && fee.feePaise > ownPartOf(current, fee.componentType, ownCharges),
  )
  const wanted = [...sent, ...gone.map(({ componentType }) => ({ componentType, feePaise: ZERO }))]
  const changes = mergeFees(
    current,
    wanted.map(({ componentType, feePaise }) => {
      const least = ownPartOf(current, componentType, ownCharges)
      const returned = Math.min(ownCharges.get(componentType) ?? ZERO, 0)
      return { componentType, feePaise: paiseOf(Math.max(feePaise + returned, least)), discounts: [] }
    }),
  )
  return changes.map(change => ({ ...change, note: noteOf(change, isSent.has(change.componentType)) }))
}

/** Less than was charged once a person has lowered the fee here. */
function ownPartOf(current: readonly FeeComponent[], componentType: string, ownCharges: OwnCharges): Paise {
  const fee = current.find(one => one.componentType === componentType)?.feePaise ?? ZERO
  return paiseOf(Math.max(minPaise(fee, ownCharges.get(componentType) ?? ZERO), 0))
}

/** An answer without any fee for a student who has some is a mistake of the ERP, not the end of all fees. */
export function dropsEveryFee({ fees, ownCharges }: StoredStudent, sent: readonly SourceFee[]): boolean {
  if (sent.length > 0) return false
  return fees.some(fee => fee.feePaise > ownPartOf(fees, fee.componentType, ownCharges))
}

function noteOf({ before }: FeeChange, isSent: boolean): string | null {
  if (!isSent) return 'no longer sent by the ERP'
  return (before?.discounts.length ?? 0) > 0 ? 'discounts are part of the total that the ERP sent' : null
}

function describeFee({ componentType, before, after }: FeeChange): StudentChange[] {
  const field = `fee_components.${componentType}`
  const fee: StudentChange = {
    field: `${field}.fee_amount`,
    before: before === null ? null : toRupees(before.feePaise),
    after: toRupees(after.feePaise),
  }
  const isSameFee = before?.feePaise === after.feePaise
  const hadDiscounts = before !== null && before.discounts.length > 0
  return [
    ...(isSameFee ? [] : [fee]),
    ...(hadDiscounts
      ? [{ field: `${field}.discounts`, before: toRupees(discountOf(before)), after: 0 }]
      : []),
  ]
}

function discountOf({ discounts }: Price): Paise {
  return sumPaise(discounts.map(discount => discount.valuePaise))
}
