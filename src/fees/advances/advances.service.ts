import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO } from '../../platform/money.ts'
import { recomputeBalances } from '../balances.service.ts'
import { ADVANCE } from '../fees.rules.ts'
import * as store from './advances.store.ts'
import {
  moveAdvances,
  carryAgain,
  takeBack,
  type ComponentAmount,
  type CarriedOut,
} from './advances.rules.ts'

export { insertTransfers, insertUses, type AdvanceUse } from './advances.store.ts'

/** Who is named where no person decided. */
const BY_ITSELF = 'Bursar'

type StudentKey = { instituteId: number; studentId: string }

/**
 * Money of a record has gone away in this transaction: a payment was cancelled, corrected or refunded. What it had given
 * as an advance to another fee, or to the next year, comes back, so that it is owed where it was never spent. The record
 * of the next year may have carried it on, so it is looked at too.
 *
 * The record is held before anything is read, so that an advance that is used at this moment is either seen here or sees
 * this. A refund may wait for a plan afterwards; a deadlock is tried again.
 */
export async function takeBackAdvances(
  tx: Transaction,
  key: StudentKey,
  gone: readonly ComponentAmount[],
  at: Date,
): Promise<void> {
  const { instituteId, studentId } = key
  await store.lockRecords(tx, instituteId, [studentId])
  if (!(await store.hasGivenAway(tx, key))) return
  const { carried, used } = takeBack(await store.readAdvances(tx, key), gone)
  const returned = used.map(({ fromComponent, toComponent, amountPaise }) => ({
    id: newId('adv'),
    fromComponent: toComponent,
    toComponent: fromComponent,
    amountPaise,
    reason: 'The payment that it came from no longer counts',
    actor: BY_ITSELF,
    at,
  }))
  await store.insertUses(tx, key, returned)
  await move(tx, key, carried, { sign: 1, at })
  for (const [other, some] of Map.groupBy(carried, one => one.otherStudentId)) {
    const lost = some.map(({ gainedAs, amountPaise }) => ({ componentType: gainedAs, amountPaise }))
    await takeBackAdvances(tx, { instituteId, studentId: other }, lost, at)
  }
  recomputeBalances(tx, instituteId, [studentId])
}

/** What is paid of each component beyond its price, as it stands in this transaction. The record is held from here on. */
export async function holdAdvances(tx: Transaction, key: StudentKey): Promise<ComponentAmount[]> {
  await store.lockRecords(tx, key.instituteId, [key.studentId])
  return (await store.readSurpluses(tx, key)).filter(({ amountPaise }) => amountPaise > 0)
}

/**
 * Sets an advance of an earlier record off against a later one: from there on it is an advance of that, of no fee. The caller
 * holds both.
 */
export async function setOffAdvance(
  tx: Transaction,
  { instituteId, from, to }: { instituteId: number; from: string; to: string },
  parts: readonly ComponentAmount[],
  { reason, actor, at }: { reason: string; actor: string; at: Date },
): Promise<void> {
  const uses = parts.map(({ componentType: fromComponent, amountPaise }) => {
    return { id: newId('adv'), fromComponent, toComponent: ADVANCE, amountPaise, reason, actor, at }
  })
  await store.insertUses(tx, { instituteId, studentId: from }, uses)
  const amountPaise = sumPaise(parts.map(one => one.amountPaise))
  const moved = { componentType: ADVANCE, rolloverId: null }
  const rows = [
    { ...moved, studentId: from, otherStudentId: to, amountPaise: subtractPaise(ZERO, amountPaise) },
    { ...moved, studentId: to, otherStudentId: from, amountPaise },
  ]
  await store.insertSetOff(tx, instituteId, rows, at)
  recomputeBalances(tx, instituteId, [from, to])
}

/** A refund takes the advance first: what it made due again of these components, advances of others pay. */
export async function payFromAdvances(
  tx: Transaction,
  key: StudentKey,
  refunded: readonly ComponentAmount[],
  at: Date,
): Promise<void> {
  const surpluses = await store.readSurpluses(tx, key)
  const advances = surpluses.filter(({ amountPaise }) => amountPaise > 0)
  const wanted = [...Map.groupBy(refunded, one => one.componentType)].flatMap(([componentType, parts]) => {
    const surplus = surpluses.find(one => one.componentType === componentType)?.amountPaise ?? ZERO
    const owed = subtractPaise(ZERO, surplus)
    const amountPaise = minPaise(owed, sumPaise(parts.map(one => one.amountPaise)))
    return amountPaise > 0 ? [{ componentType, amountPaise }] : []
  })
  const moves = moveAdvances(advances, wanted)
  if (moves.length === 0) return
  const reason = 'A refund takes the advance first'
  const uses = moves.map(move => ({ ...move, id: newId('adv'), reason, actor: BY_ITSELF, at }))
  await store.insertUses(tx, key, uses)
  recomputeBalances(tx, key.instituteId, [key.studentId])
}

/** The money is there after all: a refund failed, or a correction was put right. What was carried goes over again. */
export async function carryAdvancesAgain(
  tx: Transaction,
  key: StudentKey,
  came: readonly ComponentAmount[],
  at: Date,
): Promise<void> {
  const { instituteId, studentId } = key
  await store.lockRecords(tx, instituteId, [studentId])
  if (!(await store.hasGivenAway(tx, key))) return
  const again = carryAgain(await store.readAdvances(tx, key), came)
  await move(tx, key, again, { sign: -1, at })
  for (const [other, some] of Map.groupBy(again, one => one.otherStudentId)) {
    const gained = some.map(({ gainedAs, amountPaise }) => ({ componentType: gainedAs, amountPaise }))
    await carryAdvancesAgain(tx, { instituteId, studentId: other }, gained, at)
  }
  recomputeBalances(tx, instituteId, [studentId])
}

/** Moves advances between the record and later ones: `sign` 1 brings them back, -1 takes them there. */
async function move(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
  parts: readonly CarriedOut[],
  { sign, at }: { sign: 1 | -1; at: Date },
): Promise<void> {
  const others = [...new Set(parts.map(one => one.otherStudentId))]
  await store.lockRecords(tx, instituteId, others)
  // One by one: parts of several fees came to one fee of the later record, each as a row of its own.
  for (const { otherStudentId, gainedAs, componentType, amountPaise, rolloverId } of parts) {
    const here = { studentId, otherStudentId, componentType, amountPaise: paiseOf(sign * amountPaise) }
    const there = { studentId: otherStudentId, otherStudentId: studentId, componentType: gainedAs }
    const rows = [here, { ...there, amountPaise: paiseOf(-sign * amountPaise) }]
    await store.insertMoved(
      tx,
      instituteId,
      rows.map(row => ({ ...row, rolloverId })),
      at,
    )
  }
  recomputeBalances(tx, instituteId, others)
}
