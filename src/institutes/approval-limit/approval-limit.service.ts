import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { isBeyond, type ApprovalLimits, type Gift } from './approval-limit.rules.ts'
import * as store from './approval-limit.store.ts'

/** Beyond them what a person gives away needs a second one; null: nothing does. */
export async function readApprovalLimits(db: Queryable, instituteId: number): Promise<ApprovalLimits | null> {
  return store.findLimits(db, instituteId)
}

export async function writeApprovalLimits(
  tx: Transaction,
  instituteId: number,
  limits: ApprovalLimits | null,
): Promise<void> {
  await store.writeLimits(tx, instituteId, limits)
}

type Giving = {
  act: string
  gifts: readonly Gift[]
  wholePaise?: Paise
  at: Date
}

/**
 * Whether one person may give this alone; if so, it is written down and counts from then on. It is asked in the
 * transaction of the act, which holds the order or the child, and last of all: the row of the limits is locked until the
 * commit, so that of two acts for one child the later knows of the earlier, whatever each of them holds besides.
 */
export async function giveAlone(
  tx: Transaction,
  instituteId: number,
  { act, gifts: all, wholePaise = ZERO, at }: Giving,
): Promise<boolean> {
  const gifts = all.filter(gift => gift.amountPaise > 0)
  if (gifts.length === 0 && wholePaise === 0) return true
  const limits = await store.lockLimits(tx, instituteId)
  if (limits === null) return true
  const abouts = [...new Set(gifts.map(gift => gift.about))]
  const earlier = await store.sumGiven(tx, instituteId, abouts)
  if (isBeyond(limits, gifts, { wholePaise, earlier })) return false
  await store.insertGiven(
    tx,
    gifts.map(({ about, amountPaise, refundId = null }) => {
      return { instituteId, id: newId('given'), about, act, amountPaise, refundId, givenAt: at }
    }),
  )
  return true
}

/** A refund that failed gave nothing. */
export async function forgetRefund(tx: Transaction, instituteId: number, refundId: string): Promise<void> {
  await store.deleteOfRefund(tx, instituteId, refundId)
}
