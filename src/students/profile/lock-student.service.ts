import type { Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import { changeFees, readFees } from '../../fees/fees.service.ts'
import { lockStudent, lockStudents } from '../students.store.ts'

type HeldStudent = { instituteId: number; studentId: string }

/** A decision that depends on what a student owes locks it until the commit, as every change does. */
export async function holdStudent(tx: Transaction, { instituteId, studentId }: HeldStudent): Promise<void> {
  if ((await lockStudent(tx, instituteId, studentId)) === null) throw notFound('This student')
}

/** The same for many, none of which has to exist. */
export async function holdStudents(tx: Transaction, held: readonly HeldStudent[]): Promise<void> {
  await lockStudents(tx, held)
}

/**
 * Adds a charge of ours, such as a late fee that is paid, to a fee of the student; below 0 it is taken off again. The
 * caller holds the student.
 */
export async function addToFee(
  tx: Transaction,
  held: HeldStudent,
  charge: { componentType: string; amountPaise: Paise; at: Date; source: 'late_fee' | 'charge' },
): Promise<void> {
  const fees = await readFees(tx, held.instituteId, held.studentId)
  const before = fees.find(fee => fee.componentType === charge.componentType)?.feePaise ?? 0
  const sent = { componentType: charge.componentType, feePaise: paiseOf(before + charge.amountPaise) }
  await changeFees(tx, held, [sent], { changedAt: charge.at, source: charge.source })
}
