import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { minPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { ComponentAmount } from '../advances/advances.rules.ts'
import { changeFees, readFees } from '../fees.service.ts'
import { checkReturn, checkUndo, feesAfterReturn, heldOf } from './deposits.rules.ts'
import * as store from './deposits.store.ts'

/**
 * What is held of deposits, by student: on the record of the year in which it was paid, so a child's records of all years
 * are asked for together.
 */
export async function readHeldDeposits(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, ComponentAmount[]>> {
  const sums = await store.readDepositSums(db, instituteId, studentIds)
  const held = sums
    .map(sum => ({ ...sum, amountPaise: heldOf(sum) }))
    .filter(({ amountPaise }) => amountPaise > 0)
  return Map.groupBy(held, one => one.studentId)
}

/**
 * Gives back what is held, all of it or these amounts: it stands as an advance of the child then, which is refunded or pays
 * other fees like any advance, and it is not charged again. The caller holds the student.
 */
export async function returnDeposits(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  asked: readonly { componentType: string; amountPaise: Paise | null }[] | null,
  { reason, at }: { reason: string; at: Date },
): Promise<ComponentAmount[]> {
  const { instituteId, studentId } = key
  const held = (await readHeldDeposits(tx, instituteId, [studentId])).get(studentId) ?? []
  const returned = checkReturn(held, asked)
  const fees = feesAfterReturn(await readFees(tx, instituteId, studentId), returned)
  await changeFees(tx, key, fees, { changedAt: at, source: 'deposit', note: reason })
  return returned
}

/** A return was a mistake: it is held again as it was. The caller holds the student. */
export async function undoReturn(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  { componentType, amountPaise }: { componentType: string; amountPaise: Paise | null },
  { reason, at }: { reason: string; at: Date },
): Promise<ComponentAmount> {
  const { instituteId, studentId } = key
  const [known] = await store.readUndoable(tx, key, componentType)
  const undone = checkUndo(known ?? { returnedPaise: ZERO, advancePaise: ZERO }, amountPaise)
  const fee = (await readFees(tx, instituteId, studentId)).find(one => one.componentType === componentType)
  const fees = [{ componentType, feePaise: sumPaise([fee?.feePaise ?? ZERO, undone]) }]
  await changeFees(tx, key, fees, { changedAt: at, source: 'deposit', note: reason })
  return { componentType, amountPaise: undone }
}

/** Returns of this record that can be undone, with how much of each. */
export async function listUndoable(
  db: Queryable,
  key: { instituteId: number; studentId: string },
): Promise<ComponentAmount[]> {
  const returned = await store.readUndoable(db, key, null)
  return returned
    .map(({ componentType, returnedPaise, advancePaise }) => {
      return { componentType, amountPaise: minPaise(returnedPaise, advancePaise) }
    })
    .filter(({ amountPaise }) => amountPaise > 0)
}

/** What was given back of each deposit, by student and component. */
export async function readReturned(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, ReadonlyMap<string, Paise>>> {
  const byStudent = Map.groupBy(await store.readReturned(db, instituteId, studentIds), one => one.studentId)
  return new Map(
    [...byStudent].map(([id, own]) => [id, new Map(own.map(one => [one.componentType, one.amountPaise]))]),
  )
}
