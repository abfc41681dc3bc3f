import type { Institute } from '../../institutes/institutes.rules.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import type { Context } from '../../platform/context.ts'
import { badFields, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import { issueDirectReceipt } from '../../receipts/receipts.service.ts'
import type { Instrument, RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import {
  holdPayingStudents,
  recordPaymentWithin,
} from '../../students/direct-payments/direct-payments.service.ts'
import { prepareAtCounter, requireCounterDay } from '../counter.service.ts'
import { divideAmongWays, takingProblems, type PaidChild } from './takings.rules.ts'
import { insertTaking, type Taking } from './takings.store.ts'

export { followMove as followMovedTaking } from './takings.store.ts'

type TakingWay = {
  mode: string
  amountPaise: Paise
  instrument: Instrument | null
  /** Of the slip or the transfer. */
  reference: string | null
}

export type FamilyTaking = {
  /** `shownPaise`: fees owed, as the page showed them. */
  children: readonly (PaidChild & { shownPaise: Paise | null })[]
  ways: readonly TakingWay[]
  paidAt: Date | null
  waiveReason: string | null
  takenBy: string
}

export type TakenFromFamily = Taking & {
  payments: (RecordedPayment & { studentId: string; wayNo: number; receipt: ReceiptKey })[]
}

/**
 * What a family hands over at once, all of it or nothing: a payment for each child and way, each with a receipt, on one
 * paper.
 */
export async function takeFromFamily(
  ctx: Context,
  command: Command<TakenFromFamily>,
  institute: Institute,
  taking: FamilyTaking,
): Promise<TakenFromFamily> {
  const { children, ways, takenBy } = taking
  const problems = takingProblems(children, ways)
  if (problems.length > 0) throw badFields(problems)
  const now = ctx.clock.now()
  const paidAt = taking.paidAt ?? now
  requireCounterDay(ctx, paidAt)
  const parts = divideAmongWays(children, ways)
  return transact(ctx.db, command, async tx => {
    await holdPayingStudents(
      tx,
      institute.id,
      children.map(child => child.studentId),
    )
    const recorded: { payment: RecordedPayment; studentId: string; wayNo: number }[] = []
    for (const { childNo, wayNo, lines, amountPaise } of parts) {
      const [child, way] = [children[childNo], ways[wayNo]]
      if (child === undefined || way === undefined) continue
      const { studentId } = child
      const isFirst = recorded.every(one => one.studentId !== studentId)
      const { mode, instrument, reference: transactionId } = way
      const sent = { transactionId, amountPaise, paidAt, mode, settlementUtr: null, notes: null, lines }
      const { payment, isNew } = await recordPaymentWithin(
        tx,
        { institute, studentId },
        {
          payment: sent,
          readOnTheWay,
          recordedBy: takenBy,
          hasReceipt: false,
          instrument,
          // All that is paid for the child counts at once: a part alone would seem to leave its late fee unpaid.
          prepare: isFirst
            ? () =>
                prepareAtCounter(
                  ctx,
                  tx,
                  { instituteId: institute.id, studentId },
                  { ...taking, ...child, paidAt },
                )
            : undefined,
        },
        now,
      )
      if (!isNew)
        throw conflict(`The reference ${transactionId} is recorded already. Check it, and type another.`)
      recorded.push({ payment, studentId, wayNo: wayNo + 1 })
    }
    const payments: TakenFromFamily['payments'] = []
    for (const { payment, ...of } of recorded) {
      const receipt = await issueDirectReceipt(tx, { instituteId: institute.id, id: payment.id }, now)
      payments.push({ ...payment, ...of, receipt })
    }
    const amountPaise = sumPaise(ways.map(way => way.amountPaise))
    const taken = { id: newId('take'), takenBy, takenAt: now, amountPaise }
    await insertTaking(
      tx,
      institute.id,
      taken,
      payments.map(({ id: paymentId, wayNo }) => ({ paymentId, wayNo })),
    )
    return { ...taken, payments }
  })
}
