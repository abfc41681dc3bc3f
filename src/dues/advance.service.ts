import { insertUses, type AdvanceUse } from '../fees/advances/advances.service.ts'
import { recomputeBalances } from '../fees/balances.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { badField, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, minPaise, sumPaise, type Paise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { allocate, chosenOf } from './allocation.rules.ts'
import { LATE_FEE, withoutTaken } from './dues.rules.ts'
import { readDuesOn } from './dues.service.ts'
import { chargeLateFees } from './late-fees.service.ts'
import { advancesOf, moveAdvances } from '../fees/advances/advances.rules.ts'

type AdvanceRequest = {
  /** All of the advance, or of what it can pay, when absent. */
  amountPaise?: Paise | null
  /** The fee that it pays; by the institute's rule of allocation when absent. */
  componentType?: string | null
  reason: string
  actor: string
}

/**
 * Uses what was paid too much for one fee for others of the same child. No money moves: what is counted as paid of each
 * changes, and receipts stay as they are. Late fees come with what they are for, as in every payment.
 */
export async function useAdvance(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<AdvanceUse[]>,
  { institute, studentId }: { institute: Institute; studentId: string },
  { amountPaise = null, componentType = null, reason, actor }: AdvanceRequest,
): Promise<AdvanceUse[]> {
  const key = { instituteId: institute.id, studentId }
  return transact(ctx.db, command, async tx => {
    await holdStudent(tx, key)
    const at = ctx.clock.now()
    const read = (await readDuesOn(tx, [key], dayOf(at))).get(studentId)
    if (read === undefined) throw new Error('a student that is held has dues')
    // Dues that a bank or lender is paying already are left out.
    const all = withoutTaken(read, await listOnTheWay(tx, institute.id, [studentId]))
    const { context, advancePaise } = all
    if (advancePaise === 0) throw conflict('There is no advance to use.')
    if (all.totalPaise === 0) throw conflict('Nothing is due that the advance could pay.')
    const dues = componentType === null ? all : chosenOf(all, [componentType])
    const most = minPaise(advancePaise, dues.totalPaise)
    const amount = amountPaise ?? most
    if (amount === 0 || amount > most)
      throw badField('amount', `must be more than 0 and at most ${formatRupees(most)}`)
    const share = allocate(amount, dues, dues.allocation)
    await chargeLateFees(tx, key, share.lateFees, { orderId: null, at })
    const late = sumPaise(share.lateFees.map(fee => fee.amountPaise))
    const wanted = [...(late > 0 ? [{ componentType: LATE_FEE, amountPaise: late }] : []), ...share.lines]
    const moves = moveAdvances(advancesOf(context.prices, context.paid), wanted)
    const uses = moves.map(move => ({ ...move, id: newId('adv'), reason, actor, at }))
    await insertUses(tx, key, uses)
    recomputeBalances(tx, institute.id, [studentId])
    return uses
  })
}
