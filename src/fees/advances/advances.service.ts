import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { subtractPaise, ZERO } from '../../platform/money.ts'
import { recomputeBalances } from '../balances.service.ts'
import * as store from './advances.store.ts'
import { takeBack } from './take-back.rules.ts'

export { insertTransfers, insertUses, type AdvanceUse } from './advances.store.ts'

/** Who is named where no person decided. */
const BY_ITSELF = 'Bursar'

/**
 * Money of a record has gone away in this transaction: a payment was cancelled, corrected or refunded. What it had given
 * as an advance to another fee, or to the next year, comes back, so that it is owed where it was never spent. The record
 * of the next year may have carried it on, so it is looked at too, later years last.
 */
export async function takeBackAdvances(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  at: Date,
): Promise<void> {
  if (!(await store.hasGivenAway(tx, key))) return
  const { instituteId, studentId } = key
  const { carried, used } = takeBack(await store.lockAdvances(tx, key))
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
  for (const { otherStudentId, gainedAs, componentType, amountPaise, rolloverId } of carried) {
    const back = { studentId, otherStudentId, componentType, amountPaise, rolloverId }
    const gone = {
      studentId: otherStudentId,
      otherStudentId: studentId,
      componentType: gainedAs,
      amountPaise: subtractPaise(ZERO, amountPaise),
      rolloverId,
    }
    await store.insertTakenBack(tx, instituteId, [back, gone], at)
  }
  const others = [...new Set(carried.map(one => one.otherStudentId))]
  for (const other of others) await takeBackAdvances(tx, { instituteId, studentId: other }, at)
  recomputeBalances(tx, instituteId, [studentId, ...others])
}
